import { randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import { type Drift, isSameDrift, missing } from '../../domain/ad-serving/drift.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../database.ts'
import { hotQuery } from '../hot-query.ts'
import { sortRows } from '../sort-rows.ts'
import type { AdServerDriftTables, DriftState } from './rows.ts'

/** The order that drifted. */
interface OrderRef {
  readonly tenantId: string
  readonly mediaBuyId: string
  readonly adServer: string
}

export interface StoredDrift extends Drift, OrderRef {
  readonly driftId: string
  readonly state: DriftState
  readonly foundAt: string
  readonly settledAt: string | undefined
}

/** Drift of an order in a state, oldest first. An order has few: one row a field that is open or adopted. */
export async function driftOf(db: Db, order: OrderRef, state: DriftState): Promise<StoredDrift[]> {
  const { tenantId, mediaBuyId, adServer } = order
  const { rows } = await driftInState(db, { tenantId, mediaBuyId, adServer, state })
  return sortRows(rows, 'found_at', 'drift_id').map(driftIn)
}

const driftInState = hotQuery(['tenantId', 'mediaBuyId', 'adServer', 'state'], (db, value) =>
  db
    .selectFrom('ad_server_drift')
    .selectAll()
    .where('tenant_id', '=', value('tenantId'))
    .where('media_buy_id', '=', value('mediaBuyId'))
    .where('ad_server', '=', value('adServer'))
    .where('state', '=', value.of<DriftState>('state')),
)

/** Drift of a publisher, or of one of its orders, the newest first; `limit` at most. */
export async function listDrift(
  db: Db,
  tenantId: string,
  query: { readonly states: readonly DriftState[]; readonly mediaBuyId?: string | undefined; readonly limit: number },
): Promise<StoredDrift[]> {
  const { states, mediaBuyId, limit } = query
  const all = db.selectFrom('ad_server_drift').selectAll().where('tenant_id', '=', tenantId)
  const some = mediaBuyId === undefined ? all : all.where('media_buy_id', '=', mediaBuyId)
  const rows = await some.where('state', 'in', states).orderBy('found_at', 'desc').orderBy('drift_id').limit(limit).execute()
  return rows.map(driftIn)
}

/** One drift. Throws REFERENCE_NOT_FOUND. */
export async function getDrift(db: Db, tenantId: string, driftId: string): Promise<StoredDrift> {
  const row = await db
    .selectFrom('ad_server_drift')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('drift_id', '=', driftId)
    .executeTakeFirst()
  if (row) return driftIn(row)
  const message = `no drift "${driftId}"; sales-agent adservers drift lists the ids`
  throw new AdcpError('REFERENCE_NOT_FOUND', message, { field: 'drift_id' })
}

/** Records what is found now beside what was open: new drift is added, what is no longer there is closed. Gives all that is open. */
export async function recordDrift(tx: Db, order: OrderRef, found: readonly Drift[], now: Date): Promise<StoredDrift[]> {
  const known = await driftOf(tx, order, 'open')
  const gone = known.filter((each) => !found.some((one) => isSameDrift(one, each)))
  await settleDrift(tx, gone, 'gone', now)
  for (const one of found.filter((each) => !known.some((stored) => isSameDrift(each, stored))))
    await openDrift(tx, order, one, now)
  return driftOf(tx, order, 'open')
}

/** Records that an order, or a line of it, was to be written and cannot be told from something else there. */
export async function noteMissing(tx: Db, order: OrderRef, subject: string, now: Date): Promise<void> {
  const one = missing(subject, 'active')
  const known = await driftOf(tx, order, 'open')
  if (!known.some((stored) => isSameDrift(one, stored))) await openDrift(tx, order, one, now)
}

async function openDrift(tx: Db, order: OrderRef, one: Drift, now: Date): Promise<void> {
  await tx
    .insertInto('ad_server_drift')
    .values({
      tenant_id: order.tenantId,
      drift_id: `drift_${randomUUID()}`,
      media_buy_id: order.mediaBuyId,
      ad_server: order.adServer,
      subject: one.subject,
      field: one.field,
      expected: JSON.stringify(one.expected),
      observed: JSON.stringify(one.observed),
      state: 'open',
      found_at: now.toISOString(),
      settled_at: null,
    })
    .execute()
}

/** Writes what became of drift. */
export async function settleDrift(tx: Db, drift: readonly StoredDrift[], state: DriftState, now: Date): Promise<void> {
  for (const { tenantId, driftId } of drift)
    await tx
      .updateTable('ad_server_drift')
      .set({ state, settled_at: now.toISOString() })
      .where('tenant_id', '=', tenantId)
      .where('drift_id', '=', driftId)
      .execute()
}

interface OrderKeys {
  readonly media_buy_id: string
  readonly ad_server: string
}

/** An order at an ad server as one text. */
export function orderKey({ media_buy_id, ad_server }: OrderKeys): string {
  return JSON.stringify([media_buy_id, ad_server])
}

/** Those of the orders that someone changed at their ad server, and that are left so. */
export async function differingOrders(db: Db, tenantId: string, orders: readonly OrderKeys[]): Promise<ReadonlySet<string>> {
  if (orders.length === 0) return new Set()
  const ids = [...new Set(orders.map(({ media_buy_id }) => media_buy_id))]
  const rows = await db
    .selectFrom('ad_server_drift')
    .select(['media_buy_id', 'ad_server'])
    .distinct()
    .where('tenant_id', '=', tenantId)
    .where('media_buy_id', 'in', ids)
    .where('state', '=', 'open')
    .where('field', '!=', 'added')
    .execute()
  return new Set(rows.map(orderKey))
}

function driftIn(row: Selectable<AdServerDriftTables['ad_server_drift']>): StoredDrift {
  return {
    tenantId: row.tenant_id,
    driftId: row.drift_id,
    mediaBuyId: row.media_buy_id,
    adServer: row.ad_server,
    subject: row.subject,
    field: row.field,
    expected: JSON.parse(row.expected),
    observed: JSON.parse(row.observed),
    state: row.state,
    foundAt: row.found_at,
    settledAt: row.settled_at ?? undefined,
  }
}
