import { DAY_MS } from '../../domain/calendar/instant.ts'
import type { ActingPrincipal } from '../../domain/identity/principal.ts'
import { deliveryOf } from '../../domain/media-buy/delivery.ts'
import type { MediaBuy } from '../../domain/media-buy/media-buy.ts'
import { withConversions } from '../../domain/media-buy/report-conversions.ts'
import { REQUERY_DAYS } from '../../domain/reporting/documents.ts'
import { type Generation, missingPeriods } from '../../domain/reporting/generation.ts'
import { ledgerOf, type ReportLedger } from '../../domain/reporting/ledger.ts'
import { destinationRefOf, type Obligation, obligationIdOf, obligationOf, sliceOf } from '../../domain/reporting/obligation.ts'
import { RETENTION_DAYS } from '../../domain/reporting/offering.ts'
import { rowsOf } from '../../domain/reporting/revision.ts'
import { filesToMake, openSlices, type Publication, publicationOf } from '../../domain/reporting/settle.ts'
import type { Services } from '../../pipeline/services.ts'
import type { Db, Store } from '../../store/database.ts'
import { listConversions } from '../../store/event/conversions.ts'
import { accountMediaBuys } from '../../store/media-buy/list-media-buys.ts'
import { addRecords, type NewRecord, RecordedElsewhere } from '../../store/reporting/add-records.ts'
import { listGenerations, type ReportOwner } from '../../store/reporting/generations.ts'
import { listRecords, newestRecord, newestRows, obligationIds } from '../../store/reporting/records.ts'
import { creativeFactsOf } from './creative-facts.ts'
import { makeFiles } from './make-report-files.ts'
import { reportsOf } from './orders.ts'

/** What settling reports takes. */
export interface ReportingParts {
  readonly store: Pick<Store, 'read' | 'transaction'>
  readonly services: Pick<Services, 'adServers' | 'wiring'>
  readonly now: Date
}

/** Whose reports, and whether their orders are simulated. */
export type ReportingBuyer = ReportOwner & Pick<ActingPrincipal, 'sandbox'>

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
  const all = [...ledger.obligations, ...owed]
  const open = openSlices(all, ledger)
  const published = open.length === 0 ? [] : await publish(parts, buyer, open, ledger)
  // Files are recorded with what they are of: a report that has to have them is never there without.
  const files = await makeFiles(parts, buyer, filesToMake(all, ledger, published), published)
  if (published.length === 0 && files.length === 0) return
  await store.transaction((tx) => addRecords(tx, buyer, [...published, ...files], { after: after + obligations.length, now }))
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
  const of = { accountId: buyer.accountId, destinationRef: destinationRefOf(buyer) }
  return missing.map(({ generation, period }) => obligationOf(of, generation, period, buys))
}

async function publish(
  { store, services, now }: ReportingParts,
  buyer: ReportingBuyer,
  open: readonly Obligation[],
  ledger: ReportLedger,
): Promise<readonly Publication[]> {
  const wanted = new Set(open.flatMap(({ mediaBuyIds }) => mediaBuyIds))
  const buys = (await accountMediaBuys(store.read, buyer, buyer.accountId, now)).filter(({ mediaBuyId }) =>
    wanted.has(mediaBuyId),
  )
  const deliveries = await deliveriesOf({ store, services, now }, buyer, buys)
  const { origin } = new URL(services.wiring.agentUrl)
  const known = await newestRows(store.read, buyer, open.map(sliceOf))
  return open.flatMap((obligation) => {
    const rows = rowsOf(obligation, buys, (buy, packageId) => deliveries.get(buy.mediaBuyId)?.packages.get(packageId)?.days ?? [])
    return publicationOf(obligation, rows, known.get(sliceOf(obligation)), ledger, origin) ?? []
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
