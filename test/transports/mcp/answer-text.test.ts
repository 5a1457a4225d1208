import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { setTextForm } from '../../../src/store/identity/principals.ts'
import { productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

let agent: TestAgent
beforeAll(async () => {
  agent = await startAgent({ demo: true })
})
afterAll(() => agent.stop())

const BRIEF = { buying_mode: 'brief', brief: 'outdoor video' }

/** The result of a tool call by a client of a revision of MCP. */
async function resultOf(name: string, args: object, revision: string | undefined, key = agent.key, of: TestAgent = agent) {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
  const headers = revision === undefined ? {} : { 'mcp-protocol-version': revision }
  const { result } = JSON.parse(await (await of.client(key).send(message, headers)).text())
  return { data: result.structuredContent, text: result.content[0].text as string }
}

test.each([undefined, '2024-11-05', '2025-03-26'])('a client of revision %s gets all data as JSON text', async (revision) => {
  const { data, text } = await resultOf('get_products', BRIEF, revision)
  expect(JSON.parse(text)).toEqual(data)
})

describe.each(['2025-06-18', '2025-11-25'])('a client of revision %s', (revision) => {
  it('reads every product with its prices, every proposal, and how to go on', async () => {
    const { data, text } = await resultOf('get_products', BRIEF, revision)
    expect(data.products).toHaveLength(8)
    for (const { product_id, pricing_options } of data.products) {
      const line = text.split('\n').find((each) => each.startsWith(`- ${product_id}:`))
      for (const { pricing_option_id, fixed_price = '' } of pricing_options) {
        expect(line).toContain(pricing_option_id)
        expect(line).toContain(String(fixed_price))
      }
    }
    for (const { proposal_id } of data.proposals) expect(text).toContain(proposal_id)
    expect(text).toContain('finalize a draft (refine: scope "proposal", action "finalize")')
    expect(text).toContain(`${data.pagination.total_count} in all`)
    expect(text).toContain(data.pagination.cursor)
    expect(text).toContain('create_media_buy')
    expect(text.length).toBeLessThan(2_500)
  })

  it('reads every format', async () => {
    const { data, text } = await resultOf('list_creative_formats', {}, revision)
    for (const { format_id } of data.formats) expect(text.split('\n')).toContainEqual(expect.stringContaining(format_id.id))
  })

  it('reads what every signal covers and costs, and the id of each price', async () => {
    const { data, text } = await resultOf(
      'get_signals',
      { signal_spec: 'premium audience signals with pricing details' },
      revision,
    )
    expect(data.signals.length).toBeGreaterThan(5)
    for (const { signal_agent_segment_id, coverage_percentage, pricing_options } of data.signals) {
      const line = text.split('\n').find((each) => each.startsWith(`- ${signal_agent_segment_id}:`))
      expect(line).toContain(`${coverage_percentage}%`)
      for (const { pricing_option_id, cpm = '' } of pricing_options) {
        expect(line).toContain(pricing_option_id)
        expect(line).toContain(String(cpm))
      }
    }
    expect(text).toContain('activate_signal')
    expect(text.length).toBeLessThan(2_500)
  })

  it('reads one copy of an error', async () => {
    const { data, text } = await resultOf('get_products', { buying_mode: 'brief' }, revision)
    expect(JSON.parse(text)).toEqual({ adcp_error: data.adcp_error })
    expect(data.errors).toHaveLength(1)
  })
})

it('a principal that parses the text gets JSON whatever its revision', async () => {
  const principal = { tenant: agent.tenant, principal: 'parser' }
  const key = await agent.addBuyer(principal)
  const before = await resultOf('get_products', BRIEF, '2025-11-25', key)
  expect(before.text).not.toMatch(/^\{/)
  await agent.server.store.transaction((tx) => setTextForm(tx, principal.tenant, principal.principal, 'json'))
  const after = await resultOf('get_products', BRIEF, '2025-11-25', key)
  expect(JSON.parse(after.text)).toEqual(after.data)
  expect(after.data.products).toEqual(before.data.products)
})

it('the text of many orders has each with its state and its whole budget, and of many reports each with its whole spend', async () => {
  const seller = await startMediaBuyAgent([productDocument('news')])
  try {
    const budgets = [200, 2_000, 20_000, 50, 5_000, 12_345.67, 100, 1_000, 10_000, 99.99, 999.5, 40_000]
    const packages = (budget: number) => [{ product_id: 'news', pricing_option_id: 'cpm', budget }]
    const ids: string[] = []
    for (const budget of budgets) ids.push((await seller.create({ packages: packages(budget) })).data.media_buy_id)
    for (const adcp_version of [undefined, '3.0', '3.1', '3.2']) {
      const asked = { ...(adcp_version && { adcp_version }), status_filter: ['pending_creatives'] }
      const listed = await resultOf('get_media_buys', asked, '2025-11-25', seller.key, seller)
      const reported = await resultOf('get_media_buy_delivery', asked, '2025-11-25', seller.key, seller)
      for (const [at, id] of ids.entries()) {
        expect(listed.text).toContain(`- ${id}: pending_creatives; ${budgets[at]} USD\n`)
        expect(reported.text).toMatch(new RegExp(`- ${id}: pending_creatives; (?:\\w+ 0(?: USD)?(?:, )?)*spend 0 USD`))
      }
    }
  } finally {
    await seller.stop()
  }
})
