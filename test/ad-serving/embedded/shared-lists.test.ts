import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createEmbeddedBackend } from '../../../src/ad-serving/embedded/embedded-backend.ts'
import { loadSnapshot } from '../../../src/ad-serving/embedded/snapshot.ts'
import type { LineSettings } from '../../../src/domain/ad-serving/desired-order.ts'
import type { Store } from '../../../src/store/database.ts'
import {
  claimDueEmbeddedLists,
  type DueList,
  findEmbeddedListMembers,
  saveEmbeddedList,
} from '../../../src/store/embedded/lists.ts'
import { openSqlite } from '../../../src/store/sqlite/sqlite.ts'
import { LINE } from '../../support/ad-publisher.ts'

const folder = mkdtempSync(join(tmpdir(), 'sales-agent-lists-'))
const TENANT = 'acme'
const now = new Date('2026-03-02T08:00:00.000Z')
const later = new Date('2026-03-02T09:00:00.000Z')
let store: Store
let lists: DueList[]

/** Three orders with a line each, which name the same list of their buyer: the list is read for each order by itself. */
beforeAll(async () => {
  store = await openSqlite(join(folder, 'store.sqlite'))
  const backend = createEmbeddedBackend({
    ...{ places: { countries: true, regions: true }, store, clock: () => now, reportEveryMs: 60_000, liveEveryMs: 2_000 },
    ...{ timeZoneOf: async () => 'UTC', placesOf: async () => [], formatOf: async () => undefined },
    listInventory: async () => ({ units: [] }),
  })
  const flight = { startsAt: '2026-03-02T00:00:00.000Z', endsAt: '2026-03-09T00:00:00.000Z' }
  const line: LineSettings = {
    ...{ ...LINE, ...flight, productId: 'news', budgetMicros: 100_000_000, goalImpressions: null },
    price: { model: 'cpm', basis: 'fixed', rateMicros: 10_000_000 },
    targeting: { property_list: { agent_url: 'https://seller.example/mcp', list_id: 'pl_1' } },
  }
  for (const externalId of ['one', 'two', 'three']) {
    const order = { tenantId: TENANT, externalId }
    const settings = { name: externalId, advertiserId: 'a', currency: 'USD', budgetMicros: line.budgetMicros, ...flight }
    await backend.putOrder(order, settings)
    await backend.putLine(order, { externalId: `${externalId}-1` }, line)
    await backend.setLineState(order, { externalId: `${externalId}-1` }, 'active')
  }
  lists = await store.transaction((tx) => claimDueEmbeddedLists(tx, now, { limit: 9, untilMs: 60_000 }))
})
afterAll(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

const save = (list: DueList | undefined, hosts: readonly string[], most = 10) => {
  if (!list) throw new Error('a list is missing')
  const members = JSON.stringify({ properties: hosts.map((value) => ({ type: 'domain', value })) })
  const read = { members, entries: hosts.length, mediaBuyId: 'none' }
  const room = { ofPublisher: most, ofBuyer: 1 }
  return store.transaction((tx) => saveEmbeddedList(tx, list, read, { dueAt: later, now, room }))
}

test('lists of one content are in memory once, and go on from one snapshot to the next', async () => {
  expect(lists).toHaveLength(3)
  for (const list of lists) expect(await save(list, ['a.example', 'b.example'])).toBeUndefined()
  const first = await loadSnapshot(store.read, TENANT, now)
  const [compiled] = first.contents.values()
  expect([first.contents.size, first.lines.size]).toEqual([1, 3])
  const second = await loadSnapshot(store.read, TENANT, now, first.contents)
  expect([...second.contents.values()]).toEqual([compiled])
  expect([...second.contents.values()][0]).toBe(compiled)
  // As lists are that were read before their digests were stored.
  await store.transaction((tx) => tx.updateTable('embedded_lists').set({ digest: null, entries: null }).execute())
  expect((await loadSnapshot(store.read, TENANT, now)).contents.size).toBe(1)
  const upgraded = await loadSnapshot(store.read, TENANT, now, second.contents)
  expect([...upgraded.contents.values()][0]).toBe(compiled)
  for (const list of lists) await save(list, ['a.example', 'b.example'])
  await save(lists[0], ['a.example', 'c.example'])
  const third = await loadSnapshot(store.read, TENANT, now, second.contents)
  expect([third.contents.size, [...third.contents.values()].includes(compiled as never)]).toEqual([2, true])
})

test('the lists of a publisher have so many entries together, each content once; one that is too much is not stored', async () => {
  const [one, two, three] = lists
  const long = Array.from({ length: 8 }, (_, at) => `${at}.example`)
  for (const list of [one, two, three]) await save(list, ['a.example', 'b.example'])
  expect(await save(one, [...long, 'more.example'])).toEqual({ whose: 'ofPublisher', others: 2 })
  expect(JSON.parse((await findEmbeddedListMembers(store.read, TENANT, String(one?.listKey))) ?? '').properties).toHaveLength(2)
  expect(await save(one, long)).toBeUndefined()
  expect(await save(two, [...long, 'more.example'])).toEqual({ whose: 'ofPublisher', others: 10 })
  expect(await save(two, long)).toBeUndefined()
})
