import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, writeSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import pino from 'pino'
import { afterAll, expect, it } from 'vitest'
import { startStoreCheck } from '../../src/compose/check-store.ts'
import { operatorOn } from '../../src/compose/operator.ts'
import { examineStore } from '../../src/operator/doctor/examine-store.ts'
import { inspectDeployment } from '../../src/operator/doctor/inspect-deployment.ts'
import { createMetrics } from '../../src/platform/metrics/metrics.ts'
import { readBacklog } from '../../src/store/backlog.ts'
import type { Store } from '../../src/store/database.ts'
import { sqliteDriver } from '../../src/store/sqlite/choose-sqlite-driver.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { healthRoutes } from '../../src/transports/http/health.ts'
import { startAgent } from '../support/start-agent.ts'

const closing: (() => unknown)[] = []
afterAll(() => Promise.all(closing.map((close) => close())))

/** A file of a server with a few orders' worth of rows, and the page where a table of it begins. */
async function stored(table: string) {
  const agent = await startAgent()
  const data = agent.config.data
  const path = join(mkdtempSync(join(tmpdir(), 'damage-')), 'sales-agent.sqlite')
  const live = sqliteDriver().open(join(data, 'sales-agent.sqlite'), { mode: 'readonly' })
  await live.backup(path)
  live.close()
  await agent.stop()
  const database = sqliteDriver().open(path)
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  const [root] = database.prepare<{ rootpage: number }>('SELECT rootpage FROM sqlite_schema WHERE name = ?').all([table])
  const [size] = database.prepare<{ page_size: number }>('PRAGMA page_size').all([])
  database.close()
  return { path, config: agent.config, offset: ((root?.rootpage ?? 0) - 1) * (size?.page_size ?? 0) }
}

async function open(path: string): Promise<Store> {
  const store = await openSqlite(path, { migrate: false })
  closing.push(() => store.close())
  return store
}

it('a damaged page is found beside the work, named with its table, counted, and told by doctor', async () => {
  const { path, config, offset } = await stored('principals')
  const lines: string[] = []
  const log = pino({}, new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) }))
  const sound = await open(path)
  expect(await sound.findDamage()).toEqual({ found: [], covers: expect.stringContaining('every page') })
  expect(await examineStore({ store: sound })).toEqual([expect.objectContaining({ check: 'store', outcome: 'ok' })])

  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(4096, 0xa5), 0, 4096, offset)
  closeSync(file)

  const store = await open(path)
  const metrics = createMetrics({
    backlog: () => readBacklog(store.read, new Date()),
    pools: () => [],
    spool: async () => ({ bytes: 0, waiting: 0, setAside: 0 }),
  })
  const numbers = async () => (await metrics.scrape()).body
  expect(await numbers()).not.toMatch(/^adcp_store_damage /m)
  const check = startStoreCheck({ store, metrics, log }, { firstMs: 1 })
  closing.push(() => check.stop())
  await expect.poll(numbers).toMatch(/^adcp_store_damage [1-9]/m)
  expect(lines.join('')).toMatch(/table principals.*the store is damaged/)

  const { readyz } = healthRoutes({ store: sound, requireSchemas: () => {}, damagedPlaces: check.damagedPlaces })
  const server = createServer((request, response) => void readyz(request, response)).listen(0, '127.0.0.1')
  closing.push(() => server.close())
  await once(server, 'listening')
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  expect(await answer.json()).toMatchObject({
    status: 'degraded',
    reasons: { damage: expect.stringMatching(/^the store has \d+ damaged places?; the log and sales-agent doctor name/) },
  })
  expect(answer.status).toBe(200)

  const findings = await examineStore({ store })
  expect(findings[0]).toMatchObject({ check: 'store', outcome: 'problem', text: expect.stringContaining('table principals') })
  const { sound: isSound, problems } = await inspectDeployment({ ...operatorOn(store, config), store })
  expect([isSound, problems[0]?.rule]).toEqual([false, expect.stringContaining('table principals')])
})

it('a file that is no store at all is damage, not an error', async () => {
  const { path } = await stored('tenants')
  const store = await open(path)
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(100, 1), 0, 100, 0)
  closeSync(file)
  expect((await store.findDamage()).found.length).toBeGreaterThan(0)
})
