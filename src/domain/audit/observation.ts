/** What is known of a call when it has ended: for metrics and the audit log. Ids only, never arguments. */
export interface Observation {
  readonly requestId: string
  readonly transport: string
  /** Name of the task; `unknown` when there is no such task. */
  readonly task: string
  readonly mutating: boolean
  readonly at: Date
  readonly ms: number
  /** `ok`, or the error code. */
  readonly outcome: string
  /** Why the credentials do not count, e.g. `expired`: words of ours, never the caller's. */
  readonly reason?: string
  readonly replayed: boolean
  readonly tenant: string | undefined
  readonly principal: string | undefined
  readonly credential: string | undefined
  readonly account: string | undefined
}

/** Takes note of a call that has ended. Must neither throw nor wait. */
export type Observe = (observation: Observation) => void
