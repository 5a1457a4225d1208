import { randomUUID } from 'node:crypto'
import Database from 'better-sqlite3'
import pg from 'pg'

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
} as const

const TENANT = 'SELECT * FROM tenants WHERE tenant_id = $1'
const ACCOUNT = 'SELECT * FROM accounts WHERE tenant_id = $1 AND principal_id = $2 LIMIT 1'
const ANSWER = 'UPDATE idempotency SET response = $1 WHERE tenant_id = $2 AND principal_id = $3 AND idempotency_key = $4'

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

/** better-sqlite3 with the settings of the store (WAL, `synchronous=FULL`), `atOnce` purchases a commit as the store shares it. */
export function rawSqlite(file: string, atOnce: number, seconds: number): RawStatements {
  const database = new Database(file)
  database.pragma('synchronous = FULL')
  const model = (sql: string) => database.prepare(sql).get() as Row
  const written = { claim: model(MODELS.claim), buy: model(MODELS.buy), pkg: model(MODELS.pkg), audit: model(MODELS.audit) }
  const prepared = (sql: string) => database.prepare(sql.replaceAll(/\$\d+/g, '?'))
  const [tenant, account, answer] = [prepared(TENANT), prepared(ACCOUNT), prepared(ANSWER)]
  const claims = prepared(insert('idempotency', written.claim))
  const effects = [insert('media_buys', written.buy), insert('packages', written.pkg), insert('audit_log', written.audit)].map(
    prepared,
  )
  let seq = 1_000_000_000
  const claimed = database.transaction((rows: readonly Written[]) => {
    for (const { claim } of rows) {
      tenant.get(claim.tenant_id)
      account.get(claim.tenant_id, claim.principal_id)
      claims.run(Object.values(claim))
    }
  })
  const done = database.transaction((rows: readonly Written[]) => {
    for (const { claim, buy, pkg, audit } of rows) {
      for (const [n, row] of [buy, pkg, audit].entries()) effects[n]?.run(Object.values(row))
      answer.run(written.claim.response, claim.tenant_id, claim.principal_id, claim.idempotency_key)
    }
  })
  const started = performance.now()
  let count = 0
  for (; performance.now() - started < seconds * 1000; count += atOnce) {
    const rows = Array.from({ length: atOnce }, () => next(written, seq++))
    claimed(rows)
    done(rows)
  }
  const perSecond = (count * 1000) / (performance.now() - started)
  database.close()
  return { perSecond, atOnce }
}

/** `pg` with `atOnce` connections, each a purchase after the other: a claim, then one transaction, prepared by name. */
export async function rawPostgres(url: string, atOnce: number, seconds: number): Promise<RawStatements> {
  const clients = await Promise.all(
    Array.from({ length: atOnce }, async () => {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      return client
    }),
  )
  const [first] = clients
  const model = async (sql: string): Promise<Row> => (await first?.query(sql))?.rows[0]
  const written = {
    claim: await model(MODELS.claim),
    buy: await model(MODELS.buy),
    pkg: await model(MODELS.pkg),
    audit: await model(MODELS.audit),
  }
  let seq = 1_000_000_000
  let count = 0
  const started = performance.now()
  const one = async (client: pg.Client) => {
    const run = (name: string, text: string, values: readonly unknown[]) => client.query({ name, text, values: [...values] })
    const { claim, buy, pkg, audit } = next(written, seq++)
    await run('tenant', TENANT, [claim.tenant_id])
    await run('account', ACCOUNT, [claim.tenant_id, claim.principal_id])
    await run('claim', insert('idempotency', claim), Object.values(claim))
    await client.query('BEGIN')
    await run('buy', insert('media_buys', buy), Object.values(buy))
    await run('package', insert('packages', pkg), Object.values(pkg))
    await run('audit', insert('audit_log', audit), Object.values(audit))
    await run('answer', ANSWER, [written.claim.response, claim.tenant_id, claim.principal_id, claim.idempotency_key])
    await client.query('COMMIT')
    count++
  }
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() - started < seconds * 1000) await one(client)
    }),
  )
  const perSecond = (count * 1000) / (performance.now() - started)
  for (const client of clients) await client.end()
  return { perSecond, atOnce }
}
