import type { TakenBackColumns } from './rows.ts'

/** When something that was recorded wrongly was taken back, by whom, and why: it stays, and counts for nothing. */
export interface TakenBack {
  /** ISO 8601. */
  readonly at: string
  readonly by: string
  readonly reason: string
}

/** The columns of a row that is new. */
export const COUNTS: TakenBackColumns = { taken_back_at: null, taken_back_by: null, taken_back_reason: null }

/** The columns of a row that is taken back. */
export function takenBackColumns({ at, by, reason }: TakenBack): TakenBackColumns {
  return { taken_back_at: at, taken_back_by: by, taken_back_reason: reason }
}

/** Undefined: it counts. */
export function takenBackIn({
  taken_back_at: at,
  taken_back_by: by,
  taken_back_reason: reason,
}: TakenBackColumns): TakenBack | undefined {
  return at === null ? undefined : { at, by: by ?? '', reason: reason ?? '' }
}
