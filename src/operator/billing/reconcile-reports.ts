import { RATE_BASES } from '../../domain/billing/invoice-document.ts'
import { reportedDays } from '../../domain/billing/reported-days.ts'
import { localCalendar } from '../../domain/calendar/local-time.ts'
import { microsToAmount } from '../../domain/money.ts'
import { isParty } from '../../domain/order/order-terms.ts'
import { isMoney } from '../../domain/reporting/adjustment.ts'
import type { ReportRow } from '../../domain/reporting/report-row.ts'
import { deliveryZone } from '../../store/ad-serving/delivery-sums.ts'
import { ACCOUNT } from '../accounts/list-accounts.ts'
import { defineAct } from '../act.ts'
import { amountText } from '../amount.ts'
import { month, required } from '../fields.ts'
import { READERS } from '../roles.ts'
import { about, boolean, integer, listOf, named, number, type Of, object, orNull, string, word } from '../shape.ts'
import { requireBilledAccount } from './billed-account.ts'
import { billedOfMonth, type CountedReport, reportsWithRows } from './read-reconciliation.ts'
import { reconciliationCsv } from './reconciliation-csv.ts'

const entryShape = named(
  'ReconciliationEntry',
  about(
    'What one record says of the deliveries of the month; money in units of `currency`, exact to six decimals.',
    object({
      kind: about(
        'report: a row of a report; edge_report: the same of a day that is partly in the month and counts for a month beside, with its corrections: no total has it; correction: of a final report by what was counted later, of all its rows; settlement: of a final report by a charge or credit that settles a dispute; invoice: what an invoice or credit note bills of deliveries; fee: a fee or credit beside them',
        word('report', 'edge_report', 'correction', 'settlement', 'invoice', 'fee'),
      ),
      day: about('of reports, in UTC', orNull(string)),
      record: about('id of the report, the correction or the invoice', string),
      finality: orNull(word('snapshot', 'official')),
      digest: about('SHA-256 of what the record binds (AdCP 3.2), as the buyer computes it', orNull(string)),
      order: orNull(string),
      line: orNull(string),
      currency: string,
      impressions: integer,
      amount: about('before discount and commission, as reports have it', number),
      invoiced: about('what the invoice asks for: after discount and commission, without tax; null: no invoice', orNull(number)),
      rate_basis: about(
        'what the rate is at which the invoice has it, as on its line; clearing_average: an average of clearing prices, of which `amount` is the exact sum; null: no invoice, no rate, or written before invoices kept it',
        orNull(word(...RATE_BASES)),
      ),
      said: about('what the buyer said of the report last', orNull(string)),
      agreed: about(
        'whether the buyer has received the report that counts, by its digest; of files for billing, whether it accepts them',
        orNull(word('yes', 'no', 'silent')),
      ),
    }),
  ),
)
export type ReconciliationEntry = Of<typeof entryShape>

const reconciliationShape = named(
  'Reconciliation',
  object({
    account: string,
    month: string,
    is_reported: about('false: a billing party of direct orders, to whom nothing is reported', boolean),
    time_zone: about('of the days of invoices; reports have days of UTC', string),
    shared_days: about(
      'days (UTC) of which a part is in another month of `time_zone`, whose invoice bills that part: deliveries of their hours are in the difference',
      listOf(object({ day: string, month: about('that other month', string) })),
    ),
    entries: listOf(entryShape),
    invoices: listOf(string),
    totals: listOf(
      object({
        currency: string,
        reported: about('rows of reports; null: nobody is reported to', orNull(number)),
        corrected: about('corrections of final reports by what was counted later', orNull(number)),
        settled: about('corrections that settle disputes; their charges and credits are fees', orNull(number)),
        billed: about('deliveries, by invoices and credit notes, before discount and commission', number),
        fees: about('fees and credits beside deliveries, which no report has', number),
        invoiced: about('what invoices and credit notes ask for both: after discount and commission, without tax', number),
        difference: about('billed, without fees, less what was reported and corrected', orNull(number)),
      }),
    ),
  }),
)
export type Reconciliation = Of<typeof reconciliationShape>

/** The field that names the month. */
export const RECONCILED_MONTH = required(month('of the deliveries, YYYY-MM'))

/** What was reported to the buyer of an account and what it was billed for the deliveries of a month, record by record. Throws REFERENCE_NOT_FOUND. */
export const reconcileReports = defineAct({
  name: 'billing.reconciliation',
  route: 'GET /billing/reconciliation/{account}/{month}',
  id: 'reconcileReports',
  roles: READERS,
  summary:
    'What the buyer of an account was reported and billed for the deliveries of a month, record by record, with the difference.',
  fields: { account: ACCOUNT, month: RECONCILED_MONTH },
  account: 'account',
  answer: reconciliationShape,
  command: { args: ['account', 'month'], text: (found) => totalLines(found), csv: (found) => reconciliationCsv(found) },
  async run(context, { account, month: of }) {
    const { tenantId } = context
    await requireBilledAccount(context.store.read, tenantId, account)
    const isReported = !isParty(account)
    const timeZone = await deliveryZone(context.store.read, tenantId)
    // They have all days of the month in UTC: no zone is a day away from UTC.
    const days = reportedDays(of, localCalendar(timeZone))
    const reports = isReported ? await reportsWithRows(context, { tenantId, accountId: account, days }) : []
    const billed = await billedOfMonth(context, { tenantId, accountId: account, month: of })
    const entries = [
      ...reports.flatMap((report) => (report.revision.period.start.startsWith(of) ? entriesOf(report) : edgeEntries(report))),
      ...billed.map(
        ({
          kind,
          invoiceId: record,
          orderId: order,
          lineId: line,
          currency,
          impressions,
          micros,
          netMicros,
          rateBasis,
        }): Exact => ({
          ...{ kind, day: null, record, finality: null, digest: null, order, line, currency, impressions, micros, netMicros },
          ...{ rate_basis: rateBasis ?? null, said: null, agreed: null },
        }),
      ),
    ]
    const currencies = [...new Set(entries.map(({ currency }) => currency))].sort()
    const sum = (currency: string, kind: Exact['kind']) =>
      entries.reduce((micros, each) => (each.currency === currency && each.kind === kind ? micros + each.micros : micros), 0)
    const asked = (currency: string) =>
      billed.reduce((micros, each) => (each.currency === currency ? micros + each.netMicros : micros), 0)
    return {
      ...{ account, month: of, is_reported: isReported, time_zone: timeZone },
      shared_days: isReported ? days.shared.map((each) => ({ ...each })) : [],
      entries: entries.map(({ micros, netMicros, ...entry }) => ({
        ...{ ...entry, amount: microsToAmount(micros), invoiced: netMicros === null ? null : microsToAmount(netMicros) },
      })),
      invoices: [...new Set(billed.map(({ invoiceId }) => invoiceId))],
      totals: currencies.map((currency) => {
        const [reported, corrected, charged] = [sum(currency, 'report'), sum(currency, 'correction'), sum(currency, 'invoice')]
        const compared = (micros: number) => (isReported ? microsToAmount(micros) : null)
        return {
          ...{ currency, reported: compared(reported), corrected: compared(corrected), billed: microsToAmount(charged) },
          settled: compared(sum(currency, 'settlement')),
          ...{ fees: microsToAmount(sum(currency, 'fee')), invoiced: microsToAmount(asked(currency)) },
          ...{ difference: compared(charged - reported - corrected) },
        }
      }),
    }
  },
})

type Counted = CountedReport & { readonly rows: readonly ReportRow[] }
type Exact = Omit<ReconciliationEntry, 'amount' | 'invoiced'> & { readonly micros: number; readonly netMicros: number | null }

function entriesOf({ revision, rows, adjustments, word: { said, agreed } }: Counted): readonly Exact[] {
  const { reporting_revision_id: record, revision_content_sha256: digest, finality, period } = revision
  const day = period.start.slice(0, 10)
  return [
    ...rows.map(
      ({ dimensions, currency, metrics }): Exact => ({
        ...{
          kind: 'report',
          day,
          record,
          finality,
          digest,
          order: dimensions.media_buy_id,
          line: dimensions.package_id,
          currency,
        },
        ...{ impressions: metrics.impressions, micros: Math.round(metrics.spend * 1e6), netMicros: null },
        ...{ rate_basis: null, said, agreed },
      }),
    ),
    ...adjustments.flatMap((adjustment) =>
      adjustment.control_total_deltas.flatMap(({ name, value, unit }, index, all): Exact[] => {
        if (!isMoney({ name })) return []
        const isFirst = all.findIndex(isMoney) === index
        const impressions = isFirst ? Number(all.find((each) => each.name === 'impressions')?.value ?? 0) : 0
        return [
          {
            kind: adjustment.reason_code === 'commercial_adjustment' ? 'settlement' : 'correction',
            ...{ day, record: adjustment.reporting_adjustment_id, finality: null, order: null, line: null },
            ...{ digest: adjustment.canonical_adjustment_sha256 ?? null, currency: unit, impressions },
            ...{ micros: Math.round(Number(value) * 1e6), netMicros: null, rate_basis: null, ...adjustment.word },
          },
        ]
      }),
    ),
  ]
}

/** A report that counts for the month beside: its rows and corrections, without charges and credits. */
function edgeEntries(report: Counted): readonly Exact[] {
  return entriesOf(report)
    .filter(({ kind }) => kind !== 'settlement')
    .map((entry) => ({ ...entry, kind: 'edge_report' }))
}

/** Why a difference may be: days of reports that are not wholly in the month of the invoices; undefined: there are none. */
export function sharedDaysText({ shared_days: shared, time_zone: zone }: Reconciliation): string | undefined {
  if (shared.length === 0) return undefined
  const days = shared.map(({ day, month: beside }) => `${day} (${beside})`).join(', ')
  return `A part of these days (UTC) is in the month beside of ${zone}, and billed with it: ${days}. Deliveries of their hours are in the difference.`
}

/** Which invoices have lines at an average of clearing prices; undefined: none has. */
export function clearingText({ entries }: Reconciliation): string | undefined {
  const cleared = entries.filter(({ rate_basis: basis }) => basis === 'clearing_average').map(({ record }) => record)
  if (cleared.length === 0) return undefined
  return `Rates of lines that an auction priced are averages of its clearing prices on ${[...new Set(cleared)].join(', ')}; their amounts are exact sums of days.`
}

function totalLines(found: Reconciliation): readonly string[] {
  const { account, month: of, invoices, totals } = found
  const notes = [sharedDaysText(found), clearingText(found)]
  return [
    `${account}, ${of}: ${invoices.length === 0 ? 'not billed yet' : invoices.join(', ')}`,
    ...totals.map(({ currency, reported, corrected, settled, billed, fees, invoiced, difference }) => {
      const text = (amount: number) => amountText(amount, currency)
      const deducted =
        Math.abs(billed + fees - invoiced) < 1e-6 ? '' : `, invoiced after discount and commission ${text(invoiced)}`
      const own = `billed ${text(billed)}, fees and credits beside ${text(fees)}${deducted}`
      if (reported === null || corrected === null || settled === null || difference === null)
        return `${currency}: ${own}; nobody is reported to`
      return `${currency}: reported ${text(reported)}, corrected ${text(corrected)}${settled === 0 ? '' : `, disputes settled ${text(settled)}`}, ${own}, difference ${text(difference)}`
    }),
    ...notes.filter((note) => note !== undefined),
  ]
}
