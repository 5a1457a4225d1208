import type { Selectable } from 'kysely'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import type { Period } from '../../domain/media-buy/calendar-period.ts'
import { type Holding, reservationSteps } from '../../domain/media-buy/inventory.ts'
import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { Db } from '../database.ts'
import { moveReservation, type Pool, reservedIn, reservedOfProducts } from './inventory.ts'
import type { HoldTables } from './rows.ts'

/** A hold on inventory, in the pool that it is taken from. */
export interface Hold extends Holding {
  readonly pool: string
}

/** A hold with the proposal that it is for. */
export interface ProposalHold extends Hold {
  readonly proposalId: string
}

/** Rows that one transaction of the sweep gives back: a few milliseconds. */
const SWEEP_HOLDS = 100

/** Notes what a proposal holds; the caller has moved the reservation. */
export async function insertHolds(
  tx: Db,
  owner: PrincipalRef,
  proposalId: string,
  { pool, holdings, expiresAt }: { readonly pool: string; readonly holdings: readonly Holding[]; readonly expiresAt: string },
): Promise<void> {
  if (holdings.length === 0) return
  const rows = holdings.map(({ productId, reservedImpressions, terms, openWeek }, position) => ({
    tenant_id: owner.tenantId,
    principal_id: owner.principalId,
    proposal_id: proposalId,
    position,
    pool,
    product_id: productId,
    impressions: reservedImpressions,
    starts_at: terms.startsAt,
    ends_at: terms.endsAt,
    open_week: openWeek ?? null,
    expires_at: expiresAt,
  }))
  await tx.insertInto('inventory_holds').values(rows).execute()
}

/** What a proposal of the agent's holds now. */
export async function holdsOf(db: Db, owner: PrincipalRef, proposalId: string): Promise<readonly Hold[]> {
  return (await ownRows(db, owner).where('proposal_id', '=', proposalId).orderBy('position').execute()).map(holdOf)
}

/** What an agent holds of some products of a pool at a moment, by all its proposals. */
export async function holdsOfAgent(
  db: Db,
  owner: PrincipalRef,
  pool: string,
  productIds: readonly string[],
  now: Date,
): Promise<readonly ProposalHold[]> {
  if (productIds.length === 0) return []
  const rows = await ownRows(db, owner)
    .where('pool', '=', pool)
    .where('product_id', 'in', productIds)
    .where('expires_at', '>', now.toISOString())
    .orderBy('proposal_id')
    .execute()
  return rows.map((row) => ({ ...holdOf(row), proposalId: row.proposal_id }))
}

/** Ends the hold of a proposal, once: the caller gives back, or keeps for an order, what it held. */
export async function takeHolds(tx: Db, owner: PrincipalRef, proposalId: string): Promise<readonly Hold[]> {
  const rows = await tx
    .deleteFrom('inventory_holds')
    .where('tenant_id', '=', owner.tenantId)
    .where('principal_id', '=', owner.principalId)
    .where('proposal_id', '=', proposalId)
    .returningAll()
    .execute()
  return rows.map(holdOf)
}

/** Ends the holds on some products that are over, as {@link takeHolds}. */
export async function takeLapsedHolds(
  tx: Db,
  { tenantId, pool }: Pool,
  productIds: readonly string[],
  now: Date,
): Promise<readonly Hold[]> {
  if (productIds.length === 0) return []
  const rows = await tx
    .deleteFrom('inventory_holds')
    .where('tenant_id', '=', tenantId)
    .where('pool', '=', pool)
    .where('product_id', 'in', productIds)
    .where('expires_at', '<=', now.toISOString())
    .returningAll()
    .execute()
  return rows.map(holdOf)
}

/** Gives back what holdings reserved in a pool. */
export async function releaseHoldings(tx: Db, pool: Pool, holdings: readonly Holding[]): Promise<void> {
  for (const [productId, changes] of await inTurns(reservationSteps(holdings, [])))
    await moveReservation(tx, pool, productId, changes)
}

/** Gives back some holds that are over. True when there may be more. */
export async function sweepHolds(tx: Db, now: Date): Promise<boolean> {
  const over = await tx
    .selectFrom('inventory_holds')
    .select(['tenant_id', 'pool', 'product_id'])
    .where('expires_at', '<=', now.toISOString())
    .distinct()
    .limit(SWEEP_HOLDS)
    .execute()
  for (const { tenant_id: tenantId, pool, product_id: productId } of over) {
    const of = { tenantId, pool }
    await releaseHoldings(tx, of, await takeLapsedHolds(tx, of, [productId], now))
  }
  return over.length === SWEEP_HOLDS
}

/** The moment that inventory is asked about, and holds that are not in the way: those of the very order. */
export interface ReservedAt {
  readonly now: Date
  readonly own?: readonly Hold[]
}

/** What is held of a product at a moment, as {@link reservedIn}: without what holds that are over still reserve, and without `own`. */
export async function reservedNow(
  db: Db,
  pool: Pool,
  productId: string,
  days: { readonly first: string; readonly last: string },
  at: ReservedAt,
): Promise<Map<Period, number>> {
  const reserved = await reservedIn(db, pool, productId, days)
  await leaveOutHolds(db, pool, new Map([[productId, reserved]]), at)
  return reserved
}

/** As {@link reservedNow}, of some products at once: for ranges of a few days. By product id; one that nothing is held of is absent. */
export async function reservedNowOfProducts(
  db: Db,
  pool: Pool,
  productIds: readonly string[],
  days: { readonly first: string; readonly last: string },
  at: ReservedAt,
): Promise<Map<string, Map<Period, number>>> {
  const reserved = await reservedOfProducts(db, pool, productIds, days)
  await leaveOutHolds(db, pool, reserved, at)
  return reserved
}

/** Takes what is not held at a moment off what is reserved of products. */
async function leaveOutHolds(
  db: Db,
  { tenantId, pool }: Pool,
  reserved: ReadonlyMap<string, Map<Period, number>>,
  { now, own = [] }: ReservedAt,
): Promise<void> {
  if (reserved.size === 0) return
  const lapsed = await db
    .selectFrom('inventory_holds')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('pool', '=', pool)
    .where('product_id', 'in', [...reserved.keys()])
    .where('expires_at', '<=', now.toISOString())
    .execute()
  const mine = own.filter((hold) => hold.pool === pool && reserved.has(hold.productId))
  for (const [productId, changes] of await inTurns(reservationSteps([...lapsed.map(holdOf), ...mine], []))) {
    const periods = reserved.get(productId)
    for (const { period, delta } of changes) {
      const held = periods?.get(period)
      if (held !== undefined) periods?.set(period, held + delta)
    }
  }
}

function ownRows(db: Db, { tenantId, principalId }: PrincipalRef) {
  return db.selectFrom('inventory_holds').selectAll().where('tenant_id', '=', tenantId).where('principal_id', '=', principalId)
}

function holdOf(row: Selectable<HoldTables['inventory_holds']>): Hold {
  return {
    pool: row.pool,
    productId: row.product_id,
    reservedImpressions: Number(row.impressions),
    terms: { startsAt: row.starts_at, endsAt: row.ends_at },
    ...(row.open_week !== null && { openWeek: row.open_week }),
  }
}
