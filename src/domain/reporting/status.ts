import { DAY_MS } from '../calendar/instant.ts'
import { requiredRevision } from './consumer-status.ts'
import { coverageOf } from './coverage.ts'
import { type Generation, nameOf, nextPeriodStart, offeringOf } from './generation.ts'
import { mismatchIssue, overdueIssue, receiptIssue, type StatusIssue } from './issues.ts'
import type { ReportLedger, RevisionOutline } from './ledger.ts'
import type { Materialization } from './materialization.ts'
import { type Mismatch, mismatchOf } from './mismatch.ts'
import { type Obligation, sliceOf } from './obligation.ts'
import { RECOVERY_SECONDS, RETENTION_DAYS } from './offering.ts'
import type { Period } from './period-calendar.ts'
import { reconciliationOf } from './reconciliation.ts'
import type { Revision } from './revision.ts'

export type Health = 'healthy' | 'waiting' | 'delayed' | 'action_required' | 'complete'

type Ledger = ReportLedger<RevisionOutline>

/** What the buyer's newest statement contradicts of an obligation, unless both sides agreed to leave it at that. */
export function contradictionOf(obligation: Obligation, ledger: Ledger): Mismatch | undefined {
  const chain = ledger.statements.get(obligation.obligationId)
  const found = chain && mismatchOf(obligation, ledger.revisions.get(sliceOf(obligation)) ?? [], chain, ledger.asOf)
  return found && ledger.cases.get(found.issueId) !== 'waived' ? found : undefined
}

/** Where an obligation stands: from the schedule, what was published, and what the buyer says of that; never from whether somebody asked. */
export function healthOf(obligation: Obligation, ledger: Ledger): Health {
  const health = productionOf(obligation, ledger)
  if (health !== 'complete') return health
  if (reconciliationOf(obligation, ledger).issues.length > 0) return 'action_required'
  return contradictionOf(obligation, ledger)?.severity ?? health
}

/** Whether the report that is required, and its files where it has files, are there. */
export function isComplete(obligation: Obligation, ledger: Ledger): boolean {
  return productionOf(obligation, ledger) === 'complete'
}

function productionOf(obligation: Obligation, ledger: Ledger): Health {
  const { revisions, asOf } = ledger
  const required = requiredRevision(obligation, revisions.get(sliceOf(obligation)) ?? [])
  if (required && (obligation.destinationRef === undefined || filesOf(obligation, required, ledger))) return 'complete'
  const late = asOf.getTime() - Date.parse(obligation.expectedAt)
  if (late <= 0) return 'waiting'
  return late <= RECOVERY_SECONDS * 1_000 ? 'delayed' : 'action_required'
}

/** The files of a report for an obligation. */
export function filesOf(
  { obligationId }: Pick<Obligation, 'obligationId'>,
  { reporting_revision_id: id }: Pick<Revision, 'reporting_revision_id'>,
  { materializations }: Pick<Ledger, 'materializations'>,
): Materialization | undefined {
  return materializations.get(obligationId)?.find((each) => each.reporting_revision_id === id)
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
  const { period } = scope
  const wanted = scope.mediaBuyIds && new Set(scope.mediaBuyIds)
  return ledger.obligations
    .filter(
      (each) =>
        names.has(nameOf(each)) &&
        (!period || (each.period.start >= period.start && each.period.end <= period.end)) &&
        (!wanted || each.mediaBuyIds.some((id) => wanted.has(id))),
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

/** The summary of a scope (AdCP 3.2, get_reporting_status, view `summary`). A step is an obligation, which may name all orders of an account. */
export function* summaryOf(ledger: Ledger, scope: StatusScope) {
  const obligations = obligationsIn(ledger, scope)
  const healths: Health[] = []
  const issues: StatusIssue[] = []
  const [buys, packages] = [new Set<string>(), new Set<string>()]
  let silent = 0
  for (const each of obligations) {
    yield
    healths.push(healthOf(each, ledger))
    issues.push(...issuesIn(each, ledger))
    for (const id of each.mediaBuyIds) buys.add(id)
    for (const id of each.packageIds) packages.add(id)
    if (isSilent(each, ledger)) silent += 1
  }
  const count = (health: Health) => healths.filter((each) => each === health).length
  const health = aggregate(healths, isClosed(ledger, scope))
  const next = nextExpected(ledger, scope, obligations, healths, health)
  return {
    health,
    coverage: coverageOf([...buys].sort(), [...packages].sort(), ledger.asOf.toISOString()),
    data_through: null,
    ...(next !== undefined && { next_expected_at: next }),
    obligation_counts: {
      total: obligations.length,
      waiting: count('waiting'),
      healthy: count('healthy'),
      delayed: count('delayed'),
      action_required: count('action_required'),
      complete: count('complete'),
      consumer_status_pending: silent,
    },
    // All that are open: where one needs an action, those that are only late stand beside it.
    issues: issues.sort((a, b) => (a.severity < b.severity ? -1 : a.severity > b.severity ? 1 : 0)).slice(0, MOST_ISSUES),
  }
}

/** What is wrong with an obligation: it is late, or its buyer contradicts it or has not accepted it. */
export function issuesIn(obligation: Obligation, ledger: Ledger): readonly StatusIssue[] {
  const production = productionOf(obligation, ledger)
  if (production !== 'complete')
    return production === 'waiting' ? [] : [overdueIssue(obligation, production === 'delayed' ? 'delayed' : 'action_required')]
  const isTakenUp = (id: string) => ledger.cases.has(id)
  const mismatch = contradictionOf(obligation, ledger)
  return [
    ...reconciliationOf(obligation, ledger).issues.map((issue) => receiptIssue(obligation, issue, isTakenUp(issue.issueId))),
    ...(mismatch ? [mismatchIssue(obligation, mismatch, isTakenUp(mismatch.issueId))] : []),
  ]
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
