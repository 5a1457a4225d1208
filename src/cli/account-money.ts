import { Command, InvalidArgumentError } from 'commander'
import type { Account } from '../domain/account/account.ts'
import { budgetToMicros, microsToAmount } from '../domain/money.ts'
import { AdcpError } from '../protocol/errors.ts'
import { insertPayment, listPayments } from '../store/account/account-payments.ts'
import { saveAccount } from '../store/account/accounts.ts'
import { listTenantAccounts } from '../store/account/tenant-accounts.ts'
import type { Db } from '../store/database.ts'
import { asOperator } from './as-operator.ts'
import { print, table } from './output.ts'
import { chooseTenant, type StoreOptions, withStore, withStoreOptions } from './store.ts'

interface MoneyOptions extends StoreOptions {
  readonly tenant?: string
  readonly currency: string
  readonly date?: string
  readonly reference?: string
  readonly json?: boolean
}

/** `sales-agent accounts credit|payment|payments`: the facts that an account's finances are made of beside delivery. */
export function accountMoneyCommands(): readonly Command[] {
  const credit = new Command('credit').arguments('<account> <limit>').description('set the credit limit of an account, or "none"')
  const payment = new Command('payment')
    .arguments('<account> <amount>')
    .description('record a payment into an account, or a top-up of a prepaid one')
  const payments = new Command('payments').arguments('<account>').description('list the payments into an account')
  return [
    withStoreOptions(credit)
      .option('--tenant <id>')
      .option('--currency <code>', 'ISO 4217', currency, 'USD')
      .option('--json')
      .action(setCredit),
    withStoreOptions(payment)
      .option('--tenant <id>')
      .option('--currency <code>', 'ISO 4217', currency, 'USD')
      .option('--date <day>', 'day of the payment, YYYY-MM-DD (default: today)', day)
      .option('--reference <text>', 'your own note, e.g. a bank reference')
      .option('--json')
      .action(addPayment),
    withStoreOptions(payments).option('--tenant <id>').option('--json').action(showPayments),
  ]
}

function setCredit(accountId: string, limit: string, options: MoneyOptions): Promise<void> {
  return withStore(options, async (store) => {
    const tenantId = await chooseTenant(store, options.tenant)
    const amount = limit === 'none' ? undefined : microsToAmount(amountOf(limit, options.currency, 'limit'))
    const { credit_limit } = await asOperator(store, {
      task: 'accounts.credit',
      tenant: tenantId,
      account: accountId,
    }).transaction((tx) => setCreditLimit(tx, { tenantId, accountId }, amount, options.currency, new Date()))
    const shown = credit_limit ? `${credit_limit.amount} ${credit_limit.currency}` : 'none'
    print(options.json, { account_id: accountId, credit_limit: credit_limit ?? null }, [`${accountId}: credit limit ${shown}`])
  })
}

/** Sets or removes the credit limit of an account; its owner sees it in list_accounts. Throws REFERENCE_NOT_FOUND. */
export async function setCreditLimit(
  tx: Db,
  { tenantId, accountId }: { readonly tenantId: string; readonly accountId: string },
  amount: number | undefined,
  currency: string,
  now: Date,
): Promise<Account['document']> {
  const account = await accountOf(tx, tenantId, accountId)
  const { credit_limit: _before, ...rest } = account.document
  const document = amount === undefined ? rest : { ...rest, credit_limit: { amount, currency } }
  return (await saveAccount(tx, { ...account, document }, now)).document
}

function addPayment(accountId: string, amount: string, options: MoneyOptions): Promise<void> {
  return withStore(options, async (store) => {
    const tenantId = await chooseTenant(store, options.tenant)
    const now = new Date()
    const payment = {
      day: options.date ?? now.toISOString().slice(0, 10),
      currency: options.currency,
      micros: amountOf(amount, options.currency, 'amount'),
      reference: options.reference,
    }
    const paymentId = await asOperator(store, { task: 'accounts.payment', tenant: tenantId, account: accountId }).transaction(
      async (tx) => {
        await accountOf(tx, tenantId, accountId)
        return insertPayment(tx, { tenantId, accountId }, payment, now)
      },
    )
    const value = {
      payment_id: paymentId,
      account_id: accountId,
      amount: microsToAmount(payment.micros),
      currency: payment.currency,
      date: payment.day,
    }
    print(options.json, value, [`${accountId}: ${value.amount} ${value.currency} on ${value.date} (${paymentId})`])
  })
}

function showPayments(accountId: string, options: MoneyOptions): Promise<void> {
  return withStore(options, async (store) => {
    const tenantId = await chooseTenant(store, options.tenant)
    await accountOf(store.read, tenantId, accountId)
    const rows = (await listPayments(store.read, { tenantId, accountId })).map((payment) => ({
      date: payment.day,
      amount: microsToAmount(payment.micros),
      currency: payment.currency,
    }))
    print(
      options.json,
      { account_id: accountId, payments: rows },
      table(
        ['DATE', 'AMOUNT', 'CURRENCY'],
        rows.map((row) => [row.date, String(row.amount), row.currency]),
      ),
    )
  })
}

async function accountOf(db: Db, tenantId: string, accountId: string): Promise<Account> {
  const account = (await listTenantAccounts(db, tenantId)).find((each) => each.accountId === accountId)
  if (account) return account
  throw new AdcpError('REFERENCE_NOT_FOUND', `no account ${accountId} in ${tenantId}`, { field: 'account' })
}

/** A payable amount in micros. Throws INVALID_REQUEST. */
function amountOf(text: string, code: string, field: string): number {
  if (!/^\d+(\.\d+)?$/.test(text)) throw new AdcpError('INVALID_REQUEST', `${field} must be a number, e.g. 1200.50`, { field })
  return budgetToMicros(Number(text), code, field)
}

function currency(text: string): string {
  if (!/^[A-Z]{3}$/.test(text)) throw new InvalidArgumentError('an ISO 4217 code, e.g. USD')
  return text
}

function day(text: string): string {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(Date.parse(text) || 0).toISOString().startsWith(text)) return text
  throw new InvalidArgumentError('a day, e.g. 2026-03-31')
}
