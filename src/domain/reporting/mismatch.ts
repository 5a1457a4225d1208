import type { Side } from '../party.ts'
import { type RecordedStatement, requiredRevision } from './consumer-status.ts'
import { type Obligation, shortHash } from './obligation.ts'
import { RECOVERY_SECONDS } from './offering.ts'
import type { Revision } from './revision.ts'

/** What the publisher's people made of a contradiction: they look after it, corrected the final report, or both sides agreed to leave it at that. */
export const CASE_STATES = ['acknowledged', 'adjusted', 'waived'] as const
export type CaseState = (typeof CASE_STATES)[number]

/** What of a report is compared with a statement. */
type Outline = Pick<Revision, 'reporting_revision_id' | 'finality' | 'created_at'>

/** A statement of a buyer that contradicts what was published. */
export interface Mismatch {
  readonly issueId: string
  readonly severity: 'delayed' | 'action_required'
  readonly openedAt: string
  /** Who has to do something about it. */
  readonly party: Side
  readonly statement: RecordedStatement
  /** In words, for people. */
  readonly message: string
}

/**
 * What the newest statement of a buyer contradicts of an obligation that is met; undefined where both agree (AdCP 3.2, core/reporting-obligation.json,
 * `consumer_mismatch`). A buyer that has read what was replaced since has as long to read again as the first report had.
 */
export function mismatchOf(
  obligation: Obligation,
  revisions: readonly Outline[],
  chain: readonly RecordedStatement[],
  asOf: Date,
): Mismatch | undefined {
  const statement = chain.at(-1)
  const required = requiredRevision(obligation, revisions)
  if (!statement || !required) return undefined
  const { consumer_status: status, reporting_revision_id: named } = statement
  if (status === 'received') return stale(obligation, revisions, statement, asOf)
  if (status === 'content_mismatch' && named !== required.reporting_revision_id) return undefined
  // The first report that met the obligation: later ones open nothing anew.
  const { created_at: metAt } = (obligation.finality === 'snapshot' ? revisions[0] : required) ?? required
  const openedAt = later(statement.recorded_at, metAt)
  // What was published after the buyer looked is there to be read; else the publisher has to find out.
  const party = status.endsWith('_missing') && metAt > statement.status_as_of ? 'buyer' : 'seller'
  return { ...issue(statement, openedAt, TEXTS[status]), severity: 'action_required', party }
}

const TEXTS = {
  obligation_missing: 'the buyer found no record of the period',
  revision_missing: 'the buyer found no report of the period',
  unreadable: 'the buyer could not read the report',
  content_mismatch: 'the buyer says that the report is not what was agreed',
} as const

function stale(
  { period, expectedAt }: Obligation,
  revisions: readonly Outline[],
  statement: RecordedStatement,
  asOf: Date,
): Mismatch | undefined {
  const read = revisions.findIndex((revision) => revision.reporting_revision_id === statement.reporting_revision_id)
  const next = revisions[read + 1]
  if (read === -1 || !next) return undefined
  const slaMs = Date.parse(expectedAt) - Date.parse(period.end)
  const grace = Date.parse(next.created_at) + (slaMs > 0 ? slaMs : RECOVERY_SECONDS * 1_000)
  const severity = asOf.getTime() < grace ? 'delayed' : 'action_required'
  const opened = later(statement.recorded_at, next.created_at)
  return { ...issue(statement, opened, 'the buyer has read a report that was replaced since'), severity, party: 'buyer' }
}

function issue(statement: RecordedStatement, openedAt: string, text: string) {
  const { reporting_status_id: id, consumer_status: status, failure_code: failure, mismatch_code: mismatch } = statement
  const code = failure ?? mismatch
  const message = code === undefined ? text : `${text}: ${code}`
  return { issueId: `reporting-issue.${shortHash(['mismatch', id, status, openedAt])}`, openedAt, statement, message }
}

const later = (a: string, b: string) => (a > b ? a : b)
