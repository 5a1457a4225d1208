import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sqliteDriver } from '../../src/store/sqlite/choose-sqlite-driver.ts'
import { migrateSqlite } from '../../src/store/sqlite/sqlite.ts'
import { CommandLine } from '../../tools/agent/command-line.ts'
import { agentClient } from '../support/client.ts'

/** A store of the last version before the squash (29f53b6): the demo, an order and two accounts bought with this key, and the secret that it was made with. */
const FIXTURE = new URL('../fixtures/earlier-store.sqlite.gz', import.meta.url)
const KEY = 'sk_2574c8f041af_XUuKWV3bNkc9He5PoB8GqxcC_oTX6Q8paS5HMISIWd0'
const SECRET = '4DsDB4xQcQKP_8PV2TPDUCJGJctZGWbcxIGPjgXar_s'

const line = new CommandLine({ SALES_AGENT_LOG_LEVEL: 'error' })
const at = (name: string) => join(line.folder, name)
const earlier = at('earlier')

beforeAll(() => {
  mkdirSync(earlier)
  writeFileSync(join(earlier, 'sales-agent.sqlite'), gunzipSync(readFileSync(FIXTURE)))
  writeFileSync(join(earlier, 'deployment.secret'), SECRET)
  keepAnswers(join(earlier, 'sales-agent.sqlite'))
})
afterAll(() => line.close())

it('commands on a store of an earlier version name the one that carries it over', async () => {
  const { code, stderr } = await line.run(['keys', 'list', '--data', earlier])
  expect(code).toBe(1)
  expect(stderr).toContain('sales-agent store migrate --from')
  const restore = await line.run(['restore', '--from', join(earlier, 'sales-agent.sqlite'), '--data', at('restored')])
  expect(restore.stderr).toContain('sales-agent store migrate --from')
})

it('carries a data folder over: orders, keys, answers of calls and logs work as before', async () => {
  const before = readFileSync(join(earlier, 'sales-agent.sqlite'))
  const { store, applied } = await line.json('store', 'migrate', '--from', earlier)
  expect(store).toBe(line.data)
  expect(applied).toContain('0113-keys-of-agents')
  expect(readFileSync(join(earlier, 'sales-agent.sqlite')).equals(before)).toBe(true)
  expect(readFileSync(join(line.data, 'deployment.secret'), 'utf8')).toBe(SECRET)
  expect(statSync(join(line.data, 'deployment.secret')).mode & 0o777).toBe(0o600)

  const server = await line.serve()
  const buyer = agentClient(server.mcpUrl, KEY)
  const { data } = await buyer.call('get_media_buys', { media_buy_ids: ['mb_158fab93-a0e4-42c4-9aa5-fe9fb13c79f1'] })
  expect(data.media_buys).toMatchObject([{ total_budget: 5000 }])
  const again = await buyer.call('create_media_buy', {
    idempotency_key: 'carried-over-0001-order',
    account: { brand: { domain: 'demo-brand.example' }, operator: 'demo-agency.example', sandbox: true },
    brand: { domain: 'demo-brand.example' },
    start_time: '2027-01-01T00:00:00Z',
    end_time: '2027-02-01T00:00:00Z',
    packages: [{ buyer_ref: 'p1', product_id: 'outdoor_lifestyle_display', pricing_option_id: 'cpm_usd_fixed', budget: 5000 }],
  })
  expect(again.data).toMatchObject({ replayed: true, media_buy_id: 'mb_158fab93-a0e4-42c4-9aa5-fe9fb13c79f1' })
  expect((await buyer.call('list_accounts', {})).data.accounts).toMatchObject([{ brand: { domain: 'second-brand.example' } }])
  await server.end()

  expect((await line.run(['audit', 'verify', '--data', line.data])).code).toBe(0)
  const entries = await line.json('audit', 'list')
  expect(entries.items).not.toHaveLength(0)
})

it('gives a store with the schema of a new one', async () => {
  await migrateSqlite(at('new.sqlite'))
  expect(schemaOf(join(line.data, 'sales-agent.sqlite'))).toEqual(schemaOf(at('new.sqlite')))
})

it.each([
  ['a folder without a store', () => [at('none')], 'there is no store in'],
  ['a store of this version', () => [line.data], 'was made by this version'],
])('refuses %s', async (_, from, why) => {
  const { code, stderr } = await line.run(['store', 'migrate', '--from', ...from(), '--data', at('elsewhere')])
  expect(code).toBe(1)
  expect(stderr).toContain(why)
})

it('refuses a target that holds something', async () => {
  const { code, stderr } = await line.run(['store', 'migrate', '--from', earlier, '--data', line.data])
  expect(code).toBe(1)
  expect(stderr).toContain('is not empty')
})

/** The answers in the fixture are kept for a day; here from today on, so that the test does not depend on its date. */
function keepAnswers(path: string) {
  const database = sqliteDriver().open(path, { mode: 'existing' })
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
  database.prepare('UPDATE idempotency SET expires_at = ?, forget_at = ?').run([inDays(1), inDays(8)])
  database.close()
}

/** Tables with their columns and indexes, whatever the order in which they were made. */
function schemaOf(path: string) {
  const database = sqliteDriver().open(path, { mode: 'readonly' })
  try {
    const tables = database
      .prepare<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
      .all([])
    return tables.map(({ name }) => ({
      name,
      columns: database
        .prepare('SELECT name, lower(type) AS type, "notnull", dflt_value, pk, hidden FROM pragma_table_xinfo(?) ORDER BY name')
        .all([name]),
      references: database
        .prepare('SELECT "table", "from", "to" FROM pragma_foreign_key_list(?) ORDER BY "table", "from"')
        .all([name]),
      indexes: database
        .prepare(
          `SELECT i.name, i."unique", i.partial, group_concat(c.name) AS columns
           FROM pragma_index_list(?) i, pragma_index_info(i.name) c WHERE i.name NOT LIKE 'sqlite_%' GROUP BY i.name ORDER BY i.name`,
        )
        .all([name]),
    }))
  } finally {
    database.close()
  }
}
