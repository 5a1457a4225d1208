import { join } from 'node:path'
import { sqliteDriver } from '../../src/store/sqlite/choose-sqlite-driver.ts'
import type { SqliteDatabase } from '../../src/store/sqlite/sqlite-driver.ts'

/** How much a store holds. */
export interface Size {
  readonly products: number
  readonly mediaBuys: number
  readonly tenants: number
}

/** Buys of the measured buyer that run now, whatever the size: answers stay as long as they were. */
export const RUNNING = 120
/** Agents that share the rest with the measured one, which owns every second buy. */
const OTHER_AGENTS = 100
/** Rows of one INSERT: a million in one would double the write-ahead log. */
const BATCH = 50_000

/**
 * Grows a stopped store to a size by copies of rows that the server itself wrote: one media buy of the buyer, the products of the
 * products, the tenant. Most buys are over, as in a store that has run for years; the newest `RUNNING` of the buyer run now.
 */
export function growStore(data: string, size: Size): void {
  const store = sqliteDriver().open(join(data, 'sales-agent.sqlite'))
  store.exec('PRAGMA synchronous = OFF')
  store.exec('PRAGMA foreign_keys = OFF')
  growProducts(store, size.products)
  growMediaBuys(store, size.mediaBuys)
  growTenants(store, size.tenants)
  store.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  store.close()
}

const NUMBERS = 'WITH RECURSIVE n(i) AS (SELECT CAST(?1 AS INTEGER) UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?2)'

/** `sql` once for each batch of the numbers that are missing up to `wanted`. */
function fill(store: SqliteDatabase, have: number, wanted: number, statements: readonly string[]): void {
  for (let from = have; from < wanted; from += BATCH) {
    const to = Math.min(wanted, from + BATCH)
    store.exec('BEGIN')
    for (const sql of statements) store.prepare(sql).run([from, to])
    store.exec('COMMIT')
  }
}

/** A statement that writes copies of the model's rows: every column as the model has it, but for those of `changed` (SQL over `m` and `n.i`). */
function copies(
  store: SqliteDatabase,
  table: string,
  model: string,
  changed: Readonly<Record<string, string>>,
  join = '',
): string {
  const columns = store
    .prepare<{ name: string }>(`PRAGMA table_info(${table})`)
    .all([])
    .map(({ name }) => name)
  const unknown = Object.keys(changed).filter((name) => !columns.includes(name))
  if (unknown.length > 0) throw new Error(`${table} has no ${unknown.join(', ')}`)
  const values = columns.map((name) => changed[name] ?? `m.${name}`).join(', ')
  return `${NUMBERS} INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values} FROM n JOIN ${model} m ${join}`
}

function count(store: SqliteDatabase, table: string): number {
  return store.prepare<{ rows: number }>(`SELECT count(*) AS rows FROM ${table}`).all([])[0]?.rows ?? 0
}

/** Copies of ten demo products of several channels, eight of a kind with a word of their own in the name, so that a brief can ask for few. */
function growProducts(store: SqliteDatabase, wanted: number): void {
  const own = "SELECT rowid FROM products WHERE owner = '' ORDER BY product_id <> 'ros_display', product_id"
  store.exec(`DELETE FROM products WHERE rowid NOT IN (${own} LIMIT ${wanted})`)
  store.exec(`CREATE TEMP TABLE model AS SELECT * FROM products WHERE rowid IN (${own} LIMIT 10)`)
  const byTurns = 'ON m.rowid = n.i % (SELECT count(*) FROM model) + 1'
  const document = `json_set(m.document, '$.product_id', m.product_id || '_' || n.i,
    '$.name', json_extract(m.document, '$.name') || ' area' || (n.i / 8))`
  const changed = { product_id: "m.product_id || '_' || n.i", position: '1000 + n.i', document, removed_at: 'NULL' }
  const make = copies(store, 'products', 'model', changed, byTurns)
  fill(store, count(store, 'products'), wanted, [make])
  store.exec('DROP TABLE model; UPDATE tenants SET products_revision = products_revision + 1')
}

/** The media buy that is copied, beside what else is. */
const WITH_BUY = 'JOIN model b'

function growMediaBuys(store: SqliteDatabase, wanted: number): void {
  const have = count(store, 'media_buys')
  store.exec('CREATE TEMP TABLE model AS SELECT * FROM media_buys ORDER BY created_at DESC LIMIT 1')
  store.exec(`CREATE TEMP TABLE model_package AS SELECT p.* FROM packages p JOIN model b USING (tenant_id, media_buy_id)
    ORDER BY p.position LIMIT 1`)
  // The first RUNNING copies are the newest and run; the others began in the years before and are over, one in ten cancelled.
  const isRunning = `n.i <= ${RUNNING}`
  const owner = `CASE WHEN ${isRunning} OR n.i % 2 = 0 THEN b.principal_id ELSE 'agent-' || (n.i % ${OTHER_AGENTS}) END`
  const moment = (base: string, offsetMinutes: string) =>
    `strftime('%Y-%m-%dT%H:%M:%fZ', ${base}, '-' || (${offsetMinutes}) || ' minutes')`
  const past = `1440 * 60 + n.i`
  const created = `CASE WHEN ${isRunning} THEN ${moment('b.created_at', 'n.i')} ELSE ${moment('b.created_at', past)} END`
  const ends = `CASE WHEN ${isRunning} THEN b.ends_at ELSE ${moment('b.ends_at', past)} END`
  const id = "'mb_copy_' || n.i"
  const times = `'$.startsAt', ${created}, '$.createdAt', ${created}, '$.confirmedAt', ${created}, '$.endsAt', ${ends}`
  const buys = copies(
    store,
    'media_buys',
    'model',
    {
      media_buy_id: id,
      principal_id: owner,
      decision: `CASE WHEN ${isRunning} OR n.i % 10 THEN NULL ELSE 'canceled' END`,
      paused: '0',
      starts_at: created,
      ends_at: ends,
      revision: '1',
      created_at: created,
      search: `replace(m.search, m.media_buy_id, ${id})`,
      document: `json_set(m.document, '$.mediaBuyId', ${id}, ${times})`,
    },
    WITH_BUY,
  )
  const packages = copies(
    store,
    'packages',
    'model_package',
    {
      package_id: `${id} || '-1'`,
      media_buy_id: id,
      position: '0',
      document: `json_set(m.document, '$.packageId', ${id} || '-1', '$.needsCreatives', json('false'), '$.terms.from', ${created},
      '$.terms.startsAt', ${created}, '$.terms.endsAt', ${ends})`,
    },
    WITH_BUY,
  )
  const assignments = `${NUMBERS} INSERT INTO creative_assignments
    (tenant_id, principal_id, package_id, creative_id, position, weight, placement_ids, assigned_at, served)
    SELECT b.tenant_id, ${owner}, ${id} || '-1', CASE WHEN ${isRunning} THEN 'creative-' || (n.i % 60) ELSE 'past-' || n.i END,
    0, NULL, NULL, ${created}, '[]' FROM n JOIN model b`
  fill(store, have, wanted, [buys, packages, assignments])
  store.exec('DROP TABLE model; DROP TABLE model_package')
}

/** Tenants with an agent, a key and an account each. */
function growTenants(store: SqliteDatabase, wanted: number): void {
  const have = count(store, 'tenants')
  store.exec('CREATE TEMP TABLE model AS SELECT * FROM tenants LIMIT 1')
  const tenant = store.prepare<{ tenant_id: string }>('SELECT tenant_id FROM model').all([])[0]?.tenant_id
  const agent = `(SELECT * FROM principals WHERE tenant_id = '${tenant}' AND sandbox = 0 LIMIT 1)`
  const key = `(SELECT * FROM api_keys WHERE tenant_id = '${tenant}' LIMIT 1)`
  const account = `(SELECT * FROM accounts WHERE tenant_id = '${tenant}' AND sandbox = 0 LIMIT 1)`
  const id = "'tenant-' || n.i"
  fill(store, have, wanted, [
    copies(store, 'tenants', 'model', { tenant_id: id, domain: "'publisher-' || n.i || '.example'", is_public_default: '0' }),
    copies(store, 'principals', agent, { tenant_id: id }),
    copies(store, 'api_keys', key, { tenant_id: id, key_hash: "'hash-' || n.i", key_id: "'key-' || n.i" }),
    copies(store, 'accounts', account, { tenant_id: id }),
  ])
  store.exec('DROP TABLE model')
}
