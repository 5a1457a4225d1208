import type { Account } from '../../domain/account/account.ts'
import type { BilledService } from '../../domain/billing/billing-lines.ts'
import type { Charge } from '../../domain/media-buy/charge.ts'
import { isParty, isPlaced, NO_TERMS, type OrderParty, type OrderTerms, payerOf } from '../../domain/order/order-terms.ts'
import { findTenantAccounts } from '../../store/account/tenant-accounts.ts'
import { type Invoice, lastBilledAccount } from '../../store/billing/invoices.ts'
import { chunksOf } from '../../store/chunks.ts'
import { findPlacedParty } from '../../store/order/order-terms.ts'
import type { OperatorContext } from '../operator-context.ts'
import { type BilledOrders, isPaidBy } from './billed-orders.ts'

/** What an account owes in a currency: the services and the charges of one invoice. */
export interface OwedBook {
  readonly lines: readonly BilledService[]
  /** Charges beside the services. */
  readonly charges: readonly Charge[]
}

/** Whose book it is. */
export function ownerOf({ lines, charges }: OwedBook): { readonly accountId: string; readonly currency: string } {
  const { accountId = '', currency = '' } = lines[0] ?? charges[0] ?? {}
  return { accountId, currency }
}

/** The orders of a book. */
export function ordersOf({ lines, charges }: OwedBook): readonly string[] {
  return [...lines.map(({ mediaBuyId }) => mediaBuyId), ...charges.map(({ orderId }) => orderId)]
}

/** What an invoice of a book keeps of who pays: as it was invoiced last, where somebody else pays now for all of its orders. */
export async function payerOfBook(
  context: OperatorContext,
  tenantId: string,
  book: OwedBook,
  known: Pick<BilledOrders, 'parties' | 'terms'> & { readonly accounts: ReadonlyMap<string, Account> },
): Promise<Invoice['account']> {
  const { accountId } = ownerOf(book)
  const of = ordersOf(book).filter((orderId) => isPaidBy(accountId, orderId, known))
  const earlier = of.length === 0 ? await lastBilledAccount(context.store.read, tenantId, accountId) : undefined
  if (earlier) return earlier
  if (isParty(accountId)) return billedParty(context, tenantId, accountId, termsOf(of, known))
  return billedAccount(accountId, known.accounts.get(accountId))
}

/** The terms of orders, each once; of an order of which nothing is known, none. */
function termsOf(orderIds: readonly string[], { terms }: Pick<BilledOrders, 'terms'>): readonly OrderTerms[] {
  return [...new Set(orderIds)].map((id) => terms.get(id) ?? NO_TERMS)
}

/** The accounts of what is billed, by id. */
export async function accountsOf(
  { store }: OperatorContext,
  tenantId: string,
  billed: readonly { readonly accountId: string }[],
): Promise<ReadonlyMap<string, Account>> {
  const accounts = new Map<string, Account>()
  for (const ids of chunksOf([...new Set(billed.map(({ accountId }) => accountId))]))
    for (const account of await findTenantAccounts(store.read, tenantId, ids)) accounts.set(account.accountId, account)
  return accounts
}

/** What an invoice keeps of its account. */
function billedAccount(accountId: string, account: Account | undefined): Invoice['account'] {
  const { name, brand, operator, billing, billing_entity, payment_terms } = account?.document ?? {}
  return { account_id: accountId, name, brand, operator, billing, billing_entity, payment_terms }
}

/** What an invoice keeps of an advertiser or agency: as the terms of the newest of its orders have it, else as those of another order of the same party. */
async function billedParty(
  { store }: OperatorContext,
  tenantId: string,
  party: string,
  terms: readonly OrderTerms[],
): Promise<Invoice['account']> {
  const payers = terms.map((each) => payerOf(party, each))
  const payer = payers.findLast(isPlaced) ?? (await findPlacedParty(store.read, tenantId, party))
  return { account_id: party, name: (payer ?? payers[0])?.name, ...(payer && { billing_entity: entityOf(payer) }) }
}

/** A party as AdCP core/business-entity.json has it. */
function entityOf({ name, address, vatId, contact, email, phone }: OrderParty): Readonly<Record<string, unknown>> {
  const { street, city, postalCode, country } = address ?? {}
  return {
    legal_name: name,
    ...(address && { address: { street, city, postal_code: postalCode, country } }),
    ...(vatId !== undefined && { vat_id: vatId }),
    contacts: [{ role: 'billing', name: contact, email, phone }],
  }
}
