import { failureOf, forbidden } from '../../domain/compliance/outcome.ts'
import type { Principal } from '../../domain/identity/principal.ts'
import { isObject } from '../../protocol/is-object.ts'
import { isLiveAccount } from '../../store/account/sandbox.ts'
import { presentAnswer } from '../present-answer.ts'
import type { Next, Result, State, Step } from '../state.ts'

/**
 * The compliance controller acts on simulated accounts alone. A live caller, and a reference to a live account, get the controller's own error
 * FORBIDDEN before anything else is looked at (AdCP comply_test_controller, "Sandbox gating"). A live caller comes here with `conformance` only;
 * without it the task does not exist for that caller, see `authenticate`.
 */
export const gateSandbox: Step = async (state, next) => {
  const { task, principal, contract } = state
  if (!task?.sandboxOnly || !principal) return next(state)
  const reason = await reasonToRefuse(state, principal)
  if (reason === undefined) return runScenario(state, task.name, next)
  return { payload: presentAnswer(contract, task.name, forbidden(reason)), replayed: false }
}

/** Parameters that the request schema refuses fail the scenario like those that the scenario refuses: INVALID_PARAMS in the controller's own form. */
async function runScenario(state: State, name: string, next: Next): Promise<Result> {
  try {
    return await next(withAccount(state))
  } catch (error) {
    return { payload: presentAnswer(state.contract, name, failureOf(error)), replayed: false }
  }
}

/** The protocol's page requires a scenario alone, the schemas of 3.1 and later an account too: a caller that names none means its own simulated ones. */
function withAccount(state: State): State {
  const { call, contract } = state
  if (!contract.rules.controllerAccount || !isObject(call.arguments) || call.arguments.account !== undefined) return state
  return { ...state, call: { ...call, arguments: { ...call.arguments, account: { sandbox: true } } } }
}

async function reasonToRefuse({ call, deps }: State, principal: Principal): Promise<string | undefined> {
  if (!principal.sandbox) return 'these are the credentials of a live buyer; use those of a sandbox buyer'
  const { account, params } = isObject(call.arguments) ? call.arguments : {}
  if (isObject(account) && account.sandbox === false) return 'account.sandbox is false; the controller acts on sandbox accounts'
  // Elsewhere an account of another buyer is as unknown as one that does not exist.
  if (!principal.conformance) return undefined
  for (const [field, named] of Object.entries({ account, params })) {
    const accountId = isObject(named) ? named.account_id : undefined
    if (typeof accountId === 'string' && (await isLiveAccount(deps.store.read, principal, accountId)))
      return `${field}.account_id names a live account; the controller acts on sandbox accounts`
  }
  return undefined
}
