import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Counter } from '../../src/platform/net/rate-limit.ts'
import { sharedCounters } from '../../src/store/limits/shared-counters.ts'
import { openPostgres, type PostgresStore } from '../../src/store/postgres/postgres.ts'
import { startPostgres, type TestPostgres } from '../../tools/agent/postgres.ts'

let postgres: TestPostgres
/** Two, as two processes have them. */
let stores: readonly [PostgresStore, PostgresStore]

beforeAll(async () => {
  postgres = await startPostgres()
  const url = await postgres.createDatabase('counters')
  stores = [await openPostgres(url), await openPostgres(url)]
})
afterAll(async () => {
  for (const store of stores) await store.close()
  await postgres.stop()
})

const counters = (limit: number): [Counter, Counter] => {
  const [first, second] = stores.map((store) => sharedCounters(store)({ name: `limit-${limit}`, limit, windowSeconds: 600 }))
  if (!first || !second) throw new Error('two stores are open')
  return [first, second]
}
/** How many of so many uses, all at once, are let through. */
const passed = async (count: Counter, uses: number) =>
  (await Promise.all(Array.from({ length: uses }, () => count('bucket')))).filter((waitMs) => waitMs === undefined).length

it.each([40, 250, 1000])('of a limit of %i, all is let through by whoever is asked, however many ask at once', async (limit) => {
  const [first] = counters(limit)
  expect(await passed(first, limit * 2)).toBe(limit)
  const waitMs = await first('bucket')
  expect(waitMs).toBeGreaterThan(0)
  expect(waitMs).toBeLessThanOrEqual(600_000)
})

it('two processes let through what the limit allows, but for a hundredth that one of them holds', async () => {
  const [first, second] = counters(2000)
  expect(await passed(first, 101)).toBe(101)
  // Of six shares of twenty, the first holds nineteen uses.
  expect(await passed(second, 4000)).toBe(2000 - 120)
  expect(await passed(first, 100)).toBe(19)
})
