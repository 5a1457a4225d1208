import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { examineAdServers } from '../../../src/operator/examine-ad-servers.ts'
import { FetchFailure } from '../../../src/platform/net/fetch-policy.ts'
import type { SafeFetch } from '../../../src/platform/net/safe-fetch.ts'
import { type AdPublisher, startAdPublisher } from '../../support/ad-publisher.ts'
import type { AgentClient } from '../../support/client.ts'
import { type ListsAgent, startListsAgent } from '../../support/lists-agent.ts'
import { operatorBeside } from '../../support/operator.ts'

const ACCOUNT = { brand: { domain: 'brand.example' }, operator: 'agency.example' }
const RIGHT_PAGE = 'https://news.site.example/article'

/** The public address of the agent that keeps lists. */
const KEEPER = 'https://lists.example/mcp'
/** The network: that one agent is at its address, and no one else anywhere. */
const toKeeper: SafeFetch = async (url, { post }) => {
  if (url !== KEEPER || !post) throw new FetchFailure('dns', 'no such host')
  const headers = { accept: 'application/json, text/event-stream', ...post.headers }
  const answer = await fetch(keeper.url, { method: 'POST', body: post.body, headers })
  return {
    status: answer.status,
    url,
    body: Buffer.from(await answer.arrayBuffer()),
    contentType: answer.headers.get('content-type') ?? '',
    etag: undefined,
    lastModified: undefined,
    retryAfter: undefined,
    mcpSessionId: answer.headers.get('mcp-session-id') ?? undefined,
  }
}

/** The seller, and another agent that keeps lists. */
let publisher: AdPublisher
let keeper: ListsAgent
let buyer: AgentClient
beforeAll(async () => {
  keeper = await startListsAgent()
  publisher = await startAdPublisher({ safeFetch: toKeeper, flags: { 'adServer.type': 'embedded' } })
  buyer = await publisher.buyerOn(ACCOUNT, { principal: 'advertiser' })
})
afterAll(async () => {
  await publisher?.stop()
  await keeper?.stop()
})

const run = async (task: string, args: object) => {
  const { isError, data } = await buyer.call(task, { idempotency_key: randomUUID(), account: ACCOUNT, ...args })
  if (isError) throw new Error(JSON.stringify(data))
  return data
}
const domains = (...values: string[]) => [
  { selection_type: 'identifiers', identifiers: values.map((value) => ({ type: 'domain', value })) },
]
const shown = async (place: string, page: object) => {
  const { body } = await publisher.decide({ placements: [{ place, sizes: ['970x250'] }], ...page })
  return body.placements[0]?.ad?.kind
}
const onPage = (place: string, page_url: string) => shown(place, { page_url })
const becomes = (look: () => Promise<string | undefined>, kind: string | undefined) =>
  expect.poll(look, { timeout: 60_000, interval: 200 }).toBe(kind)

describe('a line that is targeted to a property list', () => {
  it('of another agent, is shown on its properties alone', async () => {
    const { data } = await keeper.propertyList(['news.site.example', '*.kiosk.example'])
    const property_list = { agent_url: KEEPER, list_id: data.list.list_id, auth_token: data.auth_token }
    await publisher.sell('foreign-list', 'image', { targeting: { property_list } })
    await becomes(() => onPage('news_home_billboard', RIGHT_PAGE), 'image')
    expect(await onPage('news_home_billboard', 'https://www.kiosk.example/')).toBe('image')
    expect(await onPage('news_home_billboard', 'https://elsewhere.example/')).toBeUndefined()
    expect(await onPage('news_home_billboard', 'not an address')).toBeUndefined()
    expect(await shown('news_home_billboard', {})).toBeUndefined()
    const headers = { Origin: 'https://news.site.example' }
    const { body } = await publisher.decide({ placements: [{ place: 'news_home_billboard', sizes: ['970x250'] }] }, headers)
    expect(body.placements[0]?.ad?.kind).toBe('image')
    const app = { property: { type: 'ios_bundle', value: 'example.app' }, page_url: RIGHT_PAGE }
    expect(await shown('news_home_billboard', app)).toBeUndefined()
  })

  it('is shown nowhere while the list cannot be read, and its publisher sees why', async () => {
    const property_list = { agent_url: KEEPER, list_id: 'pl_unknown', auth_token: 'wrong' }
    await publisher.sell('unread-list', 'image', { productId: 'sport_display', targeting: { property_list } })
    const operator = operatorBeside(publisher, publisher.clock)
    const findings = async () => JSON.stringify(await examineAdServers(operator))
    const said = `the property list pl_unknown of ${KEEPER} cannot be read, its lines are not shown: the server answers 401`
    await expect.poll(findings, { timeout: 60_000, interval: 200 }).toContain(said)
    expect(await onPage('sport_display', RIGHT_PAGE)).toBeUndefined()
  })

  it("of its buyer's own at this agent, follows what its buyer changes", async () => {
    const { list } = await run('create_property_list', { name: 'Own', base_properties: domains('news.site.example') })
    const agent_url = publisher.server.services.wiring.agentUrl
    const created = await run('create_media_buy', {
      brand: ACCOUNT.brand,
      start_time: '2026-03-10T12:00:00Z',
      end_time: '2026-03-20T00:00:00Z',
      packages: [
        {
          product_id: 'uk_news_display',
          pricing_option_id: 'cpm_gbp_fixed',
          budget: 5000,
          targeting_overlay: { property_list: { agent_url, list_id: list.list_id } },
        },
      ],
    })
    const image = { asset_type: 'image', url: 'https://cdn.example/a.png', width: 970, height: 250, format: 'png' }
    await run('sync_creatives', {
      creatives: [{ creative_id: 'own', name: 'Own', format_id: { agent_url, id: 'display_970x250' }, assets: { image } }],
      assignments: [{ creative_id: 'own', package_id: created.packages[0].package_id }],
    })
    publisher.setClock('2026-03-10T13:00:00Z')
    const place = 'uk_news_display'
    await becomes(() => onPage(place, RIGHT_PAGE), 'image')
    await run('update_property_list', { list_id: list.list_id, base_properties: domains('other.example') })
    publisher.setClock('2026-03-10T13:05:00Z')
    await becomes(() => onPage(place, 'https://other.example/'), 'image')
    expect(await onPage(place, RIGHT_PAGE)).toBeUndefined()
  }, 120_000)
})

describe('a line that is targeted to collection lists', () => {
  it('is shown with what is on the one and not on the other', async () => {
    const list = async (genres: string[]) => {
      const base_collections = [
        { selection_type: 'publisher_genres', publisher_domain: 'acme.example', genres, genre_taxonomy: 'custom' },
      ]
      const { data } = await keeper.run('create_collection_list', { account: ACCOUNT, name: 'Genres', base_collections })
      expect(data.list, JSON.stringify(data)).toBeDefined()
      return { agent_url: KEEPER, list_id: data.list.list_id, auth_token: data.auth_token }
    }
    await publisher.sell('collections', 'image', {
      productId: 'business_display',
      targeting: { collection_list: await list(['outdoor', 'crime']), collection_list_exclude: await list(['crime']) },
    })
    const withCollections = (...collections: string[]) => shown('business_display', { collections })
    await becomes(() => withCollections('imdb_id:tt1000001'), 'image')
    expect(await withCollections('imdb_id:tt1000002')).toBeUndefined()
    expect(await withCollections('imdb_id:tt1000001', 'imdb_id:tt1000002')).toBeUndefined()
    expect(await shown('business_display', {})).toBeUndefined()
  })
})
