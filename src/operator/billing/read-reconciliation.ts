import { type InvoiceLine, type RateBasis, rateBasisOf } from '../../domain/billing/invoice-document.ts'
import type { ReportedDays } from '../../domain/billing/reported-days.ts'
import { nextDay } from '../../domain/calendar/local-time.ts'
import type { Adjustment } from '../../domain/reporting/adjustment.ts'
import { ledgerOf, type ReportLedger } from '../../domain/reporting/ledger.ts'
import { formOf, type Obligation, sliceOf } from '../../domain/reporting/obligation.ts'
import { offeringNamed, reconciliationMode } from '../../domain/reporting/offering.ts'
import { adjustmentLeaf, leafOf } from '../../domain/reporting/reconciliation.ts'
import type { ReportRow } from '../../domain/reporting/report-row.ts'
import type { Revision } from '../../domain/reporting/revision.ts'
import { listClaims } from '../../store/billing/claims.ts'
import { listInvoiceServices } from '../../store/billing/invoice-services.ts'
import { type ReportOwner, reportOwnersOf } from '../../store/reporting/generations.ts'
import { findRevision, listRecords } from '../../store/reporting/records.ts'
import type { OperatorContext } from '../operator-context.ts'
import { readInvoice } from './read-document.ts'
import type { ReconciliationEntry } from './reconciliation-shape.ts'

/** More than an account is billed for one month of service and its corrections. */
const MOST_INVOICES = 200

/** What the buyer of a report or correction said last, and whether it agrees. */
export interface BuyerWord {
  readonly said: string | null
  /** Null: nothing has to be said of it. */
  readonly agreed: ReconciliationEntry['agreed']
}

/** The report of one day that counts, with its corrections and what its buyer said last. */
export interface CountedReport {
  readonly owner: ReportOwner
  readonly revision: Revision
  readonly adjustments: readonly (Adjustment & { readonly word: BuyerWord })[]
  readonly word: BuyerWord
}

/** What an invoice bills of one line in a month: its deliveries, or a fee or credit beside them. Money in micros. */
export interface BilledOfMonth {
  readonly kind: 'invoice' | 'fee'
  readonly invoiceId: string
  readonly orderId: string
  readonly lineId: string
  readonly currency: string
  readonly impressions: number
  /** Before discount and commission. */
  readonly micros: number
  /** What the invoice asks for: after discount and commission, without tax. */
  readonly netMicros: number
  /** What the rate is at which the invoice has it; undefined: none, or not kept. */
  readonly rateBasis: RateBasis | undefined
}

/** Whose reports are read, and of which days (UTC). */
interface AskedReports {
  readonly tenantId: string
  readonly accountId: string
  readonly days: Pick<ReportedDays, 'first' | 'last'>
}

/** The reports of some days (UTC), the newest of each day, in order; the final one where there is one, and that for billing where an account has several. */
export async function countedReports(
  { store, clock }: Pick<OperatorContext, 'store' | 'clock'>,
  { tenantId, accountId, days: { first, last } }: AskedReports,
): Promise<readonly CountedReport[]> {
  const db = store.read
  const [since, before] = [`${first}T00:00:00.000Z`, `${nextDay(last)}T00:00:00.000Z`]
  const counted: CountedReport[] = []
  for (const owner of await reportOwnersOf(db, tenantId, accountId)) {
    const ledger = ledgerOf([], await listRecords(db, owner, { since, before }), clock())
    const obligations = ledger.obligations.filter(
      (each) => isOfDay(each) && each.period.start >= since && each.period.start < before,
    )
    for (const obligation of countedOnce(obligations)) {
      const slice = sliceOf(obligation)
      const published = ledger.revisions.get(slice) ?? []
      const revision = published.find(({ finality }) => finality === 'official') ?? published.at(-1)
      if (!revision) continue
      const corrections = ledger.adjustments.get(slice) ?? []
      counted.push({
        ...{ owner, revision },
        adjustments: corrections.map((each) => ({ ...each, word: correctionWord(obligation, each, ledger) })),
        word: reportWord(
          obligation,
          obligations.filter((each) => sliceOf(each) === slice),
          revision,
          ledger,
        ),
      })
    }
  }
  return counted.sort((a, b) => (a.revision.period.start < b.revision.period.start ? -1 : 1))
}

/** {@link countedReports} with their rows. */
export async function reportsWithRows(
  context: Pick<OperatorContext, 'store' | 'clock'>,
  asked: AskedReports,
): Promise<readonly (CountedReport & { readonly rows: readonly ReportRow[] })[]> {
  const reports: (CountedReport & { readonly rows: readonly ReportRow[] })[] = []
  for (const each of await countedReports(context, asked)) {
    const found = await findRevision(context.store.read, each.owner, each.revision.reporting_revision_id)
    reports.push({ ...each, rows: found?.rows ?? [] })
  }
  return reports
}

/**
 * One obligation for each order and day: several configurations may be about the same orders, whose delivery counts once. Of those about the same orders the
 * report for billing counts; one about fewer orders than another does not, since corrections are of whole reports.
 */
function countedOnce(obligations: readonly Obligation[]): readonly Obligation[] {
  const taken = new Set<string>()
  const widest = obligations.toSorted(
    (a, b) => b.mediaBuyIds.length - a.mediaBuyIds.length || Number(isReceipted(b)) - Number(isReceipted(a)),
  )
  return widest.filter(({ mediaBuyIds, period }) => {
    const names = mediaBuyIds.map((id) => `${period.start} ${id}`)
    if (names.length === 0 || names.some((name) => taken.has(name))) return false
    for (const name of names) taken.add(name)
    return true
  })
}

/** Hours have no money, and days of a time zone are not those that these reports are of. */
function isOfDay(obligation: Obligation): boolean {
  const { period, alignment } = formOf(obligation)
  return period === 'P1D' && alignment === 'utc'
}

function isReceipted({ offeringId }: Obligation): boolean {
  return reconciliationMode(offeringNamed(offeringId)) === 'consumer_receipt'
}

/** Of a report for billing a receipt counts; of any other, the newest statement about it. */
function reportWord(
  counted: Obligation,
  sharing: readonly Obligation[],
  { reporting_revision_id: id }: Revision,
  { statements, receipts }: ReportLedger,
): BuyerWord {
  if (isReceipted(counted)) {
    const leaf = leafOf(receipts.get(counted.obligationId) ?? [], id)
    return leaf ? { said: leaf.status, agreed: leaf.status === 'accepted' ? 'yes' : 'no' } : { said: null, agreed: 'silent' }
  }
  const chains = sharing.flatMap(({ obligationId }) => statements.get(obligationId) ?? [])
  const said = chains.toSorted((a, b) => (a.recorded_at < b.recorded_at ? -1 : 1)).at(-1)
  if (!said) return { said: null, agreed: 'silent' }
  const isReceived = said.consumer_status === 'received' && said.reporting_revision_id === id
  return { said: said.consumer_status, agreed: isReceived ? 'yes' : 'no' }
}

function correctionWord(counted: Obligation, adjustment: Adjustment, { adjustmentReceipts }: ReportLedger): BuyerWord {
  if (!isReceipted(counted)) return { said: null, agreed: null }
  const leaf = adjustmentLeaf(adjustmentReceipts.get(sliceOf(counted)) ?? [], adjustment.reporting_adjustment_id)
  return leaf ? { said: leaf.status, agreed: leaf.status === 'accepted' ? 'yes' : 'no' } : { said: null, agreed: 'silent' }
}

/** What invoices and credit notes of an account bill of a month's deliveries, its corrections on later invoices too, and fees and credits of the month. */
export async function billedOfMonth(
  { store }: Pick<OperatorContext, 'store'>,
  { tenantId, accountId, month }: { readonly tenantId: string; readonly accountId: string; readonly month: string },
): Promise<readonly BilledOfMonth[]> {
  const later = (await listClaims(store.read, tenantId, accountId)).filter(({ month: of }) => of >= month)
  const billed: BilledOfMonth[] = []
  for (const { invoiceId } of later.slice(0, MOST_INVOICES)) {
    const { invoice, document } = await readInvoice(store.read, tenantId, invoiceId)
    const services = await listInvoiceServices(store.read, tenantId, invoice)
    const { currency } = invoice
    const sign = document.kind === 'credit_note' ? -1 : 1
    const said = document.lines.filter((line) => line.serviceMonth === month)
    const delivered = new Map(said.filter((line) => !isFee(line)).map((line) => [line.lineId, line]))
    for (const { serviceMonth, mediaBuyId: orderId, packageId: lineId, impressions, amountMicros: micros } of services) {
      if (serviceMonth !== month) continue
      const line = delivered.get(lineId)
      const [netMicros, rateBasis] = [line ? sign * line.exactMicros : micros, line && rateBasisOf(line)]
      billed.push({ kind: 'invoice', invoiceId, orderId, lineId, currency, impressions, micros, netMicros, rateBasis })
    }
    for (const { orderId, lineId, grossMicros, exactMicros, ...line } of said.filter(isFee)) {
      const amounts = { micros: sign * grossMicros, netMicros: sign * exactMicros, rateBasis: rateBasisOf(line) }
      billed.push({ kind: 'fee', invoiceId, orderId, lineId, currency, impressions: 0, ...amounts })
    }
  }
  return billed
}

function isFee({ kind }: Pick<InvoiceLine, 'kind'>): boolean {
  return kind === 'charge' || kind === 'credit'
}
