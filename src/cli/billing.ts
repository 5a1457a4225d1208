import { Command } from 'commander'
import { amountText } from '../operator/amount.ts'
import { closeMonth } from '../operator/billing/close-month.ts'
import { type InvoicePage, invoiceCsv, listInvoices, type ShownInvoice, showInvoice } from '../operator/billing/show-invoices.ts'
import { confirm } from './confirm.ts'
import { operateFor, type TenantOption } from './operate.ts'
import { print, table } from './output.ts'
import { withStoreOptions } from './store-options.ts'

interface BillingOptions extends TenantOption {
  readonly month?: string
  readonly account?: string
  readonly yes?: boolean
  readonly csv?: boolean
  readonly json?: boolean
}

/** `sales-agent billing close|invoices|show`: month close and its invoices. */
export function billingCommand(): Command {
  const billing = new Command('billing')
  withStoreOptions(
    billing
      .command('close <month>')
      .description('close a month (YYYY-MM, in the time zone of the publisher) for good and write its invoices'),
  )
    .option('--tenant <id>')
    .option('--yes', 'do not ask')
    .option('--json')
    .action((month: string, options: BillingOptions) =>
      operateFor(options, async (operator, tenantId) => {
        if (!options.yes)
          await confirm(`Closing ${month} of ${tenantId} is final: its invoices are written and cannot be changed. Go on?`)
        const closed = await closeMonth(operator, { tenantId, month })
        print(options.json, closed, [`${month} is closed`, '', ...invoiceLines(closed.invoices)])
      }),
    )
  withStoreOptions(billing.command('invoices').description('invoices, the newest month first'))
    .option('--tenant <id>')
    .option('--month <month>', 'of one month, YYYY-MM')
    .option('--account <id>', 'of one account')
    .option('--json')
    .action((options: BillingOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const asked = { tenantId, month: options.month, account: options.account }
        const { invoices, ...rest } = await listInvoices(operator, asked)
        print(options.json, { items: invoices, next_cursor: null, ...rest }, invoiceLines(invoices))
      }),
    )
  withStoreOptions(billing.command('show <invoice>').description('one invoice with its lines'))
    .option('--tenant <id>')
    .option('--csv', 'print the lines as CSV')
    .option('--json')
    .action((id: string, options: BillingOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const invoice = await showInvoice(operator, tenantId, id)
        if (options.csv) process.stdout.write(invoiceCsv(invoice))
        else print(options.json, invoice, pageLines(invoice))
      }),
    )
  return billing
}

function invoiceLines(invoices: readonly ShownInvoice[]): readonly string[] {
  const rows = invoices.map(({ invoice_id, month, account, payable, total, currency }) => {
    return [invoice_id, month, account, `${amountText(payable, currency)} ${currency}`, String(total)]
  })
  return table(['INVOICE', 'MONTH', 'ACCOUNT', 'PAYABLE', 'EXACT'], rows)
}

function pageLines(invoice: InvoicePage): readonly string[] {
  const { invoice_id, month, account, payable, currency, publisher, lines } = invoice
  const rows = lines.map((line) => [
    line.kind,
    line.service_month,
    line.media_buy_id,
    line.package_id,
    line.product_id,
    String(line.impressions),
    String(line.amount),
  ])
  return [
    `${publisher.name}: invoice ${invoice_id} for ${month}, account ${account}`,
    `payable ${amountText(payable, currency)} ${currency}`,
    '',
    ...table(['KIND', 'MONTH', 'ORDER', 'PACKAGE', 'PRODUCT', 'IMPRESSIONS', `AMOUNT ${currency}`], rows),
  ]
}
