import { writtenPdf } from '../../platform/decode/written-file.ts'
import type { TablePages } from '../../platform/encode/pdf-pages.ts'
import { ACCOUNT } from '../accounts/list-accounts.ts'
import { defineAct } from '../act.ts'
import { oneOf, required } from '../fields.ts'
import { madeFile } from '../made-file.ts'
import { READERS } from '../roles.ts'
import { about, object, string } from '../shape.ts'
import { clearingText, RECONCILED_MONTH, reconcileReports, sharedDaysText } from './reconcile-reports.ts'
import { reconciliationCsv } from './reconciliation-csv.ts'
import type { Reconciliation, ReconciliationEntry } from './reconciliation-shape.ts'

/** Forms of a reconciliation that are files. */
export const RECONCILIATION_FORMS = ['pdf', 'csv'] as const

const TYPES = { pdf: 'application/pdf', csv: 'text/csv; charset=utf-8' } as const

/** Throws SERVICE_UNAVAILABLE when too many files are made at once. */
export const reconciliationFile = defineAct({
  name: 'billing.reconciliation-file',
  route: 'GET /billing/reconciliation/{account}/{month}/file',
  id: 'reconciliationFile',
  roles: READERS,
  summary: 'The reconciliation of an account and month as a file for both sides: PDF with a line a report, CSV with all rows.',
  fields: {
    account: ACCOUNT,
    month: RECONCILED_MONTH,
    format: required(oneOf(RECONCILIATION_FORMS, 'pdf or csv')),
  },
  account: 'account',
  answer: object({ name: string, media_type: string, content_base64: about('the file (RFC 4648, section 4)', string) }),
  command: {
    args: ['account', 'month'],
    file: { forms: ['file'], text: ({ content_base64: content }) => Buffer.from(content, 'base64') },
  },
  async run(context, { format, ...asked }) {
    const found = await reconcileReports.run(context, asked)
    const content =
      format === 'csv' ? reconciliationCsv(found) : await madeFile(writtenPdf(pagesOf(found, context.clock().toISOString())))
    const name = `reconciliation-${found.account.replaceAll(/[^\w-]/g, '_')}-${found.month}.${format}`
    return { name, media_type: TYPES[format], content_base64: Buffer.from(content).toString('base64') }
  },
})

/** A line of the pages: the rows of one record in one currency. */
interface Line extends Pick<ReconciliationEntry, 'kind' | 'day' | 'record' | 'finality' | 'digest' | 'currency' | 'agreed'> {
  readonly impressions: number
  readonly micros: number
}

const AGREED = { yes: 'agreed', no: 'says otherwise', silent: 'has not said' } as const

function pagesOf(found: Reconciliation, madeAt: string): TablePages {
  const { account, month: of, time_zone: zone, entries, invoices, totals } = found
  const [shared, cleared] = [sharedDaysText(found), clearingText(found)]
  const sums = new Map<string, Line>()
  for (const { amount, invoiced: _net, impressions, ...entry } of entries) {
    const key = `${entry.kind} ${entry.record} ${entry.currency}`
    const { micros = 0, impressions: before = 0 } = sums.get(key) ?? {}
    sums.set(key, { ...entry, impressions: before + impressions, micros: micros + Math.round(amount * 1e6) })
  }
  const exact = (amount: number) => `${amount.toFixed(6)}`
  return {
    title: `Reports and invoices of ${of}`,
    blocks: [
      ['Account', account],
      ['Invoices', ...(invoices.length === 0 ? ['not billed yet'] : invoices)],
    ],
    facts: [['Days', `reports: UTC; invoices: ${zone}`]],
    columns: ['Record', 'Day', 'Buyer', 'Impressions', 'Amount'],
    firstNumber: 3,
    rows: [...sums.values()].map(({ kind, day, record, finality, digest, currency, agreed, impressions, micros }) => [
      [
        [kind.replaceAll('_', ' '), finality].filter(Boolean).join(', '),
        record,
        ...(digest === null ? [] : [`SHA-256 ${digest}`]),
      ].join('\n'),
      day ?? '',
      agreed === null ? '' : AGREED[agreed],
      String(impressions),
      `${exact(micros / 1e6)} ${currency}`,
    ]),
    totals: totals.flatMap(({ currency, reported, corrected, settled, billed, fees, invoiced, difference }) =>
      (
        [
          ['Reported', reported],
          ['Corrected', corrected],
          ['Disputes settled', settled],
          ['Billed', billed],
          ['Fees and credits beside', fees],
          ['Billed less reported and corrected', difference],
          ['Invoiced, after discount and commission, without tax', invoiced],
        ] as const
      ).flatMap(([name, amount]) => (amount === null ? [] : [[name, `${exact(amount)} ${currency}`] as const])),
    ),
    below: [
      'Amounts of records are before discount and commission, exact to a millionth. A report has the digest that get_media_buy_delivery has for its reporting_revision_id. Charges and credits that settle disputes are fees and credits beside.',
      ...(shared === undefined ? [] : [`${shared} An edge report counts for the month beside.`]),
      ...(cleared === undefined ? [] : [cleared]),
    ],
    pageText: 'Page {page} of {of}',
    language: 'en',
    madeAt,
  }
}
