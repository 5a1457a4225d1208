import { yieldToEventLoop } from '../platform/concurrency/yield-to-event-loop.ts'
import type { Call, Outcome } from './call.ts'
import type { CallInspector } from './call-inspector.ts'
import { recordedText } from './recorded-text.ts'
import type { Next, Result, State, Step } from './state.ts'

/** How a step of the pipeline went. `ms`: its own time, without the steps inside it. */
export interface RecordedStep {
  readonly name: string
  readonly ms: number
  /** Whether it, or a step inside it, refused the call. */
  readonly failed: boolean
}

/** A call as people see it: JSON texts without credentials and identifiers of people, cut at a length. */
export interface RecordedCall {
  readonly requestId: string
  readonly at: Date
  readonly transport: string
  readonly task: string
  /** `ok`, or the code of the error. */
  readonly outcome: string
  readonly ms: number
  readonly steps: readonly RecordedStep[]
  readonly request: string
  readonly answer: string
}

/** An agent of a publisher. */
export interface WatchedAgent {
  readonly tenantId: string
  readonly principalId: string
}

export interface WatchedCalls extends CallInspector {
  /** Keeps the calls of an agent from now on until `until`. */
  watch(agent: WatchedAgent, until: Date): void
  /** Until when an agent is watched; undefined when it is not. */
  watchedUntil(agent: WatchedAgent): Date | undefined
  /** Newest first. */
  calls(agent: WatchedAgent): readonly RecordedCall[]
  /** Hears of every call of an agent; returns what ends that. */
  follow(agent: WatchedAgent, onCall: () => void): () => void
}

/** The newest calls that are kept of an agent, and the agents that are watched at once. */
const MOST_CALLS = 50
const MOST_AGENTS = 20

interface Watch {
  readonly until: Date
  readonly kept: Kept[]
  readonly followers: Set<() => void>
}

/** The texts stay outside the heap of V8, so that the garbage collector does not visit them. */
interface Kept extends Omit<RecordedCall, 'request' | 'answer'> {
  readonly request: Buffer
  readonly answer: Buffer
}

interface Recording {
  readonly steps: { readonly name: string; ms: number; failed: boolean }[]
  agent?: WatchedAgent
}

/** Keeps the newest calls of watched agents in this process: at most {@link MOST_CALLS} of each of {@link MOST_AGENTS}, each text cut at 64 kB. */
export function watchCalls(clock: () => Date): WatchedCalls {
  const watches = new Map<string, Watch>()
  const recordings = new WeakMap<Call, Recording>()
  const keyOf = ({ tenantId, principalId }: WatchedAgent) => JSON.stringify([tenantId, principalId])
  const current = (agent: WatchedAgent) => {
    const watch = watches.get(keyOf(agent))
    return watch && watch.until > clock() ? watch : undefined
  }
  const timed = async (state: State, name: string, run: (inner: <T>(next: Promise<T>) => Promise<T>) => Promise<Result>) => {
    const recording = recordings.get(state.call)
    if (!recording) return run((next) => next)
    if (state.principal) recording.agent = { tenantId: state.principal.tenantId, principalId: state.principal.principalId }
    const step = { name, ms: 0, failed: false }
    recording.steps.push(step)
    const started = performance.now()
    let within = 0
    try {
      return await run(async (next) => {
        const entered = performance.now()
        return next.finally(() => {
          within += performance.now() - entered
        })
      })
    } catch (error) {
      step.failed = true
      throw error
    } finally {
      step.ms = performance.now() - started - within
    }
  }
  return {
    isWatching() {
      if (watches.size === 0) return false
      for (const [key, { until }] of watches) if (until <= clock()) watches.delete(key)
      return watches.size > 0
    },
    step(step: Step): Step {
      const recorded: Step = (state, next) => timed(state, step.name, (inner) => step(state, (after) => inner(next(after))))
      return Object.defineProperty(recorded, 'name', { value: step.name })
    },
    handler: (handle: Next) => (state) => timed(state, 'handle', () => handle(state)),
    async answer(state, run) {
      const recording: Recording = { steps: [] }
      recordings.set(state.call, recording)
      const started = performance.now()
      const outcome = await run(state)
      const watch = recording.agent && current(recording.agent)
      if (!watch) return outcome
      const ms = performance.now() - started
      // The answer may have been made and written to the store in this turn.
      await yieldToEventLoop()
      watch.kept.unshift(keptCall(state, outcome, { steps: recording.steps, ms }))
      watch.kept.splice(MOST_CALLS)
      for (const onCall of watch.followers) onCall()
      return outcome
    },
    watch(agent, until) {
      const before = watches.get(keyOf(agent))
      watches.delete(keyOf(agent))
      watches.set(keyOf(agent), { kept: before?.kept ?? [], followers: before?.followers ?? new Set(), until })
      for (const oldest of [...watches.keys()].slice(0, Math.max(0, watches.size - MOST_AGENTS))) watches.delete(oldest)
    },
    watchedUntil: (agent) => current(agent)?.until,
    calls: (agent) =>
      (current(agent)?.kept ?? []).map(({ request, answer, ...call }) => ({
        ...call,
        request: request.toString(),
        answer: answer.toString(),
      })),
    follow(agent, onCall) {
      const followers = current(agent)?.followers
      followers?.add(onCall)
      return () => followers?.delete(onCall)
    },
  }
}

function keptCall(
  { call, task, now }: State,
  outcome: Outcome,
  { steps, ms }: { readonly steps: readonly RecordedStep[]; readonly ms: number },
): Kept {
  const { requestId, transport, credentials } = call
  return {
    requestId,
    at: now,
    transport,
    task: task?.name ?? 'unknown task',
    outcome: outcome.ok ? 'ok' : outcome.error.code,
    ms,
    steps,
    request: recordedText(call.arguments, credentials),
    answer: recordedText(
      outcome.ok ? outcome.payload : { code: outcome.error.code, message: outcome.error.message },
      credentials,
    ),
  }
}
