import type { Selectable } from 'kysely'
import { billingPartyOf, NO_TERMS, type OrderTerms } from '../../domain/order/order-terms.ts'
import { moveTotalsOfOrders } from '../ad-serving/delivery-sums.ts'
import { chunksOf } from '../chunks.ts'
import type { Db } from '../database.ts'
import { wasCharged } from './charged-orders.ts'
import { findOrderRow } from './orders.ts'
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
  const party = billingPartyOf(order.advertiser, terms)
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
  return billingPartyOf(order.advertiser, await getOrderTerms(tx, tenantId, orderId))
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
