import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadContracts } from '../../../src/protocol/contracts.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

let agent: MediaBuyAgent
beforeAll(async () => {
  const cancellation_policy = {
    notice_period: { interval: 7, unit: 'days' },
    cancellation_fee: { type: 'percent_remaining', rate: 0.25 },
  } as const
  const nordic = { coverage: { countries: ['SE', 'NO'] } }
  agent = await startMediaBuyAgent([productDocument('a', { cancellation_policy }, nordic), productDocument('b', {}, nordic)])
}, 120_000)
afterAll(() => agent?.stop())

test.each([{}, { adcp_version: '3.1' }, { adcp_version: '3.2' }])(
  'the text of a row says name, price, reach and terms whatever fields are asked for: %j',
  async (pinned) => {
    const asked = { buying_mode: 'wholesale', fields: ['forecast'], ext: { answer_text: 'summary' }, ...pinned }
    const { data, raw } = await agent.buyer.call('get_products', asked)
    const text = String(raw.result.content[0].text)
    expect(text).toMatch(
      /^- a: a; .*USD.*; SE NO; cancelling later than 7 days before the start costs 25% of the largest commitment since then less spend/m,
    )
    expect(text).toMatch(/^- b: b; .*USD.*; SE NO/m)
    expect(data.products[0]).not.toHaveProperty('cancellation_policy')
    expect(data.products[0]).not.toHaveProperty('ext')
  },
)

test('terms that all products have in common are said once', async () => {
  const asked = { buying_mode: 'wholesale', ext: { answer_text: 'summary' } }
  const cancellation_policy = { notice_period: { interval: 7, unit: 'days' }, cancellation_fee: { type: 'none' } } as const
  const other = await startMediaBuyAgent([
    productDocument('c', { cancellation_policy }),
    productDocument('d', { cancellation_policy }),
  ])
  try {
    const { raw } = await other.buyer.call('get_products', asked)
    const text = String(raw.result.content[0].text)
    expect(text).toMatch(/^2 products.*; cancelling is free:$/m)
    expect(text.match(/cancelling/g)).toHaveLength(1)
  } finally {
    await other.stop()
  }
})

test('terms that only some products have in common are said once, and named by the first of them', async () => {
  const cancellation_policy = {
    notice_period: { interval: 7, unit: 'days' },
    cancellation_fee: { type: 'percent_remaining', rate: 0.25 },
  } as const
  const other = await startMediaBuyAgent(
    [productDocument('e', { cancellation_policy }), productDocument('f'), productDocument('g', { cancellation_policy })],
    { contracts: loadContracts() },
  )
  try {
    const { raw } = await other.buyer.call('get_products', { buying_mode: 'wholesale', ext: { answer_text: 'summary' } })
    const text = String(raw.result.content[0].text)
    expect(text).toMatch(/^- e: .*; cancelling later than 7 days before the start costs 25% of the largest/m)
    expect(text).toMatch(/^- g: .*; cancelling as e/m)
    expect(text).not.toMatch(/^- f: .*cancelling/m)
    const listed = await other.buyer.call('list_products', { adcp_version: '3.2', ext: { answer_text: 'summary' } })
    expect(String(listed.raw.result.content[0].text)).toMatch(/^- g: .*; cancelling as e/m)
  } finally {
    await other.stop()
  }
})
