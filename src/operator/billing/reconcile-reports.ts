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
import { requireBilledAccount } from './billed-account.ts'
import { billedOfMonth, type CountedReport, reportsWithRows } from './read-reconciliation.ts'
import { reconciliationCsv } from './reconciliation-csv.ts'
import { type Reconciliation, type ReconciliationEntry, reconciliationShape } from './reconciliation-shape.ts'

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
