import { mkdtempSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Store } from '../../../src/store/database.ts'
import { sqliteDrivers } from '../../../src/store/sqlite/choose-sqlite-driver.ts'
import { openSqlite } from '../../../src/store/sqlite/sqlite.ts'
import type { SqliteDatabase, SqliteDriver } from '../../../src/store/sqlite/sqlite-driver.ts'
import { healthRoutes } from '../../../src/transports/http/health.ts'

const closing: (() => unknown)[] = []
afterAll(() => Promise.all(closing.map((close) => close())))

/** A store whose connections are at hand, the one that writes first. */
async function openStore(driver: SqliteDriver, freeBytes?: () => Promise<number>) {
  const connections: SqliteDatabase[] = []
  const open: SqliteDriver['open'] = (path, options) => {
    const connection = driver.open(path, options)
    connections.push(connection)
    return connection
  }
  const path = join(mkdtempSync(join(tmpdir(), 'health-')), 'store.sqlite')
  const store = await openSqlite(path, { driver: { ...driver, open }, ...(freeBytes && { freeBytes }) })
  closing.push(() => store.close())
  return { store, connections }
}

/** Asks `/readyz` of calls, and that of a listener for ads that could decide. */
async function readyOf(store: Store, servesWithout?: () => Promise<boolean>) {
  const { readyz } = healthRoutes({ store, requireSchemas: () => {}, ...(servesWithout && { servesWithout }) })
  const server = createServer((request, response) => void readyz(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => server.close())
  return async () => {
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    return { code: answer.status, ...JSON.parse(await answer.text()) }
  }
}

describe.each(sqliteDrivers().map((driver) => [driver.name, driver] as const))('readiness with %s', (_name, driver) => {
  it('fails with the reason while the store is read-only; ads are decided all the same', async () => {
    const { store, connections } = await openStore(driver)
    const ask = await readyOf(store)
    const checks = { storage: 'ok', writes: 'ok', migrations: 'ok', schemas: 'ok' }
    expect(await ask()).toEqual({ code: 200, status: 'ok', checks })
    connections[0]?.exec('PRAGMA query_only = ON')
    const failing = { checks: { ...checks, writes: 'failed' }, reasons: { writes: 'the file is read-only' } }
    await expect.poll(ask, { timeout: 10_000 }).toEqual({ code: 503, status: 'unavailable', ...failing })
    expect(await (await readyOf(store, async () => true))()).toEqual({ code: 200, status: 'degraded', ...failing })
    expect((await (await readyOf(store, async () => false))()).code).toBe(503)
    connections[0]?.exec('PRAGMA query_only = OFF')
    await expect.poll(ask, { timeout: 10_000 }).toEqual({ code: 200, status: 'ok', checks })
  })

  it('fails before the disk is full', async () => {
    const { store } = await openStore(driver, async () => 1024 * 1024)
    expect(await (await readyOf(store))()).toMatchObject({ code: 503, reasons: { writes: 'the disk is full' } })
  })

  it('writes once for many probes', async () => {
    const { store } = await openStore(driver)
    const ask = await readyOf(store)
    const began = performance.now()
    await ask()
    const version = Number(store.dataVersion())
    for (let n = 0; n < 50; n++) expect((await ask()).code).toBe(200)
    // One look serves the probes of two seconds, and fifty probes may take longer than that.
    expect(Number(store.dataVersion()) - version).toBeLessThanOrEqual(Math.floor((performance.now() - began) / 2_000))
  })
})
