import { isDeepStrictEqual } from 'node:util'
import { AdcpError } from '../../protocol/errors.ts'
import { DAY_MS } from '../calendar/instant.ts'
import { FORMS } from './form.ts'
import { dueAt, type Generation, isOwedPeriod, offeringOf, timeZoneOf } from './generation.ts'
import { type Obligation, obligationIdOf } from './obligation.ts'
import { RETENTION_DAYS } from './offering.ts'
import type { Period } from './period-calendar.ts'
import type { Revision } from './revision.ts'

/** What a buyer says of the report of one period (AdCP 3.2, core/reporting-consumer-status.json). Its schema is checked before. */
export interface Statement {
  readonly reporting_status_id: string
  readonly supersedes_reporting_status_id?: string
  readonly delivery_config_id: string
  readonly delivery_config_version: number
  readonly report_definition_id: string
  readonly period: Period & { readonly source_timezone: string }
  readonly reporting_obligation_id?: string
  readonly reporting_revision_id?: string
  readonly observed_revision_content_sha256?: string
  readonly consumer_status: 'received' | 'obligation_missing' | 'revision_missing' | 'unreadable' | 'content_mismatch'
  readonly status_as_of: string
  readonly mismatch_code?: string
  readonly failure_code?: string
  readonly seller_ledger_snapshot_id?: string
  readonly seller_ledger_as_of?: string
  readonly [member: string]: unknown
}

/** A statement as it was recorded. It never changes. */
export type RecordedStatement = Statement & { readonly recorded_at: string }

/** What a statement is judged by. */
export interface StatementFacts {
  readonly accountId: string
  readonly generations: readonly Generation[]
  /** The obligation of the period; undefined where none is recorded. */
  readonly obligation: Obligation | undefined
  /** Reports of the obligation, in order. */
  readonly revisions: readonly Revision[]
  /** What the buyer said of the period before, in order. */
  readonly chain: readonly RecordedStatement[]
  /** Whether a snapshot was issued with this moment to this buyer of this account. */
  readonly isSnapshot: (id: string, asOf: string) => boolean
  readonly now: Date
}

/** Clocks of buyers may go fast by so much. */
const CLOCK_SKEW_MS = 5 * 60_000
/** What buyers can say of one period: each is kept. */
const MOST_STATEMENTS = 64

/** The name that all statements of one period have in common, whether or not its obligation is recorded; undefined for a configuration that is not the buyer's. */
export function chainOf(statement: Statement, accountId: string, generations: readonly Generation[]): string | undefined {
  const generation = generationOf(statement, generations)
  const start = new Date(statement.period.start).toISOString()
  return generation && obligationIdOf(accountId, generation, { start, end: '' })
}

function generationOf(statement: Statement, generations: readonly Generation[]): Generation | undefined {
  return generations.find(
    ({ configId, version }) => configId === statement.delivery_config_id && version === statement.delivery_config_version,
  )
}

/** The report that an obligation requires now: the final one, else the newest snapshot where that is enough. */
export function requiredRevision<R extends Pick<Revision, 'finality'>>(
  { finality }: Pick<Obligation, 'finality'>,
  revisions: readonly R[],
): R | undefined {
  const official = revisions.find((revision) => revision.finality === 'official')
  return official ?? (finality === 'snapshot' ? revisions.at(-1) : undefined)
}

/**
 * The statement as it is to be recorded; undefined for one that is recorded already. Throws IDEMPOTENCY_CONFLICT for other content under a known id, CONFLICT for one
 * that does not follow the newest, INVALID_REQUEST, and REFERENCE_NOT_FOUND alike for everything that is not there or not the buyer's.
 */
export function judgeStatement(statement: Statement, facts: StatementFacts, at: string): RecordedStatement | undefined {
  const known = facts.chain.find((each) => each.reporting_status_id === statement.reporting_status_id)
  if (known) {
    const { recorded_at: _recorded, ...before } = known
    if (isDeepStrictEqual(before, statement)) return undefined
    const message = `${at}.reporting_status_id was recorded with other content; send what changed under a new id`
    throw new AdcpError('IDEMPOTENCY_CONFLICT', message, { field: `${at}.reporting_status_id` })
  }
  requirePeriod(statement, facts, at)
  requireNamed(statement, facts, at)
  requireNext(statement, facts, at)
  return { ...statement, recorded_at: facts.now.toISOString() }
}

/** One text for all that is not there, so that it says nothing of others. */
export function unavailable(field: string): AdcpError {
  return new AdcpError('REFERENCE_NOT_FOUND', 'Reporting status resource is unavailable.', { field })
}

function requirePeriod(statement: Statement, { generations, now }: StatementFacts, at: string): void {
  const generation = generationOf(statement, generations)
  if (!generation) throw unavailable(`${at}.delivery_config_id`)
  if (statement.report_definition_id !== FORMS[offeringOf(generation).form].definitionId)
    throw unavailable(`${at}.report_definition_id`)
  const period = periodOf(statement)
  const retained = now.getTime() - RETENTION_DAYS * DAY_MS <= Date.parse(period.start)
  if (statement.period.source_timezone !== timeZoneOf(generation) || !retained || !isOwedPeriod(generation, period, now))
    throw unavailable(`${at}.period`)
  const asOf = Date.parse(statement.status_as_of)
  if (asOf > now.getTime() + CLOCK_SKEW_MS || asOf < Date.parse(period.start)) {
    const message = `${at}.status_as_of has to be between the start of the period and now`
    throw new AdcpError('INVALID_REQUEST', message, { field: `${at}.status_as_of` })
  }
  const due = dueAt(generation, period)
  if (statement.consumer_status.endsWith('_missing') && asOf < Date.parse(due)) {
    const message = `${at}: a report cannot be missing before it is due, at ${due}`
    throw new AdcpError('INVALID_REQUEST', message, { field: `${at}.status_as_of` })
  }
}

/** The period of a statement, as our own are written. */
function periodOf({ period }: Statement): Period {
  return { start: new Date(period.start).toISOString(), end: new Date(period.end).toISOString() }
}

function requireNamed(statement: Statement, { obligation, revisions, isSnapshot }: StatementFacts, at: string): void {
  const { reporting_obligation_id: obligationId, reporting_revision_id: revisionId } = statement
  if (obligationId !== undefined && obligationId !== obligation?.obligationId) throw unavailable(`${at}.reporting_obligation_id`)
  const snapshot = statement.seller_ledger_snapshot_id
  if (snapshot !== undefined && !isSnapshot(snapshot, statement.seller_ledger_as_of ?? ''))
    throw unavailable(`${at}.seller_ledger_snapshot_id`)
  if (revisionId === undefined || !obligation) return
  const named = revisions.find((revision) => revision.reporting_revision_id === revisionId)
  if (!named) throw unavailable(`${at}.reporting_revision_id`)
  const digest = statement.observed_revision_content_sha256
  if (digest !== undefined && digest.toLowerCase() !== named.revision_content_sha256) {
    const message = `${at}.observed_revision_content_sha256 is not the digest of that report; read it again, or send unreadable with integrity_mismatch`
    throw new AdcpError('INVALID_REQUEST', message, { field: `${at}.observed_revision_content_sha256` })
  }
  if (statement.consumer_status === 'content_mismatch' && named !== requiredRevision(obligation, revisions)) {
    const message = `${at}.reporting_revision_id is not the report that is required now; read the newest and judge that`
    throw new AdcpError('INVALID_REQUEST', message, { field: `${at}.reporting_revision_id` })
  }
}

function requireNext(statement: Statement, { chain }: StatementFacts, at: string): void {
  const { supersedes_reporting_status_id: supersedes } = statement
  const field = `${at}.supersedes_reporting_status_id`
  const leaf = chain.at(-1)
  if (supersedes !== undefined && !chain.some((each) => each.reporting_status_id === supersedes)) throw unavailable(field)
  if (supersedes !== leaf?.reporting_status_id) {
    const message = `${field} has to be ${leaf?.reporting_status_id}, which is your newest statement of that period`
    throw new AdcpError('CONFLICT', message, { field })
  }
  if (leaf && Date.parse(statement.status_as_of) < Date.parse(leaf.status_as_of)) {
    const message = `${at}.status_as_of is before that of the statement that it supersedes, ${leaf.status_as_of}`
    throw new AdcpError('INVALID_REQUEST', message, { field: `${at}.status_as_of` })
  }
  if (chain.length >= MOST_STATEMENTS) {
    const message = `${at}: of one period at most ${MOST_STATEMENTS} statements are kept`
    throw new AdcpError('INVALID_STATE', message, { field: at })
  }
}
