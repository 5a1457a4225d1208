import type { InvoiceFact, YearFacts } from './facts.ts'

/** A cell: a text, a number, or a formula that begins with `=`. Nothing is in an empty text. */
export type YearCell = string | number | { readonly formula: string }

const LINE_HEADS = [
  ...[
    'invoice',
    'kind',
    'month',
    'order',
    'line',
    'quantity',
    'rate',
    'rate units',
    'entered amount',
    'discount %',
    'commission %',
  ],
  ...['gross', 'discount', 'commission', 'amount'],
]
const INVOICE_HEADS = [
  ...['invoice', 'credits', 'party', 'issued', 'due', 'tax %', 'paid', 'total', 'rounded', 'tax', 'payable'],
  ...['payable as invoiced', 'difference'],
]

/**
 * The year as one sheet that computes itself: each line of an invoice from its quantity, rate and percentages, each invoice as the sum of its lines with its tax, and the sums of the year. What the program
 * wrote stands beside what the sheet computes, with the difference. The first row is row 1.
 */
export function yearSheet({ invoices, currency, parties }: YearFacts): readonly (readonly YearCell[])[] {
  const lines = invoices.flatMap((invoice) => invoice.lines.map((line) => ({ invoice, line })))
  const [firstLine, lastLine] = [2, lines.length + 1]
  const firstInvoice = lastLine + 3
  const lastInvoice = firstInvoice + invoices.length - 1
  const sum = (column: string) => ({ formula: `=SUM(${column}${firstInvoice}:${column}${lastInvoice})` })
  const nameOf = (id: string) => parties.findLast(({ party }) => party === id)?.name ?? id
  return [
    LINE_HEADS,
    ...lines.map(({ invoice, line }, index) => lineRow(invoice, line, firstLine + index)),
    [],
    INVOICE_HEADS,
    ...invoices.map((invoice, index) => {
      const row = firstInvoice + index
      return [
        ...[invoice.invoice_id, invoice.refers_to ?? '', nameOf(invoice.account), invoice.issued_on, invoice.due_on ?? ''],
        invoice.tax_percent ?? 0,
        invoice.payments.reduce((paid, each) => (each.taken_back === null ? paid + each.amount : paid), 0),
        { formula: `=SUMIF(A${firstLine}:A${lastLine},A${row},O${firstLine}:O${lastLine})` },
        { formula: `=ROUND(H${row},2)` },
        { formula: `=ROUND(I${row}*F${row}/100,2)` },
        { formula: `=I${row}+J${row}` },
        invoice.payable,
        { formula: `=ROUND(K${row}-L${row},2)` },
      ]
    }),
    [`all, ${currency}`, '', '', '', '', '', ...['G', 'H', 'I', 'J', 'K', 'L', 'M'].map(sum)],
  ]
}

/** Quantity × rate, or the amount of what has no rate; then what is taken off, cut to the millionth. */
function lineRow(invoice: InvoiceFact, line: InvoiceFact['lines'][number], row: number): readonly YearCell[] {
  const { quantity, rate } = line
  const isPriced = quantity !== null && rate !== null
  const percent = (part: number, of: number) => (of === 0 ? 0 : Math.round((part / of) * 10_000) / 100)
  return [
    ...[invoice.invoice_id, line.kind, line.service_month, line.media_buy_id, line.name],
    ...(isPriced ? [quantity, rate, line.rate_units, ''] : ['', '', '', line.gross]),
    ...[percent(line.discount, line.gross), percent(line.commission, line.gross - line.discount)],
    { formula: isPriced ? `=F${row}*G${row}/H${row}` : `=I${row}` },
    { formula: `=ROUNDDOWN(L${row}*J${row}/100,6)` },
    { formula: `=ROUNDDOWN((L${row}-M${row})*K${row}/100,6)` },
    { formula: `=L${row}-M${row}-N${row}` },
  ]
}

/** The sheet as CSV (RFC 4180); spreadsheets compute its formulas when they open it. */
export function yearCsv(rows: readonly (readonly YearCell[])[]): string {
  const field = (cell: YearCell) => {
    const text = typeof cell === 'object' ? cell.formula : String(cell)
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }
  return rows.map((cells) => `${cells.map(field).join(',')}\r\n`).join('')
}
