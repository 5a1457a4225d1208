import { DAY_MS } from '../../domain/calendar/instant.ts'
import type { ActingPrincipal } from '../../domain/identity/principal.ts'
import { deliveryOf } from '../../domain/media-buy/delivery.ts'
import type { MediaBuy } from '../../domain/media-buy/media-buy.ts'
import { withConversions } from '../../domain/media-buy/report-conversions.ts'
import { OFFICIAL_AFTER_DAYS, REQUERY_DAYS } from '../../domain/reporting/documents.ts'
import type { Generation } from '../../domain/reporting/generation.ts'
import { type Obligation, obligationIdOf, obligationOf, sliceOf } from '../../domain/reporting/obligation.ts'
import { RETENTION_DAYS } from '../../domain/reporting/offering.ts'
import { adjustmentOf, type ReportRow, revisionOf, rowsOf } from '../../domain/reporting/revision.ts'
import { ledgerOf, missingPeriods, type ReportLedger } from '../../domain/reporting/status.ts'
import type { Services } from '../../pipeline/services.ts'
import type { Db, Store } from '../../store/database.ts'
import { listConversions } from '../../store/event/conversions.ts'
import { accountMediaBuys } from '../../store/media-buy/list-media-buys.ts'
import { listGenerations, type ReportOwner } from '../../store/reporting/generations.ts'
import {
  addRecords,
  listRecords,
  type NewRecord,
  newestRecord,
  newestRows,
  obligationIds,
  RecordedElsewhere,
} from '../../store/reporting/records.ts'
import { creativeFactsOf } from './creative-facts.ts'
import { reportsOf } from './orders.ts'

/** What settling reports takes. */
export interface ReportingParts {
  readonly store: Pick<Store, 'read' | 'transaction'>
  readonly services: Pick<Services, 'adServers' | 'wiring'>
  readonly now: Date
}

/** Whose reports, and whether their orders are simulated. */
export type ReportingBuyer = ReportOwner & Pick<ActingPrincipal, 'sandbox'>

/** Ad servers are given so long after a day to count its last events before it is reported. */
const SETTLES_MS = 15 * 60_000
/** A report that may still change is read again so often. */
const REQUERY_MS = 3_600_000
/** What is older is final and read no more. */
const READ_DAYS = REQUERY_DAYS + 10
/** Other processes may record in between; they do not go on doing so. */
const MOST_TRIES = 5

/**
 * Brings the reports of an account up to date. What is owed for periods that have ended is recorded first; then the ad servers are asked, and what is
 * published or corrected is recorded behind it. Throws SERVICE_UNAVAILABLE when one does not report: what is owed stays recorded.
 */
export async function settleReporting(parts: ReportingParts, buyer: ReportingBuyer): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await settleOnce(parts, buyer)
    } catch (error) {
      if (!(error instanceof RecordedElsewhere) || attempt === MOST_TRIES) throw error
    }
  }
}

async function settleOnce(parts: ReportingParts, buyer: ReportingBuyer): Promise<void> {
  const { store, now } = parts
  const generations = await listGenerations(store.read, buyer)
  if (generations.length === 0) return
  const after = await newestRecord(store.read, buyer)
  const ledger = ledgerOf(
    generations,
    await listRecords(store.read, buyer, { until: after, since: new Date(now.getTime() - READ_DAYS * DAY_MS).toISOString() }),
    now,
  )
  const owed = await newObligations(store.read, buyer, generations, ledger)
  const obligations = owed.map((obligation): NewRecord => ({ kind: 'obligation', sliceId: sliceOf(obligation), obligation }))
  // Owed is what has ended, whether or not the ad servers answer.
  if (obligations.length > 0) await store.transaction((tx) => addRecords(tx, buyer, obligations, { after, now }))
  const open = openSlices([...ledger.obligations, ...owed], ledger)
  if (open.length === 0) return
  const published = await publish(parts, buyer, open, ledger)
  if (published.length === 0) return
  await store.transaction((tx) => addRecords(tx, buyer, published, { after: after + obligations.length, now }))
}

async function newObligations(
  db: Db,
  buyer: ReportingBuyer,
  generations: readonly Generation[],
  { asOf }: ReportLedger,
): Promise<readonly Obligation[]> {
  const known = await obligationIds(db, buyer)
  const since = new Date(asOf.getTime() - RETENTION_DAYS * DAY_MS)
  const missing = generations.flatMap((generation) =>
    missingPeriods(generation, known, {
      ...{ now: asOf, since },
      idOf: (period) => obligationIdOf(buyer.accountId, generation, period),
    }).map((period) => ({ generation, period })),
  )
  if (missing.length === 0) return []
  const buys = await accountMediaBuys(db, buyer, buyer.accountId, asOf)
  return missing.map(({ generation, period }) => obligationOf(buyer.accountId, generation, period, buys))
}

/** One obligation for each slice of which something may have to be published now. */
function openSlices(obligations: readonly Obligation[], { revisions, adjustments, asOf }: ReportLedger): readonly Obligation[] {
  const bySlice = new Map(obligations.map((obligation) => [sliceOf(obligation), obligation] as const))
  return [...bySlice].flatMap(([slice, obligation]) => {
    const sinceEnd = asOf.getTime() - Date.parse(obligation.period.end)
    if (sinceEnd < SETTLES_MS || sinceEnd > REQUERY_DAYS * DAY_MS + REQUERY_MS) {
      // A report that was never made is owed for as long as it is kept.
      return sinceEnd >= SETTLES_MS && !isOfficial(slice) ? [obligation] : []
    }
    const last = [...(revisions.get(slice) ?? []), ...(adjustments.get(slice) ?? [])].at(-1)
    const isFresh = last !== undefined && asOf.getTime() - Date.parse(last.created_at) < REQUERY_MS
    const isFinalNow = sinceEnd >= OFFICIAL_AFTER_DAYS * DAY_MS && !isOfficial(slice)
    return isFresh && !isFinalNow ? [] : [obligation]
  })

  function isOfficial(slice: string): boolean {
    return revisions.get(slice)?.some(({ finality }) => finality === 'official') ?? false
  }
}

async function publish(
  { store, services, now }: ReportingParts,
  buyer: ReportingBuyer,
  open: readonly Obligation[],
  ledger: ReportLedger,
): Promise<readonly NewRecord[]> {
  const wanted = new Set(open.flatMap(({ mediaBuyIds }) => mediaBuyIds))
  const buys = (await accountMediaBuys(store.read, buyer, buyer.accountId, now)).filter(({ mediaBuyId }) =>
    wanted.has(mediaBuyId),
  )
  const deliveries = await deliveriesOf({ store, services, now }, buyer, buys)
  const known = await newestRows(store.read, buyer, open.map(sliceOf))
  return open.flatMap((obligation) => {
    const rows = rowsOf(obligation, buys, (buy, packageId) => deliveries.get(buy.mediaBuyId)?.packages.get(packageId)?.days ?? [])
    return recordOf(obligation, rows, known.get(sliceOf(obligation)), ledger, new URL(services.wiring.agentUrl).origin)
  })
}

async function deliveriesOf({ store, services, now }: ReportingParts, buyer: ReportingBuyer, buys: readonly MediaBuy[]) {
  const agent = { ...buyer, conformance: undefined }
  const creatives = await creativeFactsOf(store.read, agent, buys)
  const reports = await reportsOf({ services, principal: agent, now }, buys, creatives)
  const ids = buys.map(({ mediaBuyId }) => mediaBuyId)
  const conversions = await listConversions(store.read, buyer.tenantId, ids)
  return new Map(
    buys.map((buy) => {
      const own = conversions.filter(({ mediaBuyId }) => mediaBuyId === buy.mediaBuyId)
      return [buy.mediaBuyId, deliveryOf(buy, withConversions(reports.get(buy.mediaBuyId) ?? [], own))] as const
    }),
  )
}

/** What is to be recorded of the rows of a slice: the first report, a changed or the final one, a correction of that, or nothing. */
function recordOf(
  obligation: Obligation,
  rows: readonly ReportRow[],
  known: string | undefined,
  { revisions, adjustments, asOf }: ReportLedger,
  origin: string,
): readonly NewRecord[] {
  const sliceId = sliceOf(obligation)
  const published = revisions.get(sliceId) ?? []
  const official = published.find(({ finality }) => finality === 'official')
  if (official) {
    const adjustment = adjustmentOf(official, adjustments.get(sliceId) ?? [], rows, asOf)
    return adjustment ? [{ kind: 'adjustment', sliceId, adjustment }] : []
  }
  const isFinal = asOf.getTime() >= Date.parse(obligation.period.end) + OFFICIAL_AFTER_DAYS * DAY_MS
  if (!isFinal && known === JSON.stringify(rows)) return []
  const place = { finality: isFinal ? ('official' as const) : ('snapshot' as const), origin, now: asOf }
  // The final report closes its period beside the chain of snapshots: the official consumer (adcp.reporting) refuses a chain of both.
  const supersedes = isFinal ? undefined : published.at(-1)?.reporting_revision_id
  const revision = revisionOf(obligation, rows, { ...place, supersedes })
  return [{ kind: 'revision', sliceId, revision, rows }]
}
