import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadContracts } from '../../../src/protocol/contracts.ts'
import type { AgentClient } from '../../support/client.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

/** Of where a visitor is the embedded ad server is told the region, or nothing: without a source of countries it serves a line for a country to nobody. */
let agent: MediaBuyAgent
let tester: AgentClient
beforeAll(async () => {
  const targeting = { frequency_cap: true, geo: ['country', 'region'] }
  agent = await startMediaBuyAgent([productDocument('news', {}, { targeting, keywords: ['sports'] })], {
    contracts: loadContracts(),
    flags: { 'adServer.type': 'embedded', 'ads.regionHeader': 'x-region' },
  })
  tester = await agent.buyerOn(ACCOUNT, { principal: 'tester', sandbox: true })
}, 120_000)
afterAll(() => agent?.stop())

const order = (overlay: object) => ({
  account: ACCOUNT,
  brand: ACCOUNT.brand,
  idempotency_key: crypto.randomUUID(),
  start_time: '2026-04-01T00:00:00Z',
  end_time: '2026-04-30T00:00:00Z',
  packages: [{ product_id: 'news', pricing_option_id: 'cpm', budget: 1000, targeting_overlay: overlay }],
})

test('an order for a country that nobody is known to be in is refused by name, in the sandbox too', async () => {
  for (const client of [agent.buyer, tester])
    for (const dimension of ['geo_countries', 'geo_countries_exclude']) {
      const { data, isError } = await client.call('create_media_buy', order({ [dimension]: ['US'] }))
      expect(isError).toBe(true)
      expect(data.adcp_error).toMatchObject({
        code: 'UNSUPPORTED_FEATURE',
        field: `packages[0].targeting_overlay.${dimension}`,
        message: expect.stringContaining(`cannot keep targeting by ${dimension}`),
      })
    }
  const { isError } = await agent.buyer.call('create_media_buy', order({ geo_regions: ['US-CA'] }))
  expect(isError).toBeFalsy()
})

test('capabilities and discovery do not offer countries', async () => {
  for (const adcp_version of ['3.0', '3.1', '3.2']) {
    const { data } = await agent.buyer.call('get_adcp_capabilities', { adcp_version })
    const { targeting } = data.media_buy.execution
    expect(targeting).not.toHaveProperty('geo_countries')
    expect(targeting).toHaveProperty('geo_regions')
  }
  const asked = { adcp_version: '3.1', buying_mode: 'brief', brief: 'sports, only in the US, 5000 USD' }
  const { data } = await agent.buyer.call('get_products', asked)
  for (const proposal of data.proposals ?? []) expect(proposal.ext?.targeting_overlay).toBeUndefined()
})
