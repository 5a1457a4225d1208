import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { explainFailure } from '../../src/operator/explain-failure.ts'
import type { Db, TransactionOptions } from '../../src/store/database.ts'
import { addTenant, listTenants } from '../../src/store/identity/tenants.ts'
import { openSqlite, type SqliteStore } from '../../src/store/sqlite/sqlite.ts'

const folder = mkdtempSync(join(tmpdir(), 'sales-agent-store-'))
const file = join(folder, 'store.sqlite')
const now = new Date('2026-01-01T00:00:00Z')
/** Two connections, as two processes have them. */
let stores: readonly [SqliteStore, SqliteStore]

beforeAll(async () => {
  stores = [await openSqlite(file), await openSqlite(file)]
})
afterAll(async () => {
  for (const store of stores) await store.close()
  rmSync(folder, { recursive: true, force: true })
})

const add = (tenantId: string) => (tx: Db) => addTenant(tx, { tenantId, name: tenantId, domain: `${tenantId}.example` }, now)
const names = async (store: SqliteStore) => (await listTenants(store.read)).map(({ tenantId }) => tenantId)

test('whoever waits for the lock of another process goes on with everything else', async () => {
  const [first, second] = stores
  const holding = first.transaction(async (tx) => {
    await add('first')(tx)
    // Time passes for the holder only when the one that waits lets the event loop turn.
    await sleep(50)
  })
  await Promise.all([holding, second.transaction(add('second')), second.transaction(add('third'))])
  expect(await names(first)).toEqual(['first', 'second', 'third'])
})

test('whoever always has a next transaction leaves the lock to other processes', async () => {
  const [first, second] = stores
  let isOver = false
  // More than a commit takes, so that there is always one that waits.
  const writing = Array.from({ length: 130 }, async () => {
    while (!isOver) await first.transaction(() => sleep(1))
  })
  try {
    await second.transaction(add('patient'))
  } finally {
    isOver = true
    await Promise.all(writing)
  }
  expect(await names(first)).toContain('patient')
})

test('a transaction says so when other processes keep the lock for longer than it waits', async () => {
  const [first] = stores
  const hasty = await openSqlite(file, { patienceMs: 20 })
  let isOver = false
  const holding = first.transaction(async () => {
    while (!isOver) await sleep(5)
  })
  const refused = await hasty.transaction(add('hasty')).catch((error: unknown) => error)
  isOver = true
  await holding
  await hasty.close()
  const situation = 'other processes have kept the store from being written to for 0.02 seconds; nothing was changed'
  expect(explainFailure(refused)).toEqual({ code: 'SERVICE_UNAVAILABLE', message: `${situation} (database is locked)` })
  expect(refused).toMatchObject({ message: `${situation}; try again with the same idempotency key` })
})

test('a transaction of very many statements gives way to everything else', async () => {
  const [store] = stores
  let turns = 0
  let isOver = false
  const count = () => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  await store.transaction(async (tx) => {
    setImmediate(count)
    // Far more statements than fit between two turns, on the fastest of machines too.
    for (let at = 0; at < 1_000_000 && turns < 3; at++) await sql`SELECT ${at}`.execute(tx)
  })
  isOver = true
  expect(turns).toBeGreaterThan(2)
})

test('only commits of lazy work alone spare the disk', async () => {
  const [store] = stores
  const level = async (tx: Db) => (await sql<{ synchronous: number }>`pragma synchronous`.execute(tx)).rows[0]?.synchronous
  const run = (...all: readonly TransactionOptions[]) => Promise.all(all.map((options) => store.transaction(level, options)))
  const [NORMAL, FULL] = [1, 2]
  const lazy = { isolation: 'statement', durability: 'lazy' } as const
  expect(await run(lazy, lazy)).toEqual([NORMAL, NORMAL])
  expect(await run({})).toEqual([FULL])
  expect(await run(lazy, {}, lazy)).toEqual([FULL, FULL, FULL])
  await store.transaction(add('lazy'), lazy)
  expect(await names(stores[1])).toContain('lazy')
})

test('of those that share a commit only what fails is taken back, and a failure alone is not tried again', async () => {
  const [store] = stores
  const runs = { good: 0, bad: 0, behind: 0, alone: 0 }
  const work = (name: keyof typeof runs, fails: boolean) => async (tx: Db) => {
    runs[name]++
    await add(name)(tx)
    if (fails) throw new Error(`${name} fails`)
    return name
  }
  const together = await Promise.allSettled([
    store.transaction(work('good', false)),
    store.transaction(work('bad', true)),
    store.transaction(work('behind', false)),
  ])
  expect(together.map((one) => (one.status === 'rejected' ? String(one.reason) : one.value))).toEqual([
    'good',
    'Error: bad fails',
    'behind',
  ])
  await expect(store.transaction(work('alone', true))).rejects.toThrow('alone fails')
  expect(runs).toEqual({ good: 2, bad: 2, behind: 1, alone: 1 })
  const kept = await names(stores[1])
  expect(kept).toEqual(expect.arrayContaining(['good', 'behind']))
  expect(kept).not.toContain('bad')
  expect(kept).not.toContain('alone')
})

test('a transaction that took long shares its commit with none behind it', async () => {
  const [store, other] = stores
  const seen: string[][] = []
  const long = (tenantId: string) => async (tx: Db) => {
    seen.push((await names(other)).filter((name) => name.startsWith('long')))
    await add(tenantId)(tx)
    await sleep(80)
    if (tenantId === 'long-2') throw new Error('it fails')
  }
  const all = ['long-1', 'long-2', 'long-3'].map((tenantId) => store.transaction(long(tenantId)))
  expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  // What fails beside others that wait is run again.
  expect(seen).toEqual([[], ['long-1'], ['long-1'], ['long-1']])
  expect(await names(other)).toEqual(expect.arrayContaining(['long-1', 'long-3']))
})
