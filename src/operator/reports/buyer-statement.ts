import type { RecordedStatement } from '../../domain/reporting/consumer-status.ts'
import type { Mismatch } from '../../domain/reporting/mismatch.ts'
import type { Period } from '../../domain/reporting/period-calendar.ts'
import type { CaseRow } from '../../store/reporting/cases.ts'
import type { ReportOwner } from '../../store/reporting/generations.ts'

/** Where the newest that a buyer said of a report stands beside what was published. */
export type StatementState = (typeof STATEMENT_STATES)[number]
export const STATEMENT_STATES = [
  'agreed',
  'corrected',
  'rereading',
  'open',
  'acknowledged',
  'adjusted',
  'waived',
  'missing',
  'awaited',
] as const

/** What is said of: the report of a period (sync_reporting_status), its files for billing, or a correction of it (sync_reporting_receipts). */
export const STATEMENT_SUBJECTS = ['report', 'files', 'correction'] as const

/** The newest that a buyer said of one report, of its files or of a correction. */
export interface BuyerStatement {
  readonly owner: ReportOwner
  readonly about: (typeof STATEMENT_SUBJECTS)[number]
  /** As the buyer named it, with its version. */
  readonly configuration: string
  readonly period: Period
  /** Undefined: nothing yet, and something is due. */
  readonly said: RecordedStatement['consumer_status'] | 'accepted' | 'rejected' | undefined
  readonly code: string | undefined
  readonly revisionId: string | undefined
  readonly adjustmentId: string | undefined
  readonly recordedAt: string | undefined
  readonly state: StatementState
  /** The published report that it contradicts. */
  readonly issue: Pick<Mismatch, 'issueId' | 'party' | 'openedAt'> | undefined
  readonly decision: CaseRow | undefined
  /** Orders that the report is about. */
  readonly orderIds: readonly string[]
  /** What reports of the same orders and period share; undefined where nothing is owed. */
  readonly sliceId: string | undefined
}
