import type { Adjustment } from './adjustment.ts'
import type { RecordedStatement } from './consumer-status.ts'
import type { Generation } from './generation.ts'
import type { Materialization } from './materialization.ts'
import type { CaseState } from './mismatch.ts'
import type { Obligation } from './obligation.ts'
import type { AdjustmentReceipt, Receipt, Recorded } from './receipt.ts'
import type { Revision } from './revision.ts'

/** A record of the reports of an account; `seq` is its place in the order in which they were committed. */
export type ReportRecord = RecordOf<Revision>

/** What of a report its health follows from. */
export type RevisionOutline = Pick<Revision, 'reporting_revision_id' | 'finality' | 'created_at'>

export type RecordOf<R extends RevisionOutline> = { readonly seq: number; readonly sliceId: string } & (
  | { readonly kind: 'obligation'; readonly obligation: Obligation }
  | { readonly kind: 'revision'; readonly revision: R }
  | { readonly kind: 'adjustment'; readonly adjustment: Adjustment }
  /** Its slice is the obligation of its period, whether or not that is recorded. */
  | { readonly kind: 'consumer_status'; readonly statement: RecordedStatement }
  /** Its slice is its obligation, as that of a receipt. */
  | { readonly kind: 'materialization'; readonly materialization: Materialization }
  | { readonly kind: 'receipt'; readonly receipt: Recorded<Receipt> }
  /** Its slice is that of the correction. */
  | { readonly kind: 'adjustment_receipt'; readonly adjustmentReceipt: Recorded<AdjustmentReceipt> }
)

/** The records by what they are about, at a moment. */
export interface ReportLedger<R extends RevisionOutline = Revision> {
  readonly generations: readonly Generation[]
  readonly obligations: readonly (Obligation & { readonly seq: number })[]
  readonly revisions: ReadonlyMap<string, readonly R[]>
  readonly adjustments: ReadonlyMap<string, readonly Adjustment[]>
  /** What the buyer said of each obligation, in order. */
  readonly statements: ReadonlyMap<string, readonly RecordedStatement[]>
  /** Files of each obligation. */
  readonly materializations: ReadonlyMap<string, readonly Materialization[]>
  /** What the buyer accepts and rejects of the files of each obligation, and of the corrections of each slice, in order. */
  readonly receipts: ReadonlyMap<string, readonly Recorded<Receipt>[]>
  readonly adjustmentReceipts: ReadonlyMap<string, readonly Recorded<AdjustmentReceipt>[]>
  /** Issues that the publisher's people decided on, by id. */
  readonly cases: ReadonlyMap<string, CaseState>
  readonly asOf: Date
}

/** Sorts records by what they are about. `asOf`: the moment that the ledger is of; `cases`: issues that people decided on. */
export function ledgerOf<R extends RevisionOutline>(
  generations: readonly Generation[],
  records: readonly RecordOf<R>[],
  asOf: Date,
  cases: ReadonlyMap<string, CaseState> = new Map(),
): ReportLedger<R> {
  const revisions = new Map<string, R[]>()
  const adjustments = new Map<string, Adjustment[]>()
  const statements = new Map<string, RecordedStatement[]>()
  const materializations = new Map<string, Materialization[]>()
  const receipts = new Map<string, Recorded<Receipt>[]>()
  const adjustmentReceipts = new Map<string, Recorded<AdjustmentReceipt>[]>()
  const obligations: (Obligation & { seq: number })[] = []
  for (const record of records) {
    if (record.kind === 'obligation') obligations.push({ ...record.obligation, seq: record.seq })
    else if (record.kind === 'revision') listIn(revisions, record.sliceId).push(record.revision)
    else if (record.kind === 'adjustment') listIn(adjustments, record.sliceId).push(record.adjustment)
    else if (record.kind === 'materialization') listIn(materializations, record.sliceId).push(record.materialization)
    else if (record.kind === 'receipt') listIn(receipts, record.sliceId).push(record.receipt)
    else if (record.kind === 'adjustment_receipt') listIn(adjustmentReceipts, record.sliceId).push(record.adjustmentReceipt)
    else listIn(statements, record.sliceId).push(record.statement)
  }
  const evidence = { materializations, receipts, adjustmentReceipts }
  return { generations, obligations, revisions, adjustments, statements, ...evidence, cases, asOf }
}

function listIn<T>(lists: Map<string, T[]>, key: string): T[] {
  const known = lists.get(key) ?? []
  lists.set(key, known)
  return known
}
