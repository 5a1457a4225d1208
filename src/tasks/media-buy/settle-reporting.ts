import { DAY_MS } from '../../domain/calendar/instant.ts'
import { groupBy } from '../../domain/group-by.ts'
import type { ActingPrincipal } from '../../domain/identity/principal.ts'
import { FORMS } from '../../domain/reporting/form.ts'
import { endedPeriods, type Generation, nameOf, offeringOf } from '../../domain/reporting/generation.ts'
import { ledgerOf, type ReportLedger, type ReportRecord } from '../../domain/reporting/ledger.ts'
import { destinationRefOf, type Obligation, obligationOf, sliceOf } from '../../domain/reporting/obligation.ts'
import { RETENTION_DAYS } from '../../domain/reporting/offering.ts'
import { filesToMake, openSlices, type Publication, publicationOf } from '../../domain/reporting/settle.ts'
import type { Services } from '../../pipeline/services.ts'
import type { Db, Store } from '../../store/database.ts'
import { accountMediaBuys } from '../../store/media-buy/list-media-buys.ts'
import { addRecords, type NewRecord, RecordedElsewhere } from '../../store/reporting/add-records.ts'
import { listGenerations, type ReportOwner } from '../../store/reporting/generations.ts'
import { findLab, type ReportingLab, saveLab } from '../../store/reporting/labs.ts'
import { listObligationKeys, newestPeriods } from '../../store/reporting/periods.ts'
import { listRecords, newestRecord, newestRows } from '../../store/reporting/records.ts'
import { makeFiles } from './make-report-files.ts'
import { readReportRows } from './read-report-rows.ts'

/** What settling reports takes. */
export interface ReportingParts {
  readonly store: Pick<Store, 'read' | 'transaction'>
  readonly services: Pick<Services, 'adServers' | 'wiring'>
  readonly now: Date
  /** Subscribers are told nothing of what is published. */
  readonly isQuiet?: boolean
}

/** Whose reports, and whether their orders are simulated. */
export type ReportingBuyer = ReportOwner & Pick<ActingPrincipal, 'sandbox'>

/** So many days after a period is read for the last time it is looked at no more: it is final, or the server was away. */
const SPARE_DAYS = 10
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
  const { store, isQuiet = false } = parts
  const generations = await listGenerations(store.read, buyer)
  if (generations.length === 0) return
  const lab = await labOf(store.read, buyer)
  const now = lab ? new Date(lab.now) : parts.now
  const after = await newestRecord(store.read, buyer)
  const ledger = ledgerOf(generations, await recentRecords(store.read, buyer, { generations, after, now }), now)
  const owed = await newObligations(store.read, buyer, generations, ledger)
  const obligations = owed.map((obligation): NewRecord => ({ kind: 'obligation', sliceId: sliceOf(obligation), obligation }))
  // Owed is what has ended, whether or not the ad servers answer.
  if (obligations.length > 0) await store.transaction((tx) => addRecords(tx, buyer, obligations, { after, now }))
  const all = [...ledger.obligations, ...owed]
  const open = openSlices(all, ledger).filter(({ period }) => !lab || period.end <= (lab.countedUntil ?? ''))
  const published = open.length === 0 ? [] : await publish({ ...parts, now }, buyer, open, { ledger, id: lab?.revisionId })
  // Files are recorded with what they are of: a report that has to have them is never there without.
  const files = await makeFiles({ ...parts, now }, buyer, filesToMake(all, ledger, published), published)
  if (published.length === 0 && files.length === 0) return
  await store.transaction(async (tx) => {
    await addRecords(tx, buyer, [...published, ...files], { after: after + obligations.length, now, isQuiet })
    if (lab?.revisionId !== undefined) await saveLab(tx, buyer, { ...lab, revisionId: undefined })
  })
}

/** The clock and source of an account of a conformance suite; undefined for every other. */
function labOf(db: Db, buyer: ReportingBuyer): Promise<ReportingLab | undefined> {
  return buyer.sandbox ? findLab(db, buyer) : Promise.resolve(undefined)
}

/** The records of what may still change: of hours, which are many, no longer than need be. */
async function recentRecords(
  db: Db,
  buyer: ReportOwner,
  { generations, after, now }: { readonly generations: readonly Generation[]; readonly after: number; readonly now: Date },
) {
  const byReach = groupBy(generations, (generation) => FORMS[offeringOf(generation).form].requeryDays)
  const slices = new Set<string>()
  for (const [requeryDays, group] of byReach) {
    const since = new Date(now.getTime() - (requeryDays + SPARE_DAYS) * DAY_MS).toISOString()
    for (const { sliceId, obligationId } of await listObligationKeys(db, buyer, { generations: group, until: after, since }))
      slices.add(sliceId).add(obligationId)
  }
  const names = [...slices]
  const records: ReportRecord[] = []
  for (let from = 0; from < names.length; from += AT_ONCE)
    records.push(...(await listRecords(db, buyer, { until: after, slices: names.slice(from, from + AT_ONCE) })))
  return records.sort((a, b) => a.seq - b.seq)
}

/** Values of one statement of the store. */
const AT_ONCE = 500

async function newObligations(
  db: Db,
  buyer: ReportingBuyer,
  generations: readonly Generation[],
  { asOf }: ReportLedger,
): Promise<readonly Obligation[]> {
  // All periods that have ended are recorded together, so that none is missing before the newest.
  const newest = await newestPeriods(db, buyer)
  const kept = asOf.getTime() - RETENTION_DAYS * DAY_MS
  const missing = generations.flatMap((generation) => {
    const known = newest.get(nameOf(generation))
    const since = new Date(Math.max(kept, known === undefined ? 0 : Date.parse(known) + 1))
    return endedPeriods(generation, asOf, since).map((period) => ({ generation, period }))
  })
  if (missing.length === 0) return []
  const buys = await accountMediaBuys(db, buyer, buyer.accountId, asOf)
  const of = { accountId: buyer.accountId, destinationRef: destinationRefOf(buyer) }
  return missing.map(({ generation, period }) => obligationOf(of, generation, period, buys))
}

async function publish(
  { store, services, now }: ReportingParts,
  buyer: ReportingBuyer,
  open: readonly Obligation[],
  { ledger, id }: { readonly ledger: ReportLedger; readonly id: string | undefined },
): Promise<readonly Publication[]> {
  const wanted = new Set(open.flatMap(({ mediaBuyIds }) => mediaBuyIds))
  const buys = (await accountMediaBuys(store.read, buyer, buyer.accountId, now)).filter(({ mediaBuyId }) =>
    wanted.has(mediaBuyId),
  )
  const rowsOf = await readReportRows({ store, services, now, buyer, buys }, open)
  const { origin } = new URL(services.wiring.agentUrl)
  const known = await newestRows(store.read, buyer, open.map(sliceOf))
  return open.flatMap(
    (obligation) => publicationOf(obligation, rowsOf(obligation), known.get(sliceOf(obligation)), ledger, { origin, id }) ?? [],
  )
}
