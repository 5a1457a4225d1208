import type { Context } from '@opentelemetry/api'
import type { Logger } from 'pino'
import type { Account } from '../domain/account/account.ts'
import type { Observe } from '../domain/audit/observation.ts'
import type { Principal, Tenant, TextForm } from '../domain/identity/principal.ts'
import type { Audit } from '../features/audit/audit.ts'
import type { Contract } from '../protocol/contract.ts'
import type { Contracts } from '../protocol/contracts.ts'
import type { AdcpError } from '../protocol/errors.ts'
import type { CallLimits } from '../security/auth/call-limits.ts'
import type { Verifier } from '../security/auth/verifier.ts'
import type { AnswerSeal } from '../security/secrets/sealed-answer.ts'
import type { RememberedBuyers } from '../store/account/remembered-buyers.ts'
import type { Db, Store } from '../store/database.ts'
import type { Claims } from '../store/task/claims.ts'
import type { AnswerCache } from './answer-cache.ts'
import type { Call } from './call.ts'
import type { CallInspector } from './call-inspector.ts'
import type { CallLog } from './call-log.ts'
import type { CallSpans } from './call-spans.ts'
import type { Services } from './services.ts'
import type { Task } from './task.ts'

/** Long-lived collaborators of the pipeline. */
export interface PipelineDeps {
  readonly store: Store
  readonly buyers: RememberedBuyers
  readonly contracts: Contracts
  readonly answers: AnswerCache
  readonly services: Services
  /** Every registered task by name and alias. */
  readonly tasks: ReadonlyMap<string, Task>
  /** In order; the first that recognises the transport's credentials decides. */
  readonly verifiers: readonly Verifier[]
  readonly limitCalls: CallLimits
  readonly audit: Pick<Audit, 'change'>
  /** Writes and reads the answers that are stored with idempotency keys. */
  readonly answerSeal: AnswerSeal
  readonly observe: Observe
  /** Counts what was refused because a bound was reached, by what was asked and by the bound. */
  readonly refused?: ((what: string, limit: string) => void) | undefined
  /** Absent when spans are not exported. */
  readonly spans: CallSpans | undefined
  /** Records calls of agents that a person watches. */
  readonly inspector?: CallInspector | undefined
  readonly clock: () => Date
  readonly log: Logger
  readonly claims: Claims
  readonly idempotency: {
    readonly ttlMs: number
    readonly tombstoneMs: number
    readonly leaseMs: number
    readonly waitMs: number
  }
}

/** What the steps know of a call so far. A step that learns something passes on a new state. */
export interface State {
  readonly call: Call
  readonly deps: PipelineDeps
  readonly now: Date
  /** Of the store, when the call began. */
  readonly dataVersion: string | number
  /** When the call began to keep the event loop, on the clock of `performance.now()`. */
  readonly busySinceMs: number
  readonly log: CallLog
  readonly task: Task | undefined
  /** Contract of the release that the call is answered in; until a release is negotiated, the lowest one that is served. */
  readonly contract: Contract
  /** Contract that the answer is presented under, errors too: `negotiateRelease` sets it. */
  readonly presentation: { contract: Contract }
  readonly tenant?: Tenant
  readonly principal?: Principal
  /** Why the credentials that came do not count; `admit` throws it. */
  readonly refusal?: AdcpError
  readonly account?: Account
  /** The request after it was validated, in the model of the tasks once it is converted. */
  readonly request?: object
  /** Fields of members of the request that have no effect, since nothing knows them. */
  readonly ignored?: readonly string[]
  /** Why the release with which one of these has its effect would refuse it too, by field. */
  readonly laterFaultOf?: ReadonlyMap<string, string>
  /** Set by `replay` for the steps inside it. */
  readonly execution?: Execution
  /** The span that the next one belongs into, while the call is traced. */
  readonly trace?: Context
}

/** How the innermost step runs: inside the effect's transaction when there is one. */
export interface Execution {
  readonly tx: Db
  readonly prepared: unknown
}

export interface Result {
  readonly payload: Readonly<Record<string, unknown>>
  /** The payload as the task made it, whatever the release; absent where nothing presented it. */
  readonly neutral?: Readonly<Record<string, unknown>>
  readonly replayed: boolean
  readonly closed?: true
  readonly summarize?: () => string
  /** The form that the call asks its text to have; absent: that of the principal, or of the client. */
  readonly textForm?: TextForm
}

export type Next = (state: State) => Promise<Result>
export type Step = (state: State, next: Next) => Promise<Result>
