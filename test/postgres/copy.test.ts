import { randomUUID } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPostgres } from '../../src/store/postgres/postgres.ts'
import { CommandLine } from '../../tools/agent/command-line.ts'
import { startPostgres, type TestPostgres } from '../../tools/agent/postgres.ts'
import { agentClient } from '../support/client.ts'

const [START, END] = [30, 44].map((days) => new Date(Date.now() + days * 86_400_000).toISOString())
const ACCOUNT = { brand: { domain: 'brand.example' }, operator: 'agency.example' }
const SECRET = { SALES_AGENT_SECRET: 's'.repeat(43), SALES_AGENT_LOG_LEVEL: 'error' }

let postgres: TestPostgres
let key: string
const line = new CommandLine(SECRET)
const lines = [line]
const order = buy(randomUUID())
let mediaBuyId: string

beforeAll(async () => {
  postgres = await startPostgres()
  await line.json('init', '--demo')
  await line.json('buyers', 'add', 'buyer')
  key = (await line.json('keys', 'create', '--buyer', 'buyer')).token
  const server = await line.serve()
  const buyer = agentClient(server.mcpUrl, key)
  await buyer.call('sync_accounts', { idempotency_key: randomUUID(), accounts: [{ ...ACCOUNT, billing: 'operator' }] })
  mediaBuyId = (await buyer.call('create_media_buy', order)).data.media_buy_id
  expect(mediaBuyId).toBeTruthy()
  // An online backup: the server runs, and the write-ahead log is not folded in.
  await line.json('backup', '--to', join(line.folder, 'online.sqlite'))
  await server.end()
}, 120_000)
afterAll(async () => {
  await Promise.all(lines.map((each) => each.close()))
  await postgres?.stop()
})

describe('a store on its way from one engine to the other', () => {
  it('arrives whole, and goes on where it stood: keys, buys, and answers to retries', async () => {
    const url = await postgres.createDatabase('moved')
    const copied = await line.json('copy', '--from', `sqlite:${line.data}`, '--to', url)
    expect(copied.to).not.toContain('postgres:postgres@')
    const counts = Object.fromEntries(copied.tables.map((each: { table: string; rows: number }) => [each.table, each.rows]))
    expect(counts).toMatchObject({ tenants: 1, principals: 2, media_buys: 1, packages: 1 })
    expect(counts.products).toBeGreaterThan(3)
    expect(copied.tables.every(({ checksum }: { checksum: string }) => /^[0-9a-f]{16}$/.test(checksum))).toBe(true)

    const moved = commandLine(url)
    const server = await moved.serve()
    const buyer = agentClient(server.mcpUrl, key)
    expect((await buyer.call('create_media_buy', order)).data).toMatchObject({ media_buy_id: mediaBuyId, replayed: true })
    await server.end()

    const again = await line.run(['copy', '--from', `sqlite:${line.data}`, '--to', url, '--data', line.data])
    expect(again).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: --to: postgres:\/\/\S+\/moved is not empty \(\w+ holds rows\)/),
    })
    expect(again.stderr).not.toContain('postgres:postgres@')
  })

  it('leaves nothing behind when rows do not arrive as they left', async () => {
    const url = await postgres.createDatabase('broken')
    await commandLine(url).json('migrate')
    const store = await openPostgres(url)
    await store.pool.query(
      `CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.name := upper(NEW.name); RETURN NEW; END'`,
    )
    await store.pool.query('CREATE TRIGGER spoil BEFORE INSERT ON principals FOR EACH ROW EXECUTE FUNCTION spoil()')
    const run = await line.run(['copy', '--from', `sqlite:${line.data}`, '--to', url, '--data', line.data])
    expect(run.code).not.toBe(0)
    expect(run.stderr).toContain(
      'principals was not copied correctly: 2 rows were read, 2 are in the target, with another checksum',
    )
    expect((await store.pool.query('SELECT * FROM tenants')).rows).toEqual([])
    await store.close()
  })

  it('is backed up on either engine to one file, which either engine takes', async () => {
    const url = await postgres.createDatabase('restored')
    const onPostgres = commandLine(url)
    const first = await onPostgres.json('restore', '--from', join(line.folder, 'online.sqlite'))
    const file = join(onPostgres.folder, 'backup.sqlite')
    const second = await onPostgres.json('backup', '--to', file)
    expect(second.tables).toEqual(expect.arrayContaining(first.tables))
    const refused = await onPostgres.run(['backup', '--to', file, '--data', onPostgres.data])
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('is not empty') })

    const onSqlite = commandLine()
    await onSqlite.json('restore', '--from', file)
    expect(await onSqlite.json('migrate', '--check')).toMatchObject({ up_to_date: true })
    const server = await onSqlite.serve()
    expect((await agentClient(server.mcpUrl, key).call('create_media_buy', order)).data).toMatchObject({
      media_buy_id: mediaBuyId,
      replayed: true,
    })
    const twice = await onSqlite.run(['restore', '--from', file, '--data', onSqlite.data])
    expect(twice).toMatchObject({ code: 1, stderr: expect.stringContaining('exists already; nothing was overwritten') })
    await server.end()
  })

  it('is not restored from a file that is damaged or no store', async () => {
    const target = commandLine()
    const file = join(target.folder, 'noise.sqlite')
    writeFileSync(file, Buffer.alloc(8192, 'x'))
    const run = await target.run(['restore', '--from', file, '--data', target.data])
    expect(run.code).toBe(1)
    expect(run.stderr).toMatch(/^error: /)
    expect(existsSync(join(target.data, 'sales-agent.sqlite'))).toBe(false)
    const wrong = await line.run(['copy', '--to', 'postgrs://u:hunter2@h/db', '--data', line.data])
    expect(wrong).toMatchObject({ code: 1, stderr: expect.not.stringContaining('hunter2') })
  })
})

function commandLine(url?: string): CommandLine {
  const made = new CommandLine({ ...SECRET, ...(url !== undefined && { SALES_AGENT_DATABASE: url }) })
  lines.push(made)
  return made
}

function buy(idempotencyKey: string) {
  return {
    idempotency_key: idempotencyKey,
    account: ACCOUNT,
    brand: ACCOUNT.brand,
    start_time: START,
    end_time: END,
    packages: [{ product_id: 'ros_display', pricing_option_id: 'cpm_usd_auction', bid_price: 2, budget: 500 }],
  }
}
