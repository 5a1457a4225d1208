import { afterAll, beforeAll, expect, test } from 'vitest'
import { requireEmbeddedList, saveEmbeddedList } from '../../../src/store/embedded/lists.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

const now = new Date('2026-03-02T08:00:00.000Z')
const later = new Date('2026-03-02T09:00:00.000Z')
let agent: MediaBuyAgent
let orders: readonly string[]

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')])
  orders = [await agent.create(), await agent.create()].map(({ data }) => String(data.media_buy_id))
})
afterAll(() => agent?.stop())

/** A list of an order is read: so many hosts. */
async function read(mediaBuyId: string, listKey: string, hosts: number) {
  const members = JSON.stringify({ properties: Array.from({ length: hosts }, (_, at) => `${listKey}${at}.example`) })
  const list = { tenantId: agent.tenant, listKey }
  const needed = { listKey, kind: 'property', reference: JSON.stringify({ media_buy_id: mediaBuyId }) } as const
  return agent.server.store.transaction(async (tx) => {
    await requireEmbeddedList(tx, agent.tenant, needed, '2026-04-01T00:00:00.000Z', now)
    const room = { ofPublisher: 100, ofBuyer: 10 }
    return saveEmbeddedList(tx, list, { members, entries: hosts, mediaBuyId }, { dueAt: later, now, room })
  })
}

test('the lists of all orders of one buyer have so many entries; others keep their room', async () => {
  const [one = '', two = ''] = orders
  expect(await read(one, 'a', 8)).toBeUndefined()
  expect(await read(two, 'b', 3)).toEqual({ whose: 'ofBuyer', others: 8 })
  expect(await read(two, 'b', 2)).toBeUndefined()
  // The same list as it was, and one that gives room back.
  expect(await read(one, 'a', 8)).toBeUndefined()
  expect(await read(one, 'a', 4)).toBeUndefined()
  expect(await read(two, 'b', 6)).toBeUndefined()

  // People of the publisher have what the publisher has.
  expect(await read('direct-spring', 'c', 60)).toBeUndefined()
  expect(await read('direct-summer', 'd', 60)).toEqual({ whose: 'ofPublisher', others: 70 })
})
