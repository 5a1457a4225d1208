import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ConsoleClient, signedIn } from '../support/console-client.ts'
import { consoleRouteTable } from '../support/console-routes.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'

let agent: MediaBuyAgent
let person: ConsoleClient

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')])
  person = await signedIn(agent, 'reader', 'administrator', agent.tenant)
})
afterAll(() => agent.stop())

/** Pages of a publisher, with these values of the parameters of their paths; those that need others are left out. */
function pagesWith(values: Readonly<Record<string, string>>): readonly string[] {
  return consoleRouteTable()
    .filter(({ method, path }) => method === 'GET' && path.startsWith('/t/{tenant}/') && !path.endsWith('/live'))
    .map(({ path }) => path.replace('/t/{tenant}/', '').replaceAll(/\{\w+\}/g, (name) => values[name] ?? name))
    .filter((path) => !path.includes('{'))
}

async function refused(pages: readonly string[]): Promise<readonly string[]> {
  const found: string[] = []
  for (const path of pages) {
    const { status } = await person.get(`/console/t/${agent.tenant}/${path}`)
    if (status >= 400) found.push(`${path}: ${status}`)
  }
  return found
}

it('answers without an order, and with one', async () => {
  const pages = pagesWith({ '{form}': 'csv' })
  expect(pages.length).toBeGreaterThan(15)
  expect(await refused(pages)).toEqual([])
  const bought = await agent.create()
  expect(await refused(pages)).toEqual([])
  const id = String(bought.data.media_buy_id)
  expect(await refused([`orders/${id}`, `orders/${id}/pause`, `orders/${id}/extend`, `orders/${id}/cancel`])).toEqual([])
})
