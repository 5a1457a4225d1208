import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ConsoleClient, signedIn } from '../support/console-client.ts'
import { CONSOLE_PAGES } from '../support/console-pages.ts'
import { growPublisher } from '../support/grow-publisher.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'

let agent: MediaBuyAgent
let person: ConsoleClient

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')])
  person = await signedIn(agent, 'reader', 'administrator', agent.tenant)
})
afterAll(() => agent.stop())

/** The length of every page. */
async function lengths(): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>()
  for (const page of CONSOLE_PAGES) {
    const { status, text } = await person.get(`/console/t/${agent.tenant}/${page}`)
    expect([page, status]).toEqual([page, 200])
    found.set(page, text.length)
  }
  return found
}

describe('every page of the console', () => {
  it('shows no order, one, and one page of many', async () => {
    await lengths()
    expect((await person.get(`/console/t/${agent.tenant}/orders`)).text).toContain('No orders yet')
    expect((await agent.create()).isError).toBe(false)
    await lengths()
    await growPublisher(agent.server.store, agent.tenant, { orders: 700, products: 300 }, agent.server.clock())
    const some = await lengths()
    await growPublisher(agent.server.store, agent.tenant, { orders: 1, products: 900 }, agent.server.clock())
    for (const [page, length] of await lengths()) expect([page, length / (some.get(page) ?? 0) < 1.1]).toEqual([page, true])
    const orders = await person.get(`/console/t/${agent.tenant}/orders`)
    expect(orders.text).toContain('Next page')
    expect(orders.text.split('<tr>').length - 1).toBe(51)
  })
})
