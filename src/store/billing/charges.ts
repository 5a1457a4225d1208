import { type Selectable, sql } from 'kysely'
import type { Charge, NewCharge } from '../../domain/media-buy/charge.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { COUNTS, takenBackColumns, takenBackIn } from '../account/taken-back.ts'
import { IS_SANDBOX } from '../ad-serving/ledger-lines.ts'
import { advanceBook } from '../book-revision.ts'
import { chunksOf } from '../chunks.ts'
import type { Db } from '../database.ts'
import type { BillingTables } from './rows.ts'

/** What narrows charges; all that is given must hold. */
export interface ChargeFilter {
  readonly orderIds?: readonly string[] | undefined
  /** Billed to this account or billing party. */
  readonly accountId?: string | undefined
  /** On this invoice. */
  readonly invoiceId?: string | undefined
  /** `open`: to be on an invoice. */
  readonly state?: Charge['state'] | undefined
  /** Incurred at or after `from` and before `before`, ISO 8601 UTC. */
  readonly from?: string | undefined
  readonly before?: string | undefined
  /** Also those of orders that cost nobody money. */
  readonly withSandbox?: boolean
}

/**
 * Adds a charge. One that is stored under the same id stays as it is. A credit reduces what may still be given back. `creditedTo`: the party that it is given to, whoever pays for the order later;
 * empty: it belongs to whoever the order is billed to.
 */
export async function insertCharge(tx: Db, tenantId: string, charge: NewCharge, creditedTo = ''): Promise<void> {
  if (charge.micros < 0) await advanceBook(tx, tenantId)
  await tx
    .insertInto('charges')
    .values({
      ...{ tenant_id: tenantId, charge_id: charge.chargeId, kind: charge.kind },
      ...{ order_id: charge.orderId, line_id: charge.lineId, product_id: charge.productId },
      ...{ currency: charge.currency, amount_micros: charge.micros, reason: charge.reason },
      ...{ incurred_at: charge.incurredAt, made_by: charge.madeBy ?? null, invoice_id: null },
      ...COUNTS,
      credited_to: creditedTo || null,
      rule: charge.rule ? JSON.stringify(charge.rule) : null,
    })
    .onConflict((c) => c.columns(['tenant_id', 'charge_id']).doNothing())
    .execute()
}

/** Charges with whom they are billed to, the oldest first; at most `limit`, after a position. */
export async function listCharges(
  db: Db,
  tenantId: string,
  { orderIds, accountId, invoiceId, state, from, before, withSandbox = false }: ChargeFilter,
  { limit, after }: { readonly limit?: number; readonly after?: Pick<Charge, 'incurredAt' | 'chargeId'> | undefined } = {},
): Promise<Charge[]> {
  let query = chargesOf(db, tenantId)
  if (!withSandbox) query = query.where(sql<boolean>`(b.media_buy_id is null or ${IS_SANDBOX} = 0)`)
  if (orderIds) query = query.where('c.order_id', 'in', orderIds)
  if (accountId !== undefined) query = query.where(ACCOUNT, '=', accountId)
  if (invoiceId !== undefined) query = query.where('c.invoice_id', '=', invoiceId)
  if (from !== undefined) query = query.where('c.incurred_at', '>=', from)
  if (before !== undefined) query = query.where('c.incurred_at', '<', before)
  if (state === 'billed') query = query.where('c.invoice_id', 'is not', null)
  if (state === 'open') query = query.where('c.invoice_id', 'is', null).where('c.taken_back_at', 'is', null)
  if (state === 'taken_back') query = query.where('c.taken_back_at', 'is not', null)
  if (after) query = query.where(sql<boolean>`(c.incurred_at, c.charge_id) > (${after.incurredAt}, ${after.chargeId})`)
  if (limit !== undefined) query = query.limit(limit)
  return (await query.orderBy('c.incurred_at').orderBy('c.charge_id').execute()).map(chargeOf)
}

/** Charges of an order that count: not those that were taken back, nor those of an invoice that was credited as a whole, which are charged anew under a longer id. */
export async function chargesInForce(db: Db, tenantId: string, orderId: string): Promise<readonly Charge[]> {
  const charges = await listCharges(db, tenantId, { orderIds: [orderId], withSandbox: true })
  const replaced = new Set(charges.map(({ chargeId }) => chargeId.slice(0, Math.max(0, chargeId.lastIndexOf(':')))))
  return charges.filter(({ chargeId, state }) => state !== 'taken_back' && !replaced.has(chargeId))
}

/** Charges by id, those that there are; as many as fit one statement. */
export async function findCharges(db: Db, tenantId: string, chargeIds: readonly string[]): Promise<Charge[]> {
  return (await chargesOf(db, tenantId).where('c.charge_id', 'in', chargeIds).execute()).map(chargeOf)
}

/** One charge, if there is one. */
export async function findCharge(db: Db, tenantId: string, chargeId: string): Promise<Charge | undefined> {
  const row = await chargesOf(db, tenantId).where('c.charge_id', '=', chargeId).executeTakeFirst()
  return row && chargeOf(row)
}

/** Who was billed for a charge; for an open one, whom it was given to, or whom its order is billed to now. */
const ACCOUNT = sql<string>`coalesce(i.account_id, c.credited_to, b.account_id, o.party, '')`

function chargesOf(db: Db, tenantId: string) {
  return db
    .selectFrom('charges as c')
    .leftJoin('media_buys as b', (j) => j.onRef('b.tenant_id', '=', 'c.tenant_id').onRef('b.media_buy_id', '=', 'c.order_id'))
    .leftJoin('orders as o', (j) => j.onRef('o.tenant_id', '=', 'c.tenant_id').onRef('o.order_id', '=', 'c.order_id'))
    .leftJoin('invoices as i', (j) => j.onRef('i.tenant_id', '=', 'c.tenant_id').onRef('i.invoice_id', '=', 'c.invoice_id'))
    .selectAll('c')
    .select(ACCOUNT.as('account_id'))
    .where('c.tenant_id', '=', tenantId)
}

/** Puts open charges on an invoice. Throws CONFLICT when one of them is on an invoice, or was taken back, meanwhile. */
export async function billCharges(tx: Db, tenantId: string, invoiceId: string, chargeIds: readonly string[]): Promise<void> {
  for (const ids of chunksOf(chargeIds)) {
    const { numUpdatedRows } = await tx
      .updateTable('charges')
      .set({ invoice_id: invoiceId })
      .where('tenant_id', '=', tenantId)
      .where('charge_id', 'in', ids)
      .where('invoice_id', 'is', null)
      .where('taken_back_at', 'is', null)
      .executeTakeFirst()
    if (Number(numUpdatedRows) === ids.length) continue
    throw new AdcpError('CONFLICT', 'a charge was taken back or invoiced just now; preview the month again', { field: 'month' })
  }
}

/** Charges what was on an invoice anew, whom its orders are billed to now: the invoice was credited by the note of this number. */
export async function reopenCharges(tx: Db, tenantId: string, invoiceId: string, creditNote: string): Promise<void> {
  for (const charge of await listCharges(tx, tenantId, { invoiceId }))
    await insertCharge(tx, tenantId, { ...charge, chargeId: `${charge.chargeId}:${creditNote}` })
}

/** Takes an open charge back; false: it is on an invoice, was taken back before, or is not there. */
export async function takeBackCharge(
  tx: Db,
  tenantId: string,
  { chargeId, reason }: { readonly chargeId: string; readonly reason: string },
  { now, by }: { readonly now: Date; readonly by: string },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('charges')
    .set(takenBackColumns({ at: now.toISOString(), by, reason }))
    .where('tenant_id', '=', tenantId)
    .where('charge_id', '=', chargeId)
    .where('invoice_id', 'is', null)
    .where('taken_back_at', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows > 0n) await advanceBook(tx, tenantId)
  return numUpdatedRows > 0n
}

function chargeOf(row: Selectable<BillingTables['charges']> & { readonly account_id: string }): Charge {
  const { invoice_id: invoiceId } = row
  const takenBack = takenBackIn(row)
  return {
    ...{ chargeId: row.charge_id, kind: row.kind, orderId: row.order_id, lineId: row.line_id, productId: row.product_id },
    ...{ accountId: row.account_id, currency: row.currency, micros: Number(row.amount_micros), reason: row.reason },
    ...{ incurredAt: row.incurred_at, madeBy: row.made_by ?? undefined, invoiceId: invoiceId ?? undefined },
    state: takenBack ? 'taken_back' : invoiceId !== null ? 'billed' : 'open',
    ...(row.rule !== null && { rule: JSON.parse(row.rule) }),
    ...(takenBack && { takenBack }),
  }
}
