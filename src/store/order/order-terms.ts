import type { Selectable } from 'kysely'
import {
  billingPartyOf,
  isOtherParty,
  isPlaced,
  NO_TERMS,
  type OrderParty,
  type OrderTerms,
  otherPartyOf,
  payerOf,
  roleOfKey,
} from '../../domain/order/order-terms.ts'
import { moveTotalsOfOrders } from '../ad-serving/delivery-sums.ts'
import { chunksOf } from '../chunks.ts'
import type { Db } from '../database.ts'
import { wasCharged } from './charged-orders.ts'
import { findOrderRow, isPartyOfOrders } from './orders.ts'
import type { OrderTables } from './rows.ts'

/** Terms of orders of any origin, by order; those of which nothing is known are absent. */
export async function findOrderTerms(
  db: Db,
  tenantId: string,
  orderIds: readonly string[],
): Promise<ReadonlyMap<string, OrderTerms>> {
  const found = new Map<string, OrderTerms>()
  for (const ids of chunksOf([...new Set(orderIds)])) {
    const rows = await db
      .selectFrom('order_terms')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('order_id', 'in', ids)
      .execute()
    for (const row of rows) found.set(row.order_id, termsOf(row))
  }
  return found
}

/** Terms of one order. */
export async function getOrderTerms(db: Db, tenantId: string, orderId: string): Promise<OrderTerms> {
  return (await findOrderTerms(db, tenantId, [orderId])).get(orderId) ?? NO_TERMS
}

/** Writes the terms of an order of any origin. An order without an account is billed to whom they say from now on, with all that is not billed yet: gives the key of that party. */
export async function saveOrderTerms(
  tx: Db,
  tenantId: string,
  orderId: string,
  terms: OrderTerms,
  now: Date,
): Promise<string | undefined> {
  const columns = {
    advertiser: terms.advertiser ? JSON.stringify(terms.advertiser) : null,
    agency: terms.agency ? JSON.stringify(terms.agency) : null,
    billed_to: terms.billedTo,
    purchase_order: terms.poNumber ?? null,
    sales_person: terms.salesPerson ?? null,
    labels: JSON.stringify(terms.labels),
    discount_basis_points: terms.discountBasisPoints,
    commission_basis_points: terms.commissionBasisPoints,
    updated_at: now.toISOString(),
  }
  await tx
    .insertInto('order_terms')
    .values({ tenant_id: tenantId, order_id: orderId, ...columns })
    .onConflict((c) => c.columns(['tenant_id', 'order_id']).doUpdateSet(columns))
    .execute()
  const order = await findOrderRow(tx, tenantId, orderId)
  // Nobody pays for house ads, whoever is named.
  if (!order || order.party === '') return order?.party
  const party = await partyKeyOf(tx, tenantId, orderId, order.advertiser, terms)
  if (party === order.party) return party
  await moveTotalsOfOrders(tx, tenantId, [orderId], -1)
  await tx.updateTable('orders').set({ party }).where('tenant_id', '=', tenantId).where('order_id', '=', orderId).execute()
  await moveTotalsOfOrders(tx, tenantId, [orderId], 1)
  return party
}

/**
 * Who an order that people entered or adopted is billed to; '': nobody, since no line has a price and nothing of it was charged. One that was charged for lines that it no longer has, or that cost nothing
 * now, is billed on: what is invoiced stays, and the rest is due. `isDelivered`: something of it was shown that may be in no ledger yet.
 */
export async function partyOfOrder(
  tx: Db,
  tenantId: string,
  orderId: string,
  order: { readonly advertiser: string; readonly isPriced: boolean; readonly isDelivered: boolean },
): Promise<string> {
  if (!order.isPriced) {
    const known = await findOrderRow(tx, tenantId, orderId)
    const wasBilled = known !== undefined && known.party !== ''
    if (!wasBilled || !(order.isDelivered || (await wasCharged(tx, tenantId, orderId)))) return ''
  }
  return partyKeyOf(tx, tenantId, orderId, order.advertiser, await getOrderTerms(tx, tenantId, orderId))
}

/**
 * The key of who pays for an order: that of the first party of its name, unless what the terms say of it is not what another order says of that one (see `isOtherParty`): two parties of one name have an invoice each. An order of
 * which nothing but the name is known is of the first.
 */
async function partyKeyOf(tx: Db, tenantId: string, orderId: string, advertiser: string, terms: OrderTerms): Promise<string> {
  const first = billingPartyOf(advertiser, terms)
  const payer = payerOf(first, terms)
  const own = otherPartyOf(first, payer)
  if (own === undefined) return first
  if (await isPartyOfOrders(tx, tenantId, own)) return own
  const known = await findPlacedParty(tx, tenantId, first, orderId)
  return known && isOtherParty(known, payer) ? own : first
}

/** What the terms that were changed last say of a party, of those of its orders that say where it is or its VAT number; `except`: an order that is not asked. */
export async function findPlacedParty(db: Db, tenantId: string, party: string, except = ''): Promise<OrderParty | undefined> {
  const role = roleOfKey(party)
  const row = await db
    .selectFrom('orders as o')
    .innerJoin('order_terms as t', (j) => j.onRef('t.tenant_id', '=', 'o.tenant_id').onRef('t.order_id', '=', 'o.order_id'))
    .select(['t.advertiser', 't.agency'])
    .where('o.tenant_id', '=', tenantId)
    .where('o.party', '=', party)
    .where('o.order_id', '<>', except)
    // Within a text of the document the quotes would be escaped.
    .where((e) => e.or([e(`t.${role}`, 'like', '%"address":{%'), e(`t.${role}`, 'like', '%"vatId":"%')]))
    .orderBy('t.updated_at', 'desc')
    .orderBy('t.order_id', 'desc')
    .limit(1)
    .executeTakeFirst()
  const stored = row?.[role]
  if (stored === null || stored === undefined) return undefined
  const found: OrderParty = JSON.parse(stored)
  return isPlaced(found) ? found : undefined
}

function termsOf(row: Selectable<OrderTables['order_terms']>): OrderTerms {
  return {
    ...(row.advertiser !== null && { advertiser: JSON.parse(row.advertiser) }),
    ...(row.agency !== null && { agency: JSON.parse(row.agency) }),
    billedTo: row.billed_to,
    ...(row.purchase_order !== null && { poNumber: row.purchase_order }),
    ...(row.sales_person !== null && { salesPerson: row.sales_person }),
    labels: JSON.parse(row.labels),
    discountBasisPoints: row.discount_basis_points,
    commissionBasisPoints: row.commission_basis_points,
  }
}
