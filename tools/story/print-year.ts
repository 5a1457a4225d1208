import { table } from '../../src/operator/text-table.ts'
import type { InvoiceFact, YearFacts } from './facts.ts'

const amount = (value: number) => value.toLocaleString('en-GB', { minimumFractionDigits: 2, maximumFractionDigits: 6 })

/** The year as people read it in a terminal: its orders, each invoice and credit note with its lines, and what is open at the end. */
export function printYear({ publisher, currency, today, parties, orders, invoices, open }: YearFacts): readonly string[] {
  const nameOf = (id: string) => parties.findLast(({ party }) => party === id)?.name ?? id
  const sold = orders.flatMap(({ order, origin, party, lines }) =>
    lines.map(({ name, model, rate, starts_at, ends_at }) => {
      const price = typeof rate === 'string' ? rate : `bid ${rate.bid}${rate.clearing ? `, p50 ${rate.median}` : ''}`
      return [order, origin, party === null ? 'house ads' : nameOf(party), name, model, price, starts_at, ends_at]
    }),
  )
  return [
    `${publisher.name}, ${currency}`,
    '',
    ...table(['ORDER', 'ORIGIN', 'PAID BY', 'LINE', 'PRICE', 'RATE', 'FROM', 'UNTIL'], sold),
    ...invoices.flatMap((invoice, index) => [
      '',
      ...(invoice.month === invoices[index - 1]?.month ? [] : [`== ${invoice.month} ==`, '']),
      ...invoiceLines(invoice, nameOf(invoice.account)),
    ]),
    '',
    `== ${today.slice(0, 10)} ==`,
    '',
    ...table(
      ['INVOICE', 'PAID BY', 'PAYABLE', 'SETTLED', 'OPEN', 'DUE', 'STATE'],
      invoices.map((each) => [
        ...[each.invoice_id, nameOf(each.account), amount(each.payable), amount(each.settled), amount(each.open)],
        ...[each.due_on ?? '', each.state.replace('_', ' ')],
      ]),
    ),
    ...open.map((sum) => `${amount(sum.open)} ${sum.currency} are open, of it ${amount(sum.overdue)} overdue`),
  ]
}

function invoiceLines(invoice: InvoiceFact, payer: string): readonly string[] {
  const { invoice_id, refers_to, issued_on, due_on, currency, lines, total, rounding, tax, tax_percent, tax_text } = invoice
  const what = invoice.kind === 'invoice' ? `Invoice ${invoice_id}` : `Credit note ${invoice_id}`
  const of = refers_to === null ? '' : ` of ${refers_to}`
  const percent = tax_percent === null ? '' : ` ${tax_percent} %`
  return [
    `${what}${of} to ${payer}, ${issued_on}${due_on === null ? '' : `, due ${due_on}`}`,
    ...table(
      ['LINE', 'MONTH', 'KIND', 'QUANTITY', 'RATE', 'GROSS', 'DISCOUNT', 'COMMISSION', 'AMOUNT', 'WHY'],
      lines.map((line) => [
        line.name,
        line.service_month,
        line.kind,
        ...(line.quantity === null || line.rate === null
          ? ['', '']
          : [
              `${line.quantity} ${line.unit.replace('_', ' ')}`,
              `${amount(line.rate)}${line.rate_units === 1 ? '' : ` / ${line.rate_units}`}`,
            ]),
        ...[line.gross, line.discount, line.commission, line.amount].map(amount),
        line.reason ?? '',
      ]),
    ),
    `total ${amount(total)}, rounded ${amount(rounding)}, tax${percent} ${amount(tax)}${tax_text === null ? '' : ` (${tax_text})`}: ${amount(invoice.payable)} ${currency}`,
    ...invoice.payments.map(
      ({ date, amount: paid, taken_back }) =>
        `paid ${date}: ${amount(paid)}${taken_back === null ? '' : `, taken back: ${taken_back.reason}`}`,
    ),
  ]
}
