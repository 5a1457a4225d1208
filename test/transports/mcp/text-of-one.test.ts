import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isObject } from '../../../src/protocol/is-object.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

let agent: MediaBuyAgent
let id: string

const line = { product_id: 'news', pricing_option_id: 'cpm', budget: 1000 }
const overlay = { geo_countries: ['US'], keyword_targets: [{ keyword: 'trail running shoes', match_type: 'phrase' }] }

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')])
  const packages = Array.from({ length: 12 }, (_, index) => ({ ...line, budget: 1000 + index, targeting_overlay: overlay }))
  const { data } = await agent.create({ packages })
  id = data.media_buy_id
})
afterAll(() => agent.stop())

/** The text of a tool result for a host of a revision of MCP. */
async function textOf(name: string, args: object, revision = '2025-11-25'): Promise<string> {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
  const response = await agent.buyer.send(message, { 'mcp-protocol-version': revision })
  return JSON.parse(await response.text()).result.content[0].text
}

/** What an order answers, as data and as the text for hosts that show text alone. */
async function changed(task: string, args: object) {
  const { data, raw, isError } = await agent.run(task, { ext: { answer_text: 'summary' }, ...args })
  expect(isError, JSON.stringify(data)).toBe(false)
  return { data, text: String(raw.result.content[0].text) }
}

/** Every text, number and truth value of an answer. */
function leaves(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(leaves)
  return isObject(value) ? Object.values(value).flatMap(leaves) : [value]
}

describe('the text of an answer about one thing', () => {
  it.each([
    ['get_media_buys', () => ({ media_buy_ids: [id] })],
    ['get_media_buy_delivery', () => ({ media_buy_ids: [id] })],
    ['get_products', () => ({ buying_mode: 'refine', refine: [{ scope: 'product', product_id: 'news' }] })],
    ['list_creative_formats', () => ({ name_search: 'Billboard 970x250 image' })],
  ])('of %s has all that the data has', async (task, request) => {
    const { data, isError } = await agent.buyer.call(task, request())
    expect(isError, JSON.stringify(data)).toBe(false)
    const text = await textOf(task, request())
    const { status: _envelope, pagination: _page, refinement_applied: _said, ...shown } = data
    for (const leaf of leaves(shown)) expect(text).toContain(String(leaf).replace(/\s+/g, ' '))
  })

  it('of a new order and of its change, whatever lists it has', async () => {
    const flight = { start_time: '2026-03-02T00:00:00Z', end_time: '2026-03-12T00:00:00Z' }
    const packages = [1, 2, 3].map((each) => ({ ...line, budget: 500 + each, targeting_overlay: overlay }))
    const created = await changed('create_media_buy', { brand: { domain: 'brand.example' }, ...flight, packages })
    const { media_buy_id, packages: placed } = created.data
    const change = placed.map(({ package_id }: { package_id: string }) => ({ package_id, budget: 900 }))
    const updated = await changed('update_media_buy', { media_buy_id, packages: change })
    for (const { data, text } of [created, updated]) {
      const { status: _envelope, ext: _words, context: _echo, ...order } = data
      for (const leaf of leaves(order)) expect(text).toContain(String(leaf).replace(/\s+/g, ' '))
    }
  })

  it('is bounded', async () => {
    const packages = Array.from({ length: 150 }, () => ({ ...line, targeting_overlay: overlay }))
    const { data } = await agent.create({ packages })
    const text = await textOf('get_media_buys', { media_buy_ids: [data.media_buy_id] })
    expect(text).toContain(data.media_buy_id)
    expect(text.length).toBeLessThan(20_000)
  })
})

describe('a call says what its text is to be', () => {
  const json = { media_buy_ids: ['none'], ext: { answer_text: 'json' } }
  const summary = { media_buy_ids: ['none'], ext: { answer_text: 'summary' } }

  it('JSON of all data, or a summary, whatever its client usually reads', async () => {
    expect(JSON.parse(await textOf('get_media_buys', json))).toMatchObject({ media_buys: [] })
    expect(await textOf('get_media_buys', summary, '2024-11-05')).not.toMatch(/^\{/)
    expect(await textOf('get_media_buys', { media_buy_ids: ['none'] })).not.toMatch(/^\{/)
  })

  it('and is told when it is neither', async () => {
    const { data } = await agent.buyer.call('get_media_buys', { ext: { answer_text: 'yaml' } })
    expect(data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'ext.answer_text' })
  })
})
