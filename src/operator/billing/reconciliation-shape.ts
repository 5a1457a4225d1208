import { RATE_BASES } from '../../domain/billing/invoice-document.ts'
import { FINALITIES } from '../../domain/reporting/offering.ts'
import { about, boolean, integer, listOf, named, number, type Of, object, orNull, string, word } from '../shape.ts'

/** What a buyer says of a report: nothing is `silent`. */
const AGREED = ['yes', 'no', 'silent'] as const

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
      finality: orNull(word(...FINALITIES)),
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
        orNull(word(...AGREED)),
      ),
    }),
  ),
)
export type ReconciliationEntry = Of<typeof entryShape>

export const reconciliationShape = named(
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
