import type { Call, Outcome } from './call.ts'
import { beginning, compose, STEPS } from './pipeline.ts'
import type { PipelineDeps, Step } from './state.ts'
import { admit } from './steps/admit.ts'
import { authenticate } from './steps/authenticate.ts'
import { authorize } from './steps/authorize.ts'
import { gateSandbox } from './steps/gate-sandbox.ts'
import { limitRate } from './steps/limit-rate.ts'
import { negotiateRelease } from './steps/negotiate-release.ts'
import { contextOf } from './steps/replay.ts'
import { resolveAccount } from './steps/resolve-account.ts'
import type { NamedRows } from './task.ts'

/** Steps that say who may use a task. The others read a request and write an answer, and names have neither. */
const RIGHTS: ReadonlySet<Step> = new Set([
  authenticate,
  admit,
  limitRate,
  negotiateRelease,
  gateSandbox,
  authorize,
  resolveAccount,
])

/** What `named` of a task gave, and how the reading ended: an error where the caller may not use the task, and then there are no rows. */
export interface ReadNames {
  readonly outcome: Outcome
  readonly named: NamedRows
}

/** Reads the ids and names that a task lists, in the name of a caller and counted as a call of the task. Never rejects. */
export type NameReader = (call: Omit<Call, 'arguments'>) => Promise<ReadNames>

const NONE: NamedRows = { rows: [], isCut: false }

/** Binds the steps that say who may use a task to their collaborators, with nothing but {@link NamedRows} behind them. */
export function createNameReader(deps: PipelineDeps): NameReader {
  const steps = STEPS.filter((step) => RIGHTS.has(step))
  const begin = beginning(deps)
  return async (call) => {
    let named = NONE
    const read = compose(steps, async (state) => {
      named = (await state.task?.named?.(contextOf(state))) ?? NONE
      return { payload: {}, replayed: false }
    })
    const outcome = await read(begin({ ...call, arguments: {} }))
    return { outcome, named: outcome.ok ? named : NONE }
  }
}
