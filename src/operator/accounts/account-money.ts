import type { Account } from '../../domain/account/account.ts'
import { budgetToMicros, microsToAmount } from '../../domain/money.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { insertPayment, listPayments as listStoredPayments } from '../../store/account/account-payments.ts'
import { saveAccount } from '../../store/account/accounts.ts'
import { listTenantAccounts } from '../../store/account/tenant-accounts.ts'
import type { Db } from '../../store/database.ts'
import { auditedStore } from '../audited-store.ts'
import type { OperatorContext } from '../operator-context.ts'

interface Named {
  readonly tenantId: string
  readonly accountId: string
}

/** An amount as a person writes it, with its ISO 4217 currency. */
interface Amount {
  readonly amount: string
  readonly currency: string
}

/**
 * Sets the credit limit of an account, or removes it (`none`); its owner sees it in list_accounts. Gives the limit. Throws REFERENCE_NOT_FOUND,
 * INVALID_REQUEST for another amount.
 */
export async function setCredit(
  context: OperatorContext,
  { tenantId, accountId, amount, currency }: Named & Amount,
): Promise<Account['document']['credit_limit']> {
  const limit = amount === 'none' ? undefined : microsToAmount(readAmount(amount, currency, 'limit'))
  const store = auditedStore(context, { task: 'accounts.credit', tenant: tenantId, account: accountId })
  return store.transaction(async (tx) => {
    const account = await getAccount(tx, { tenantId, accountId })
    const { credit_limit: _before, ...rest } = account.document
    const document = limit === undefined ? rest : { ...rest, credit_limit: { amount: limit, currency } }
    return (await saveAccount(tx, { ...account, document }, context.clock())).document.credit_limit
  })
}

/**
 * Records a payment into an account, or a top-up of a prepaid one. `day` is `YYYY-MM-DD` (default: today, UTC). Throws REFERENCE_NOT_FOUND,
 * INVALID_REQUEST.
 */
export async function addPayment(
  context: OperatorContext,
  input: Named & Amount & { readonly day?: string | undefined; readonly reference?: string | undefined },
) {
  const { tenantId, accountId, amount, currency, reference } = input
  const now = context.clock()
  const day = input.day ?? now.toISOString().slice(0, 10)
  const micros = readAmount(amount, currency, 'amount')
  const store = auditedStore(context, { task: 'accounts.payment', tenant: tenantId, account: accountId })
  const paymentId = await store.transaction(async (tx) => {
    await getAccount(tx, { tenantId, accountId })
    return insertPayment(tx, { tenantId, accountId }, { day, currency, micros, reference }, now)
  })
  return { payment_id: paymentId, account_id: accountId, amount: microsToAmount(micros), currency, date: day }
}

/** The payments into an account. Throws REFERENCE_NOT_FOUND. */
export async function listPayments({ store }: OperatorContext, account: Named) {
  await getAccount(store.read, account)
  const payments = await listStoredPayments(store.read, account)
  return payments.map(({ day, micros, currency }) => ({ date: day, amount: microsToAmount(micros), currency }))
}

async function getAccount(db: Db, { tenantId, accountId }: Named): Promise<Account> {
  const account = (await listTenantAccounts(db, tenantId)).find((each) => each.accountId === accountId)
  if (account) return account
  throw new AdcpError('REFERENCE_NOT_FOUND', `no account ${accountId} in ${tenantId}`, { field: 'account' })
}

/** A payable amount in micros. */
function readAmount(text: string, currency: string, field: string): number {
  if (!/^\d+(\.\d+)?$/.test(text)) throw new AdcpError('INVALID_REQUEST', `${field} must be a number, e.g. 1200.50`, { field })
  return budgetToMicros(Number(text), currency, field)
}
