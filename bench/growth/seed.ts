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

function count(store: SqliteDatabase, table: string): number {
  return store.prepare<{ rows: number }>(`SELECT count(*) AS rows FROM ${table}`).all([])[0]?.rows ?? 0
}

/** Copies of ten demo products of several channels, eight of a kind with a word of their own in the name, so that a brief can ask for few. */
function growProducts(store: SqliteDatabase, wanted: number): void {
  const own = "SELECT rowid FROM products WHERE owner = '' ORDER BY product_id <> 'ros_display', product_id"
  store.exec(`DELETE FROM products WHERE rowid NOT IN (${own} LIMIT ${wanted})`)
  store.exec(`CREATE TEMP TABLE model AS SELECT * FROM products WHERE rowid IN (${own} LIMIT 10)`)
  const make = `${NUMBERS} INSERT INTO products SELECT m.tenant_id, '', m.product_id || '_' || n.i, 1000 + n.i,
    json_set(m.document, '$.product_id', m.product_id || '_' || n.i, '$.name', json_extract(m.document, '$.name') || ' area' || (n.i / 8)),
    NULL, m.created_at, m.updated_at, m.revision FROM n JOIN model m ON m.rowid = n.i % (SELECT count(*) FROM model) + 1`
  fill(store, count(store, 'products'), wanted, [make])
  store.exec('DROP TABLE model; UPDATE tenants SET products_revision = products_revision + 1')
}

function growMediaBuys(store: SqliteDatabase, wanted: number): void {
  const have = count(store, 'media_buys')
  store.exec(`CREATE TEMP TABLE model AS SELECT b.*, p.document AS package, p.product_id FROM media_buys b
    JOIN packages p USING (tenant_id, media_buy_id) ORDER BY b.created_at DESC LIMIT 1`)
  // The first RUNNING copies are the newest and run; the others began in the years before and are over, one in ten cancelled.
  const isRunning = `n.i <= ${RUNNING}`
  const owner = `CASE WHEN ${isRunning} OR n.i % 2 = 0 THEN m.principal_id ELSE 'agent-' || (n.i % ${OTHER_AGENTS}) END`
  const moment = (base: string, offsetMinutes: string) =>
    `strftime('%Y-%m-%dT%H:%M:%fZ', ${base}, '-' || (${offsetMinutes}) || ' minutes')`
  const past = `1440 * 60 + n.i`
  const created = `CASE WHEN ${isRunning} THEN ${moment('m.created_at', 'n.i')} ELSE ${moment('m.created_at', past)} END`
  const ends = `CASE WHEN ${isRunning} THEN m.ends_at ELSE ${moment('m.ends_at', past)} END`
  const buys = `${NUMBERS} INSERT INTO media_buys SELECT m.tenant_id, 'mb_copy_' || n.i, ${owner}, m.account_id,
    CASE WHEN ${isRunning} OR n.i % 10 THEN NULL ELSE 'canceled' END, 0, ${created}, ${ends}, 1, ${created},
    json_set(m.document, '$.mediaBuyId', 'mb_copy_' || n.i, '$.startsAt', ${created}, '$.createdAt', ${created},
      '$.confirmedAt', ${created}, '$.endsAt', ${ends}) FROM n JOIN model m`
  const packages = `${NUMBERS} INSERT INTO packages SELECT m.tenant_id, 'mb_copy_' || n.i || '-1', 'mb_copy_' || n.i, 0, m.product_id,
    json_set(m.package, '$.packageId', 'mb_copy_' || n.i || '-1', '$.needsCreatives', json('false'), '$.terms.from', ${created}, '$.terms.startsAt', ${created},
      '$.terms.endsAt', ${ends}) FROM n JOIN model m`
  const assignments = `${NUMBERS} INSERT INTO creative_assignments SELECT m.tenant_id, ${owner}, 'mb_copy_' || n.i || '-1',
    CASE WHEN ${isRunning} THEN 'creative-' || (n.i % 60) ELSE 'past-' || n.i END, 0, NULL, NULL, ${created}, '[]' FROM n JOIN model m`
  fill(store, have, wanted, [buys, packages, assignments])
  store.exec('DROP TABLE model')
}

/** Tenants with an agent, a key and an account each. */
function growTenants(store: SqliteDatabase, wanted: number): void {
  const have = count(store, 'tenants')
  store.exec('CREATE TEMP TABLE model AS SELECT * FROM tenants LIMIT 1')
  const tenant = store.prepare<{ tenant_id: string }>('SELECT tenant_id FROM model').all([])[0]?.tenant_id
  const agent = `(SELECT * FROM principals WHERE tenant_id = '${tenant}' AND sandbox = 0 LIMIT 1)`
  const key = `(SELECT * FROM api_keys WHERE tenant_id = '${tenant}' LIMIT 1)`
  const account = `(SELECT * FROM accounts WHERE tenant_id = '${tenant}' AND sandbox = 0 LIMIT 1)`
  const copy = (table: string, model: string, changed: Readonly<Record<string, string>>) => {
    const names = store.prepare<{ name: string }>(`PRAGMA table_info(${table})`).all([])
    const values = names.map(({ name }) => changed[name] ?? `m.${name}`).join(', ')
    return `${NUMBERS} INSERT INTO ${table} SELECT ${values} FROM n JOIN ${model} m`
  }
  const id = "'tenant-' || n.i"
  fill(store, have, wanted, [
    copy('tenants', 'model', { tenant_id: id, domain: "'publisher-' || n.i || '.example'", is_public_default: '0' }),
    copy('principals', agent, { tenant_id: id }),
    copy('api_keys', key, { tenant_id: id, key_hash: "'hash-' || n.i", key_id: "'key-' || n.i" }),
    copy('accounts', account, { tenant_id: id }),
  ])
  store.exec('DROP TABLE model')
}
