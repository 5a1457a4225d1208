import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadContracts } from '../../../src/protocol/contracts.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

let agent: MediaBuyAgent
beforeAll(async () => {
  const products = [productDocument('news', { channels: ['display'] }), productDocument('clip', { channels: ['olv'] })]
  agent = await startMediaBuyAgent(products, { contracts: loadContracts() })
})
afterAll(() => agent?.stop())

const order = (product_id: string, targeting_overlay: object, pinned: object) =>
  agent.create({ ...pinned, packages: [{ product_id, pricing_option_id: 'cpm', budget: 1000, targeting_overlay }] })

test.each([
  [{ language: ['xx'] }, 'packages[0].targeting_overlay.language[0]', 'is no language: "xx"'],
  [
    { device_type: ['ctv'] },
    'packages[0].targeting_overlay.device_type',
    'leaves nothing of news, which is shown on: desktop, mobile, tablet',
  ],
  [
    { age_min: 25, interests: ['x'] },
    'packages[0].targeting_overlay.age_min',
    'for age_min send age_restriction: such as {"min": 18}',
  ],
  [
    { interests: ['x'] },
    'packages[0].targeting_overlay.interests',
    'for interests send audience_include: such as ["audience_id"]',
  ],
  [
    { daypart: 'evening' },
    'packages[0].targeting_overlay.daypart',
    'send daypart_targets: such as [{"days": ["monday"], "start_hour": 18',
  ],
])('%j on a display product is refused with what may be sent, at every release', async (overlay, field, text) => {
  for (const pinned of [{}, { adcp_version: '3.0' }, { adcp_version: '3.1' }, { adcp_version: '3.2' }]) {
    const { data } = await order('news', overlay, pinned)
    expect(data.adcp_error).toMatchObject({ field, message: expect.stringContaining(text) })
  }
})

test('what is possible is taken', async () => {
  const overlay = { language: ['sv', 'nb'], device_type: ['ctv', 'mobile'] }
  for (const product of ['news', 'clip']) expect((await order(product, overlay, {})).data.media_buy_id).toBeDefined()
  expect((await order('clip', { device_type: ['ctv'] }, {})).data.media_buy_id).toBeDefined()
})

test('an asset that is an address is shown its form, not all forms of assets', async () => {
  const creative = {
    creative_id: 'c',
    name: 'C',
    format_id: { agent_url: 'https://a.example', id: 'f' },
    assets: { image: 'https://cdn.example/a.png' },
  }
  for (const pinned of [{}, { adcp_version: '3.1' }, { adcp_version: '3.2' }]) {
    const { data } = await agent.run('sync_creatives', { ...pinned, account: ACCOUNT, creatives: [creative] })
    expect(data.adcp_error.message).toMatch(
      /^2 faults: \(1\) creatives\[0\]\.assets\.image must be an object with the asset_type of the slot, such as \{"asset_type": "image", "url": "[^"]+", "width": 300, "height": 250\}, not "https:/,
    )
  }
})

test.each([
  [{ geo: { exclude: ['SE'] } }, 'geo_countries_exclude: ["SE"]'],
  [{ country: { not: ['SE'] } }, 'geo_countries_exclude: ["SE"]'],
  [{ exclude_countries: ['SE'] }, 'geo_countries_exclude: ["SE"]'],
  [{ countries_exclude: ['SE'] }, 'geo_countries_exclude: ["SE"]'],
  [{ countries: ['NO'] }, 'geo_countries: ["NO"]'],
  [{ locations: ['Oslo'] }, 'geo_countries: a list of ISO 3166-1 codes'],
])('a repair of %j turns nothing round and widens nothing', async (overlay, text) => {
  const { data } = await order('news', overlay, {})
  expect(data.adcp_error).toMatchObject({ message: expect.stringContaining(`send ${text}`) })
})

test('what excludes something else is given no repair that wants it', async () => {
  const { data } = await order('news', { interests: { none_of: ['x'] }, geo: { unless: ['SE'] } }, {})
  expect(JSON.stringify(data.adcp_error)).not.toMatch(/for (?:interests|geo)\b/)
})
