import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { sqliteDriver } from '../src/store/sqlite/choose-sqlite-driver.ts'

/** What the statements of a purchase alone cost, without anything of ours around them. */
export interface RawStatements {
  /** Purchases a second. */
  readonly perSecond: number
  /** Purchases that shared a commit (SQLite) or ran at once (PostgreSQL). */
  readonly atOnce: number
}

type Row = Readonly<Record<string, unknown>>

/** Rows that a served purchase left in the store: what is written again, under new keys. */
interface Written {
  readonly claim: Row
  readonly buy: Row
  readonly pkg: Row
  readonly audit: Row
}

const MODELS = {
  claim: "SELECT * FROM idempotency WHERE response LIKE '%media_buy_id%' LIMIT 1",
  buy: 'SELECT * FROM media_buys LIMIT 1',
  pkg: 'SELECT * FROM packages LIMIT 1',
  audit: "SELECT * FROM audit_log WHERE task = 'create_media_buy' LIMIT 1",
  key: 'SELECT k.* FROM api_keys k JOIN media_buys m ON m.tenant_id = k.tenant_id AND m.principal_id = k.principal_id LIMIT 1',
  account: 'SELECT a.* FROM accounts a JOIN media_buys m ON m.tenant_id = a.tenant_id AND m.account_id = a.account_id LIMIT 1',
} as const

const KEY = `SELECT t.*, k.*, p.* FROM api_keys k
  JOIN principals p ON p.tenant_id = k.tenant_id AND p.principal_id = k.principal_id
  JOIN tenants t ON t.tenant_id = k.tenant_id WHERE k.key_hash = $1`
const ACCOUNT = `SELECT a.*, g.read_only, g.allowed_tasks FROM accounts a
  LEFT JOIN account_grants g ON g.tenant_id = a.tenant_id AND g.account_id = a.account_id AND g.principal_id = $1
  WHERE a.tenant_id = $2 AND (a.principal_id = $3 OR g.principal_id IS NOT NULL) AND a.natural_key = $4`
const GOVERNED = `SELECT EXISTS (SELECT 1 FROM account_governance_agents WHERE tenant_id = $1 AND account_id = $2),
  EXISTS (SELECT 1 FROM governance_plans WHERE tenant_id = $3 AND principal_id = $4)`
const ANSWER = `UPDATE idempotency SET response = $1
  WHERE tenant_id = $2 AND principal_id = $3 AND account_id = $4 AND idempotency_key = $5 AND response IS NULL`

/** The rows of one more purchase. */
function next({ claim, buy, pkg, audit }: Written, seq: number): Written {
  const media_buy_id = `raw_${randomUUID()}`
  return {
    claim: { ...claim, idempotency_key: randomUUID(), response: null },
    buy: { ...buy, media_buy_id },
    pkg: { ...pkg, media_buy_id, package_id: `${media_buy_id}-1` },
    audit: { ...audit, seq },
  }
}

function insert(table: string, row: Row): string {
  const names = Object.keys(row)
  return `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map((_name, n) => `$${n + 1}`).join(', ')})`
}

/** What a purchase looks up, with the values of one that was served. */
function lookups(key: Row, account: Row): readonly (readonly [name: string, sql: string, values: readonly unknown[]])[] {
  const { tenant_id: tenant, principal_id: principal, account_id: id } = account
  return [
    ['key', KEY, [key.key_hash]],
    ['account', ACCOUNT, [principal, tenant, principal, account.natural_key]],
    ['governed', GOVERNED, [tenant, id, tenant, principal]],
  ]
}

/**
 * The driver of the store with its settings of the store (WAL, `synchronous=FULL`, for claims NORMAL), `atOnce` purchases a commit as the store
 * shares it.
 */
export function rawSqlite(file: string, atOnce: number, seconds: number): RawStatements {
  const database = sqliteDriver().open(file)
  const model = (sql: string) => database.prepare<Row>(sql).all([])[0] ?? {}
  const written = { claim: model(MODELS.claim), buy: model(MODELS.buy), pkg: model(MODELS.pkg), audit: model(MODELS.audit) }
  const prepared = (sql: string) => database.prepare(sql.replaceAll(/\$\d+/g, '?'))
  const looks = lookups(model(MODELS.key), model(MODELS.account)).map(([, sql, values]) => ({ look: prepared(sql), values }))
  const answer = prepared(ANSWER)
  const claims = prepared(insert('idempotency', written.claim))
  const effects = [insert('media_buys', written.buy), insert('packages', written.pkg), insert('audit_log', written.audit)].map(
    prepared,
  )
  let seq = 1_000_000_000
  const claimed = (rows: readonly Written[]) => {
    database.exec('BEGIN')
    for (const { claim } of rows) claims.run(Object.values(claim))
    database.exec('COMMIT')
  }
  const done = (rows: readonly Written[]) => {
    database.exec('BEGIN')
    for (const { claim, buy, pkg, audit } of rows) {
      for (const [n, row] of [buy, pkg, audit].entries()) effects[n]?.run(Object.values(row))
      answer.run([written.claim.response, claim.tenant_id, claim.principal_id, claim.account_id, claim.idempotency_key])
    }
    database.exec('COMMIT')
  }
  const started = performance.now()
  let count = 0
  for (; performance.now() - started < seconds * 1000; count += atOnce) {
    const rows = Array.from({ length: atOnce }, () => next(written, seq++))
    for (const _row of rows) for (const { look, values } of looks) look.all(values)
    database.exec('PRAGMA synchronous = NORMAL')
    claimed(rows)
    database.exec('PRAGMA synchronous = FULL')
    done(rows)
  }
  const perSecond = (count * 1000) / (performance.now() - started)
  database.close()
  return { perSecond, atOnce }
}

/**
 * `pg` with `atOnce` purchases at a time, each statement after the other and prepared by name: look-ups and a claim that commits without
 * the disk on one connection of the purchase, then one transaction on another.
 */
export async function rawPostgres(url: string, atOnce: number, seconds: number): Promise<RawStatements> {
  const connect = async (options?: string) => {
    const client = new pg.Client({ connectionString: url, ...(options !== undefined && { options }) })
    await client.connect()
    return client
  }
  const pairs = await Promise.all(
    Array.from({ length: atOnce }, async () => ({ lazy: await connect('-c synchronous_commit=off'), durable: await connect() })),
  )
  const model = async (sql: string): Promise<Row> => (await pairs[0]?.durable.query(sql))?.rows[0]
  const written = {
    claim: await model(MODELS.claim),
    buy: await model(MODELS.buy),
    pkg: await model(MODELS.pkg),
    audit: await model(MODELS.audit),
  }
  const looks = lookups(await model(MODELS.key), await model(MODELS.account))
  let seq = 1_000_000_000
  let count = 0
  const started = performance.now()
  const one = async ({ lazy, durable }: { readonly lazy: pg.Client; readonly durable: pg.Client }) => {
    const run = (client: pg.Client, name: string, text: string, values: readonly unknown[]) =>
      client.query({ name, text, values: [...values] })
    const { claim, buy, pkg, audit } = next(written, seq++)
    for (const [name, text, values] of looks) await run(lazy, name, text, values)
    await run(lazy, 'claim', insert('idempotency', claim), Object.values(claim))
    await durable.query('START TRANSACTION ISOLATION LEVEL READ COMMITTED')
    await run(durable, 'buy', insert('media_buys', buy), Object.values(buy))
    await run(durable, 'package', insert('packages', pkg), Object.values(pkg))
    await run(durable, 'audit', insert('audit_log', audit), Object.values(audit))
    await run(durable, 'answer', ANSWER, [
      written.claim.response,
      claim.tenant_id,
      claim.principal_id,
      claim.account_id,
      claim.idempotency_key,
    ])
    await durable.query('COMMIT')
    count++
  }
  await Promise.all(
    pairs.map(async (pair) => {
      while (performance.now() - started < seconds * 1000) await one(pair)
    }),
  )
  const perSecond = (count * 1000) / (performance.now() - started)
  for (const { lazy, durable } of pairs) await Promise.all([lazy.end(), durable.end()])
  return { perSecond, atOnce }
}
