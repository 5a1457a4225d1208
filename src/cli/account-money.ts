import { Command, InvalidArgumentError } from 'commander'
import { addPayment, listPayments, setCredit } from '../operator/accounts/account-money.ts'
import { operateFor, type TenantOption } from './operate.ts'
import { print, printList, table } from './output.ts'
import { withStoreOptions } from './store-options.ts'

interface MoneyOptions extends TenantOption {
  readonly currency: string
  readonly date?: string
  readonly reference?: string
  readonly json?: boolean
}

/** `sales-agent accounts credit|payment|payments`: the facts that an account's finances are made of beside delivery. */
export function accountMoneyCommands(): readonly Command[] {
  const limit = new Command('credit').arguments('<account> <limit>').description('set the credit limit of an account, or "none"')
  const payment = new Command('payment')
    .arguments('<account> <amount>')
    .description('record a payment into an account, or a top-up of a prepaid one')
  const payments = new Command('payments').arguments('<account>').description('list the payments into an account')
  return [
    withStoreOptions(limit)
      .option('--tenant <id>')
      .option('--currency <code>', 'ISO 4217', currency, 'USD')
      .option('--json')
      .action(credit),
    withStoreOptions(payment)
      .option('--tenant <id>')
      .option('--currency <code>', 'ISO 4217', currency, 'USD')
      .option('--date <day>', 'day of the payment, YYYY-MM-DD (default: today)', day)
      .option('--reference <text>', 'your own note, e.g. a bank reference')
      .option('--json')
      .action(pay),
    withStoreOptions(payments).option('--tenant <id>').option('--json').action(showPayments),
  ]
}

function credit(accountId: string, amount: string, options: MoneyOptions): Promise<void> {
  return operateFor(options, async (operator, tenantId) => {
    const limit = await setCredit(operator, { tenantId, accountId, amount, currency: options.currency })
    const shown = limit ? `${limit.amount} ${limit.currency}` : 'none'
    print(options.json, { account_id: accountId, credit_limit: limit ?? null }, [`${accountId}: credit limit ${shown}`])
  })
}

function pay(accountId: string, amount: string, options: MoneyOptions): Promise<void> {
  return operateFor(options, async (operator, tenantId) => {
    const { currency, date, reference } = options
    const paid = await addPayment(operator, { tenantId, accountId, amount, currency, day: date, reference })
    print(options.json, paid, [`${accountId}: ${paid.amount} ${paid.currency} on ${paid.date} (${paid.payment_id})`])
  })
}

function showPayments(accountId: string, options: MoneyOptions): Promise<void> {
  return operateFor(options, async (operator, tenantId) => {
    const payments = await listPayments(operator, { tenantId, accountId })
    const rows = payments.map((row) => [row.date, String(row.amount), row.currency])
    printList(options.json, payments, table(['DATE', 'AMOUNT', 'CURRENCY'], rows))
  })
}

function currency(text: string): string {
  if (!/^[A-Z]{3}$/.test(text)) throw new InvalidArgumentError('an ISO 4217 code, e.g. USD')
  return text
}

function day(text: string): string {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(Date.parse(text) || 0).toISOString().startsWith(text)) return text
  throw new InvalidArgumentError('a day, e.g. 2026-03-31')
}
