/**
 * Counters of what visitors have had of lines with a frequency cap, outside the store, shared by all processes: what Valkey is. They are a copy of what the store has: a
 * visitor whom the counters do not have, or lost, is loaded from the store, so that losing the counters does not exceed a cap. An implementation knows nothing of ads: it
 * counts ids of decisions by line, in windows of time.
 */
export interface CapCounters {
  /**
   * Takes, in one step that no other process comes between, the first admissible candidate of each slot. Rejects when the counters do not answer in time: what was taken then may
   * stay taken until its impression cannot come any more.
   */
  reserve(request: ReserveRequest): Promise<Reserved>
  /** Takes back what was reserved and is not shown. */
  release(viewer: CountedViewer, reserved: readonly { readonly lineId: string; readonly decisionId: string }[]): Promise<void>
  /** Forgets a visitor: what the store has of this visitor is loaded at the next decision. Rejects when the counters do not answer. */
  forget(viewer: CountedViewer): Promise<void>
  /** Why nothing can be counted at the moment; undefined while the counters answer. */
  fault(): string | undefined
  close(): Promise<void>
}

export interface CountedViewer {
  readonly tenantId: string
  /** Pseudonym. */
  readonly viewer: string
}

/** A line that a slot may show. Without limits it needs no counting. */
export interface CountedCandidate {
  readonly lineId: string
  /** How often the page may show the line, this slot included. */
  readonly most: number
  /** At most so many in a window (milliseconds; null: since ever). */
  readonly limits: readonly { readonly most: number; readonly windowMs: number | null }[]
}

export interface CountedExposure {
  readonly decisionId: string
  readonly lineId: string
  /** Of the impression, or of the decision whose impression may still come, in milliseconds. */
  readonly at: number
  readonly isConfirmed: boolean
}

export interface ReserveRequest extends CountedViewer {
  /** In milliseconds. */
  readonly now: number
  /** Exposures have to be known since then, in milliseconds. */
  readonly since: number
  /** How long a decision counts, in any window, although its impression is not known. */
  readonly pendingMs: number
  readonly slots: readonly { readonly decisionId: string; readonly candidates: readonly CountedCandidate[] }[]
  /** How often the page shows lines already. */
  readonly shown: Readonly<Record<string, number>>
  /** What the store has of the visitor since `since`, read for this request. */
  readonly known?: readonly CountedExposure[]
}

/**
 * The candidate of each slot by its place in the list, or -1. Nothing is taken when the answer is a word: `unknown`: the counters do not have the visitor, or lost some of what they
 * had; `unsettled`: it depends on decisions whose impression may have come or cannot come any more. Both are asked again with what the store knows. `young`:
 * the counters began only now, and what was decided with earlier ones may still be on its way to the store.
 */
export type Reserved = readonly number[] | 'unknown' | 'unsettled' | 'young'
