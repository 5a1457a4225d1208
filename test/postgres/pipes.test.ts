import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hotQuery } from '../../src/store/hot-query.ts'
import { openPostgres, type PostgresStore } from '../../src/store/postgres/postgres.ts'
import { StoreUnavailable } from '../../src/store/store-unavailable.ts'
import { startPostgres, type TestPostgres } from '../../tools/agent/postgres.ts'

let postgres: TestPostgres
let admin: pg.Client
let store: PostgresStore

beforeAll(async () => {
  postgres = await startPostgres()
  const url = await postgres.createDatabase('pipes')
  admin = new pg.Client({ connectionString: url })
  await admin.connect()
  store = await openPostgres(url)
})
afterAll(async () => {
  await store.close()
  await admin.end()
  await postgres.stop()
})

const setting = hotQuery(['name'], (db, value) =>
  db.selectNoFrom([
    sql<string>`current_setting(${value('name')})`.as('setting'),
    sql<number>`pg_backend_pid()`.as('pid'),
    sql<string>`${value('name')}::text`.as('name'),
  ]),
)

test('short statements of all calls share two connections, each with its own result', async () => {
  const names = Array.from({ length: 50 }, (_, n) => (n % 2 === 0 ? 'server_version' : 'synchronous_commit'))
  const rows = (await Promise.all(names.map((name) => setting(store.read, { name })))).map(({ rows }) => rows[0])
  expect(rows.map((row) => row?.name)).toEqual(names)
  expect(new Set(rows.map((row) => row?.pid)).size).toBe(2)
})

test('what fails among them fails alone', async () => {
  const names = ['synchronous_commit', 'no_such_setting', 'synchronous_commit', 'synchronous_commit']
  const settled = await Promise.allSettled(names.map((name) => setting(store.read, { name })))
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
})

test('only what may be lazy is committed without the disk', async () => {
  const level = async (options: Parameters<PostgresStore['transaction']>[1]) =>
    (await store.transaction((tx) => setting(tx, { name: 'synchronous_commit' }), options)).rows[0]?.setting
  expect(await level({ isolation: 'statement', durability: 'lazy' })).toBe('off')
  expect(await level({ isolation: 'statement' })).toBe('on')
  expect(await level({ isolation: 'read-committed' })).toBe('on')
  expect(await level({})).toBe('on')
})

test('a shared connection that is lost is replaced', async () => {
  const pids = async () => {
    const replies = await Promise.all([1, 2, 3, 4].map(() => setting(store.read, { name: 'server_version' })))
    return new Set(replies.map(({ rows }) => rows[0]?.pid))
  }
  const before = await pids()
  const asked = hotQuery([], (db) => db.selectNoFrom([sql<string>`pg_sleep(30)::text`.as('slept')]))(store.read, {})
  const lost = expect(asked).rejects.toBeInstanceOf(StoreUnavailable)
  for (const pid of before) await admin.query('select pg_terminate_backend($1)', [pid])
  await lost
  // Of the other one, nobody had asked anything: it is missed by the next who does, at the latest.
  const left = () =>
    pids().then(
      (after) => [...after].filter((pid) => before.has(pid)),
      () => 'lost',
    )
  await expect.poll(left, { timeout: 60_000 }).toEqual([])
})
