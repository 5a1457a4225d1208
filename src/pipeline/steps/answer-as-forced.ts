import { STALE_TASKS } from '../../domain/compliance/stale-answer.ts'
import { findSandboxDirective, type SandboxDirective } from '../../store/approval/sandbox-directives.ts'
import { findOutages, type SandboxOutage } from '../../store/approval/sandbox-outages.ts'
import { answeringStale, declining, needingInput, submitting } from '../forced-tasks.ts'
import type { State, Step } from '../state.ts'
import type { Task } from '../task.ts'

/** The calls that a directive is for: searches. A read of the whole feed is always answered at once (AdCP 3.1, wholesale feeds). */
const IS_SEARCH: Readonly<Record<string, (request: object) => boolean>> = {
  get_products: (request) => 'buying_mode' in request && request.buying_mode !== 'wholesale',
  get_signals: (request) => !('discovery_mode' in request) || request.discovery_mode !== 'wholesale',
}

/** The order that a directive makes wait for its buyer. An order that waits for the seller has a hold, see `submit-order`. */
const ORDER = 'create_media_buy'

/**
 * Answers a sandbox agent's call as its directive says (AdCP 3.1, comply_test_controller): a search as `submitted`, with a task that the controller completes
 * (`force_get_products_arm`, `force_get_signals_arm`) or as declined; an order as one that lacks something of the buyer (`force_create_media_buy_arm`); a read as one that
 * was answered from a cache (`force_upstream_unavailable`). The call is then one that writes: it has a transaction, an idempotency record and webhooks as
 * every other.
 */
export const answerAsForced: Step = async (state, next) => {
  const { task } = state
  if (!task || !state.principal?.sandbox) return next(state)
  const directive = await directiveFor(state)
  if (directive) return next({ ...state, task: answeringAs(task, directive) })
  const outages = await outagesFor(state)
  return next(outages.length > 0 ? { ...state, task: answeringStale(task, outages) } : state)
}

function answeringAs(task: Task, directive: SandboxDirective): Task {
  if (task.name === ORDER) return needingInput(task, directive)
  return directive.rejection ? declining(task, directive, directive.rejection) : submitting(task, directive)
}

/** 3.0 has no task that a search could be followed by, and nothing before 3.2 a search that is declined. */
async function directiveFor({ task, request, principal, contract, deps }: State): Promise<SandboxDirective | undefined> {
  if (!principal || !task || !request) return undefined
  const isMeant = task.name === ORDER || (contract.rules.deferredSearches && IS_SEARCH[task.name]?.(request) === true)
  const directive = isMeant ? await findSandboxDirective(deps.store.read, principal, task.name) : undefined
  return directive?.rejection && !contract.rules.declinedSearches ? undefined : directive
}

/** 3.0 has no code for an answer from a cache. */
async function outagesFor({ task, request, principal, contract, deps }: State): Promise<readonly SandboxOutage[]> {
  if (!contract.rules.staleAnswers || !principal || !task || !request || !STALE_TASKS.some((name) => name === task.name))
    return []
  return findOutages(deps.store.read, principal, task.name)
}
