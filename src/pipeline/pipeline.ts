import type { Contract } from '../protocol/contract.ts'
import type { Contracts } from '../protocol/contracts.ts'
import { isObject } from '../protocol/is-object.ts'
import type { Call, Dispatch } from './call.ts'
import type { CallInspector } from './call-inspector.ts'
import { CallLog, linesOfCalls } from './call-log.ts'
import type { Answer, CallSpans } from './call-spans.ts'
import type { Next, PipelineDeps, Result, State, Step } from './state.ts'
import { admit } from './steps/admit.ts'
import { answerAsForced } from './steps/answer-as-forced.ts'
import { answerFromCache } from './steps/answer-from-cache.ts'
import { authenticate } from './steps/authenticate.ts'
import { authorize } from './steps/authorize.ts'
import { checkValues } from './steps/check-values.ts'
import { chooseText } from './steps/choose-text.ts'
import { convertRequest } from './steps/convert-request.ts'
import { gateSandbox } from './steps/gate-sandbox.ts'
import { limitRate } from './steps/limit-rate.ts'
import { limitWork } from './steps/limit-work.ts'
import { listIgnored } from './steps/list-ignored.ts'
import { mapErrors } from './steps/map-errors.ts'
import { negotiateRelease } from './steps/negotiate-release.ts'
import { presentResponse } from './steps/present-response.ts'
import { rejectCredentials } from './steps/reject-credentials.ts'
import { contextOf, replay } from './steps/replay.ts'
import { resolveAccount } from './steps/resolve-account.ts'
import { validateRequest } from './steps/validate-request.ts'
import { afterLongWork, yielding } from './yielding.ts'

/** THE order. `mapErrors` wraps it; the task's handler runs inside it. */
export const STEPS: readonly Step[] = [
  authenticate, //       from the transport only
  admit, //              signing policy, credentials, tier: what fails here is HTTP 401
  limitRate, //          the caller's window for reads or changes: HTTP 429
  rejectCredentials, //  raw arguments, before anything logs, stores, validates or echoes them
  negotiateRelease, //   the release that judges and answers the call
  gateSandbox, //        the compliance controller refuses live callers and live accounts
  authorize, //          visibility, scope
  checkValues, //        bounds, text and numbers that hold for every task
  validateRequest, //    the request schema of the caller's release, and the members that it does not name
  convertRequest, //     into the model that the tasks are written in
  resolveAccount, //     within the principal's own accounts
  limitWork, //          what the inputs cost together: too much is refused, much counts as several calls
  chooseText, //         how the answer reads where a transport shows text beside the data
  answerAsForced, //     a search that a sandbox agent's directive says to answer later
  answerFromCache, //    a read that was answered before from the same data
  replay, //             claims the idempotency key; opens the handler's transaction
  presentResponse, //    in the caller's release, validated: inside replay, so that what cannot be answered is not done
  listIgnored, //        which members of the request had no effect
]

/** Innermost: the task itself. */
const handle: Next = async (state): Promise<Result> => {
  const { task, request, execution } = state
  if (!task || !request || !execution) throw new Error('a call reached its task before the pipeline was done with it')
  const { tx, prepared } = execution
  const payload = await task.handle(request, { ...contextOf(state), tx }, prepared)
  if (!isPayload(payload)) throw new Error(`${task.name} answered with something that is no object`)
  return { payload, replayed: false }
}

function isPayload(value: object): value is Readonly<Record<string, unknown>> {
  return !Array.isArray(value)
}

/** The steps around `last`, and `mapErrors` around all. */
export function compose(steps: readonly Step[], last: Next): Answer {
  const run = steps.reduceRight<Next>((next, step) => yielding((state) => step(state, next)), last)
  return (state) => afterLongWork(state, () => mapErrors(state, run))
}

const plain = compose(STEPS, handle)

/** The release in which a call is refused before its version is judged: that which it names, else the lowest. */
function namedRelease({ arguments: args }: Call, contracts: Contracts): Contract {
  const version = isObject(args) ? args.adcp_version : undefined
  return typeof version === 'string' ? contracts.serving(version) : contracts.base
}

/** Binds the pipeline to its collaborators. The returned function never rejects. */
export function createDispatch(deps: PipelineDeps): Dispatch {
  const unwatched = deps.spans ? traced(deps.spans) : plain
  const answer = deps.inspector ? inspected(deps.inspector, deps.spans, unwatched) : unwatched
  const begin = beginning(deps)
  return (call: Call) => answer(begin(call))
}

/** How a call begins: what is known of it before the first step. */
export function beginning(deps: PipelineDeps): (call: Call) => State {
  const lines = linesOfCalls(deps.log)
  return (call) => {
    const task = deps.tasks.get(call.tool)
    return {
      call,
      deps,
      task,
      contract: deps.contracts.base,
      presentation: { contract: namedRelease(call, deps.contracts) },
      now: deps.clock(),
      dataVersion: deps.store.dataVersion(),
      busySinceMs: performance.now(),
      log: new CallLog(lines, { request: call.requestId, transport: call.transport, task: task?.name ?? 'unknown' }),
    }
  }
}

/** Through the steps with their times recorded while a person watches an agent, else as before. */
function inspected(inspector: CallInspector, spans: CallSpans | undefined, unwatched: Answer): Answer {
  const steps = STEPS.map(inspector.step)
  const last = inspector.handler(handle)
  const recorded = compose(steps, last)
  const both = spans && compose(steps.map(spans.step), spans.handler(last))
  const run: Answer = spans && both ? (state) => spans.answer(state, both, recorded) : recorded
  return (state) => (inspector.isWatching() ? inspector.answer(state, run) : unwatched(state))
}

function traced(spans: CallSpans): Answer {
  const recorded = compose(STEPS.map(spans.step), spans.handler(handle))
  return (state) => spans.answer(state, recorded, plain)
}
