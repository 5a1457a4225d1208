import { DAY_MS } from '../calendar/instant.ts'
import type { RecordedStatement } from './consumer-status.ts'
import { coverageOf } from './coverage.ts'
import { type Generation, nameOf, nextPeriodStart, offeringOf, type Period } from './generation.ts'
import { issuesOf } from './issues.ts'
import { type CaseState, type Mismatch, mismatchOf } from './mismatch.ts'
import { type Obligation, presentObligation, sliceOf } from './obligation.ts'
import { RECOVERY_SECONDS, RETENTION_DAYS } from './offering.ts'
import type { Adjustment, Revision } from './revision.ts'

export type Health = 'healthy' | 'waiting' | 'delayed' | 'action_required' | 'complete'

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
)

/** The records by what they are about, at a moment. */
export interface ReportLedger<R extends RevisionOutline = Revision> {
  readonly generations: readonly Generation[]
  readonly obligations: readonly (Obligation & { readonly seq: number })[]
  readonly revisions: ReadonlyMap<string, readonly R[]>
  readonly adjustments: ReadonlyMap<string, readonly Adjustment[]>
  /** What the buyer said of each obligation, in order. */
  readonly statements: ReadonlyMap<string, readonly RecordedStatement[]>
  /** Issues that the publisher's people decided on, by id. */
  readonly cases: ReadonlyMap<string, CaseState>
  readonly asOf: Date
}

export function ledgerOf<R extends RevisionOutline>(
  generations: readonly Generation[],
  records: readonly RecordOf<R>[],
  asOf: Date,
  cases: ReadonlyMap<string, CaseState> = new Map(),
): ReportLedger<R> {
  const revisions = new Map<string, R[]>()
  const adjustments = new Map<string, Adjustment[]>()
  const statements = new Map<string, RecordedStatement[]>()
  const obligations: (Obligation & { seq: number })[] = []
  for (const record of records) {
    if (record.kind === 'obligation') obligations.push({ ...record.obligation, seq: record.seq })
    else if (record.kind === 'revision') listIn(revisions, record.sliceId).push(record.revision)
    else if (record.kind === 'adjustment') listIn(adjustments, record.sliceId).push(record.adjustment)
    else listIn(statements, record.sliceId).push(record.statement)
  }
  return { generations, obligations, revisions, adjustments, statements, cases, asOf }
}

type Ledger = ReportLedger<RevisionOutline>

function listIn<T>(lists: Map<string, T[]>, key: string): T[] {
  const known = lists.get(key) ?? []
  lists.set(key, known)
  return known
}

/** What the buyer's newest statement contradicts of an obligation, unless both sides agreed to leave it at that. */
export function contradictionOf(obligation: Obligation, ledger: Ledger): Mismatch | undefined {
  const chain = ledger.statements.get(obligation.obligationId)
  const found = chain && mismatchOf(obligation, ledger.revisions.get(sliceOf(obligation)) ?? [], chain, ledger.asOf)
  return found && ledger.cases.get(found.issueId) !== 'waived' ? found : undefined
}

/** Where an obligation stands: from the schedule, what was published, and what the buyer says of that; never from whether somebody asked. */
export function healthOf(obligation: Obligation, ledger: Ledger): Health {
  const health = productionOf(obligation, ledger)
  return health === 'complete' ? (contradictionOf(obligation, ledger)?.severity ?? health) : health
}

function productionOf(obligation: Obligation, { revisions, asOf }: Ledger): Health {
  const published = revisions.get(sliceOf(obligation)) ?? []
  const isMet =
    obligation.finality === 'snapshot' ? published.length > 0 : published.some(({ finality }) => finality === 'official')
  if (isMet) return 'complete'
  const late = asOf.getTime() - Date.parse(obligation.expectedAt)
  if (late <= 0) return 'waiting'
  return late <= RECOVERY_SECONDS * 1_000 ? 'delayed' : 'action_required'
}

/** An obligation with where it stands (AdCP 3.2, core/reporting-obligation.json). */
export function presentStanding(obligation: Obligation, ledger: Ledger) {
  const slice = sliceOf(obligation)
  const health = healthOf(obligation, ledger)
  const revisions = ledger.revisions.get(slice)?.length ?? 0
  const statements = ledger.statements.get(obligation.obligationId) ?? []
  const current = statements.at(-1)
  return {
    ...presentObligation(obligation),
    health,
    production_status: revisions > 0 ? ('published' as const) : ('pending' as const),
    revision_count: revisions,
    adjustment_count: ledger.adjustments.get(slice)?.length ?? 0,
    consumer_status_count: statements.length,
    ...(current && { current_consumer_status_id: current.reporting_status_id }),
    issues: issuesIn(obligation, health, ledger),
  }
}

/** What a question of status is about. */
export interface StatusScope {
  readonly mediaBuyIds?: readonly string[] | undefined
  readonly configIds?: readonly string[] | undefined
  readonly feedPurposes?: readonly string[] | undefined
  readonly finality?: readonly string[] | undefined
  /** Absent: all that is kept, and what is to come. */
  readonly period?: Period | undefined
}

export function generationsIn({ generations }: Ledger, scope: StatusScope): readonly Generation[] {
  return generations.filter((generation) => {
    const { feedPurpose, finality } = offeringOf(generation)
    return (
      (scope.configIds?.includes(generation.configId) ?? true) &&
      (scope.feedPurposes?.includes(feedPurpose) ?? true) &&
      (scope.finality?.includes(finality) ?? true)
    )
  })
}

/** The obligations of a scope, in order of their periods. */
export function obligationsIn(ledger: Ledger, scope: StatusScope): Ledger['obligations'] {
  const names = new Set(generationsIn(ledger, scope).map(nameOf))
  const { period, mediaBuyIds } = scope
  return ledger.obligations
    .filter(
      (each) =>
        names.has(nameOf(each)) &&
        (!period || (each.period.start >= period.start && each.period.end <= period.end)) &&
        (!mediaBuyIds || each.mediaBuyIds.some((id) => mediaBuyIds.includes(id))),
    )
    .toSorted((a, b) => (a.period.start < b.period.start ? -1 : a.period.start > b.period.start ? 1 : a.seq - b.seq))
}

/** The denominator of an answer (AdCP 3.2, get-reporting-status-response.json, `scope`). */
export function presentScope(ledger: Ledger, scope: StatusScope, horizon: Period) {
  const generations = generationsIn(ledger, scope)
  const used = generations.map(offeringOf)
  return {
    period_start: horizon.start,
    period_end: horizon.end,
    scope_closed: isClosed(ledger, scope),
    ...(scope.mediaBuyIds ? { media_buy_ids: [...scope.mediaBuyIds] } : {}),
    all_accessible_media_buys: scope.mediaBuyIds === undefined,
    delivery_config_generations: generations.map((generation) => ({
      delivery_config_id: generation.configId,
      delivery_config_version: generation.version,
      feed_purpose: offeringOf(generation).feedPurpose,
    })),
    feed_purposes: [...new Set(used.map(({ feedPurpose }) => feedPurpose))],
    finality: [...new Set(used.map(({ finality }) => finality))],
    ledger_retained_from: retainedFrom(ledger).toISOString(),
    coverage_complete: retainedFrom(ledger).toISOString() <= horizon.start,
  }
}

/** Records from before this moment may have been dropped. */
function retainedFrom({ asOf }: Ledger): Date {
  return new Date(asOf.getTime() - RETENTION_DAYS * DAY_MS)
}

/** Whether no further obligation can come into a scope: its periods are over, or nothing is reported any more. */
function isClosed(ledger: Ledger, scope: StatusScope): boolean {
  if (scope.period) return scope.period.end <= ledger.asOf.toISOString()
  return generationsIn(ledger, scope).every((generation) => nextPeriodStart(generation, ledger.asOf) === undefined)
}

/** The summary of a scope (AdCP 3.2, get_reporting_status, view `summary`). */
export function summaryOf(ledger: Ledger, scope: StatusScope) {
  const obligations = obligationsIn(ledger, scope)
  const healths = obligations.map((each) => healthOf(each, ledger))
  const count = (health: Health) => healths.filter((each) => each === health).length
  const health = aggregate(healths, isClosed(ledger, scope))
  const buys = [...new Set(obligations.flatMap(({ mediaBuyIds }) => mediaBuyIds))].sort()
  const packages = [...new Set(obligations.flatMap(({ packageIds }) => packageIds))].sort()
  const next = nextExpected(ledger, scope, obligations, healths, health)
  return {
    health,
    coverage: coverageOf(buys, packages, ledger.asOf.toISOString()),
    data_through: null,
    ...(next !== undefined && { next_expected_at: next }),
    obligation_counts: {
      total: obligations.length,
      waiting: count('waiting'),
      healthy: count('healthy'),
      delayed: count('delayed'),
      action_required: count('action_required'),
      complete: count('complete'),
      consumer_status_pending: obligations.filter((each) => isSilent(each, ledger)).length,
    },
    // All that are open: where one needs an action, those that are only late stand beside it.
    issues: obligations
      .flatMap((each, index) => issuesIn(each, healths[index] ?? 'waiting', ledger))
      .sort((a, b) => (a.severity < b.severity ? -1 : a.severity > b.severity ? 1 : 0))
      .slice(0, MOST_ISSUES),
  }
}

function issuesIn(obligation: Obligation, health: Health, ledger: Ledger) {
  const mismatch = contradictionOf(obligation, ledger)
  return issuesOf(obligation, health, mismatch, mismatch && ledger.cases.has(mismatch.issueId))
}

/** Whether a buyer should have said by now whether it has a report, and has not: that counts, and changes nothing else. */
function isSilent({ obligationId, expectedAt }: Obligation, { statements, asOf }: Ledger): boolean {
  return asOf.getTime() > Date.parse(expectedAt) + RECOVERY_SECONDS * 1_000 && !statements.has(obligationId)
}

/** More would say no more. */
const MOST_ISSUES = 100

function aggregate(healths: readonly Health[], closed: boolean): Health {
  if (healths.includes('action_required')) return 'action_required'
  if (healths.includes('delayed')) return 'delayed'
  if (closed && healths.every((health) => health === 'complete')) return 'complete'
  return healths.includes('complete') ? 'healthy' : 'waiting'
}

/** When the next report is due; of a scope that is complete, when the next period outside of it begins. */
function nextExpected(
  ledger: Ledger,
  scope: StatusScope,
  obligations: readonly Obligation[],
  healths: readonly Health[],
  health: Health,
): string | undefined {
  if (health === 'complete')
    return earliest(generationsIn(ledger, scope).map((generation) => nextPeriodStart(generation, ledger.asOf)))
  return earliest(obligations.map(({ expectedAt }, index) => (healths[index] === 'waiting' ? expectedAt : undefined)))
}

function earliest(moments: readonly (string | undefined)[]): string | undefined {
  return moments.filter((moment) => moment !== undefined).sort()[0]
}
