import pg from 'pg'
import { afterAll, beforeAll } from 'vitest'
import { openPostgres } from '../../src/store/postgres/postgres.ts'
import { startPostgres, type TestPostgres } from '../../tools/agent/postgres.ts'
import { ordersContract } from '../store/orders-contract.ts'

let postgres: TestPostgres
let store: Awaited<ReturnType<typeof openPostgres>>

beforeAll(async () => {
  postgres = await startPostgres()
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  // Sorts `b_1` before `b-1` and both before `B1`, as databases of many distributions do.
  await client.query(
    "create database english template template0 locale_provider icu icu_locale 'en-US' locale 'C' encoding 'UTF8'",
  )
  await client.end()
  store = await openPostgres(postgres.url.replace(/[^/]+$/, 'english'))
})
afterAll(async () => {
  await store?.close()
  await postgres?.stop()
})

ordersContract(() => store)
