import { hash } from 'node:crypto'
import type { MediaBuy } from '../media-buy/media-buy.ts'
import { coverageOf } from './coverage.ts'
import { FORMS, type ReportForm } from './form.ts'
import { dueAt, type Generation, offeringOf, timeZoneOf } from './generation.ts'
import { type FeedPurpose, type Finality, offeringNamed, reconciliationMode, scheduleOf } from './offering.ts'
import type { Period } from './period-calendar.ts'

/**
 * A report that is owed: of one generation and one period, with the orders that were known by its end, as they were
 * when it was recorded (minutes later, unless the server was away). Never changes.
 */
export interface Obligation {
  readonly obligationId: string
  readonly configId: string
  readonly version: number
  readonly offeringId: string
  readonly feedPurpose: FeedPurpose
  readonly finality: Finality
  readonly period: Period
  /** Whose day the period is; absent: of UTC. */
  readonly timeZone?: string
  readonly expectedAt: string
  readonly accountId: string
  /** In ascending order of code points. */
  readonly mediaBuyIds: readonly string[]
  readonly packageIds: readonly string[]
  /** Where files of its reports are; absent: it has none. */
  readonly destinationRef?: string
}

/** How the reports of an obligation are written. */
export function formOf({ offeringId }: Pick<Obligation, 'offeringId'>): ReportForm {
  return FORMS[offeringNamed(offeringId).form]
}

/** The reference of the place where files of a buyer are: it names the buyer of a publisher, and is no permission. */
export function destinationRefOf({ tenantId, principalId }: { readonly tenantId: string; readonly principalId: string }): string {
  return `reporting-destination.${shortHash(['destination', tenantId, principalId])}`
}

/** What obligations of one account, form and period that have the same media buys share: their revisions. */
export function sliceOf(
  obligation: Pick<Obligation, 'accountId' | 'period' | 'mediaBuyIds' | 'offeringId' | 'timeZone'>,
): string {
  const { accountId, period, mediaBuyIds, timeZone } = obligation
  const slice = ['slice', formOf(obligation).definitionId, accountId, period.start, mediaBuyIds]
  // Days of two time zones may begin at the same moment and differ in length.
  return shortHash(timeZone === undefined ? slice : [...slice, timeZone])
}

export function obligationIdOf(accountId: string, { configId, version }: Generation, period: Period): string {
  return `reporting-obligation.${shortHash(['obligation', accountId, configId, version, period.start])}`
}

/** 24 hexadecimal digits of the SHA-256 of a value. */
export function shortHash(value: unknown): string {
  return hash('sha256', JSON.stringify(value), 'hex').slice(0, 24)
}

/** The obligation of an ended period, over the media buys that were known when it ended and whose flights touch it. */
export function obligationOf(
  { accountId, destinationRef }: { readonly accountId: string; readonly destinationRef: string },
  generation: Generation,
  period: Period,
  buys: readonly MediaBuy[],
): Obligation {
  const offering = offeringOf(generation)
  const timeZone = timeZoneOf(generation)
  const { media_buy_ids: named } = generation.config.scope
  const covered = buys.filter((buy) => (named ? named.includes(buy.mediaBuyId) : touches(buy, period)))
  return {
    obligationId: obligationIdOf(accountId, generation, period),
    configId: generation.configId,
    version: generation.version,
    offeringId: offering.offeringId,
    feedPurpose: offering.feedPurpose,
    finality: offering.finality,
    period,
    ...(timeZone !== 'UTC' && { timeZone }),
    expectedAt: dueAt(generation, period),
    accountId,
    mediaBuyIds: named ? [...named].sort() : covered.map(({ mediaBuyId }) => mediaBuyId).sort(),
    packageIds: covered.flatMap(({ packages }) => packages.map(({ packageId }) => packageId)).sort(),
    ...(offering.format !== undefined && { destinationRef }),
  }
}

function touches(buy: MediaBuy, { start, end }: Period): boolean {
  const isOver = buy.rejection !== undefined || (buy.cancellation !== undefined && buy.cancellation.canceledAt <= start)
  return buy.createdAt <= end && buy.startsAt < end && buy.endsAt > start && !isOver
}

/** The period of a report, on the wire. */
export function presentPeriod({ period: { start, end }, timeZone = 'UTC' }: Pick<Obligation, 'period' | 'timeZone'>) {
  return { start, end, source_timezone: timeZone }
}

/** The members of an obligation that never change (AdCP 3.2, core/reporting-obligation.json). */
export function presentObligation(obligation: Obligation) {
  const { mediaBuyIds, packageIds, period, feedPurpose, finality, destinationRef } = obligation
  const { definitionId, profile } = formOf(obligation)
  return {
    reporting_obligation_id: obligation.obligationId,
    delivery_config_id: obligation.configId,
    delivery_config_version: obligation.version,
    report_definition_id: definitionId,
    feed_purpose: feedPurpose,
    reporting_profile: profile.id,
    account_id: obligation.accountId,
    media_buy_ids: [...mediaBuyIds],
    scope_resolved_at: period.end,
    coverage: coverageOf(mediaBuyIds, packageIds, period.end),
    period: presentPeriod(obligation),
    expected_at: obligation.expectedAt,
    schedule: scheduleOf(
      { ...offeringNamed(obligation.offeringId), dueHours: hoursBetween(period.end, obligation.expectedAt) },
      obligation.timeZone,
    ),
    ...(destinationRef !== undefined && { destination_ref: destinationRef }),
    required_finality: finality,
    reconciliation_mode: reconciliationMode(offeringNamed(obligation.offeringId)),
  }
}

/** Characters of the items of a page at most, as they are stored; an answer names each id of an obligation two or three times. */
export const MOST_CHARACTERS = 200_000

/** The first items of a page that are not too large together; one at least. */
export function withinSize<T>(items: readonly T[]): readonly T[] {
  let characters = 0
  const end = items.findIndex((item, index) => {
    characters += JSON.stringify(item).length
    return index > 0 && characters > MOST_CHARACTERS
  })
  return end === -1 ? items : items.slice(0, end)
}

function hoursBetween(from: string, until: string): number {
  return (Date.parse(until) - Date.parse(from)) / 3_600_000
}
