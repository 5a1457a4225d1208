import type { Selectable } from 'kysely'
import type { DriftPolicy } from '../../domain/ad-serving/drift.ts'
import type { Db } from '../database.ts'
import type { StoredAdServerTables } from './rows.ts'

/** An ad server that a publisher set up at run time. */
export interface StoredAdServer {
  readonly tenantId: string
  readonly name: string
  /** One of the built-in types. */
  readonly type: string
  readonly options: Readonly<Record<string, unknown>>
  readonly drift: DriftPolicy
  /** Products that it serves; undefined: all that no other ad server is set for. */
  readonly products: readonly string[] | undefined
  readonly updatedAt: string
}

/** The ad servers that publishers set up, of one publisher or of all, by name. */
export async function listStoredAdServers(db: Db, tenantId?: string): Promise<StoredAdServer[]> {
  const rows = await db
    .selectFrom('tenant_ad_servers')
    .selectAll()
    .$if(tenantId !== undefined, (q) => q.where('tenant_id', '=', tenantId ?? ''))
    .orderBy('tenant_id')
    .orderBy('name')
    .execute()
  return rows.map(storedIn)
}

/** Text that differs after any change of the ad servers that publishers set up. */
export async function adServersVersion(db: Db): Promise<string> {
  const row = await db
    .selectFrom('tenant_ad_servers')
    .select((e) => [
      e.fn.countAll<number>().as('rows'),
      e.fn.sum<number>('revision').as('sum'),
      e.fn.max('updated_at').as('last'),
    ])
    .executeTakeFirst()
  return JSON.stringify([Number(row?.rows ?? 0), Number(row?.sum ?? 0), row?.last ?? ''])
}

/** Writes an ad server of a publisher, new or known. */
export async function saveStoredAdServer(tx: Db, adServer: Omit<StoredAdServer, 'updatedAt'>, now: Date): Promise<void> {
  const { tenantId, name, type, drift } = adServer
  const values = {
    type,
    drift,
    options: JSON.stringify(adServer.options),
    products: adServer.products ? JSON.stringify(adServer.products) : null,
    updated_at: now.toISOString(),
  }
  await tx
    .insertInto('tenant_ad_servers')
    .values({ tenant_id: tenantId, name, revision: 1, ...values })
    .onConflict((c) =>
      c.columns(['tenant_id', 'name']).doUpdateSet((e) => ({ ...values, revision: e('tenant_ad_servers.revision', '+', 1) })),
    )
    .execute()
}

export async function removeStoredAdServer(tx: Db, tenantId: string, name: string): Promise<void> {
  await tx.deleteFrom('tenant_ad_servers').where('tenant_id', '=', tenantId).where('name', '=', name).execute()
}

function storedIn(row: Selectable<StoredAdServerTables['tenant_ad_servers']>): StoredAdServer {
  return {
    tenantId: row.tenant_id,
    name: row.name,
    type: row.type,
    options: JSON.parse(row.options),
    drift: row.drift,
    products: row.products === null ? undefined : JSON.parse(row.products),
    updatedAt: row.updated_at,
  }
}
