import { afterEach, describe, expect, test } from 'vitest'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'
import { contracts, LINES } from '../../support/release-agent.ts'

const targeting = { geo: ['country', 'region'], frequency_cap: true }
const PRODUCTS = [
  productDocument('nordic', {}, { targeting, coverage: { countries: ['SE', 'NO'] } }),
  productDocument('world', {}, { targeting }),
]
let agent: MediaBuyAgent
afterEach(() => agent?.stop())

const notesOf = async (line: string, brief: string): Promise<string> => {
  const { data } = await agent.buyer.call('get_products', { adcp_version: line, buying_mode: 'brief', brief })
  for (const proposal of data.proposals ?? []) expect(JSON.stringify(proposal.ext ?? {})).not.toContain('geo_')
  return (data.ext?.notes ?? []).join('\n')
}

describe('what a buyer is told to send is what the ad server keeps', () => {
  test.each(LINES)('nothing can be limited to countries where none are known, under AdCP %s', async (line) => {
    agent = await startMediaBuyAgent(PRODUCTS, {
      contracts,
      flags: { 'adServer.type': 'embedded', 'ads.regionHeader': 'x-region' },
    })
    const only = await notesOf(line, 'banners, only in Norway, 3000 USD')
    // 3.2 leaves out what cannot be limited, and says so.
    if (line === '3.2') expect(only).toContain('The brief wants delivery in NO alone: what cannot be limited so is left out.')
    else expect(only).toContain('nothing here can be limited to countries: nordic, world may run elsewhere too')
    const without = await notesOf(line, 'banners, not in Sweden, 3000 USD')
    expect(without).toContain('nothing here can be kept out of countries: nordic, world may run there')
    expect(`${only}${without}`).not.toContain('targeting_overlay.geo')
    const refine = [{ scope: 'product', product_id: 'world', action: 'include', ask: 'only in Norway' }]
    const asked = await agent.buyer.call('get_products', { adcp_version: line, buying_mode: 'refine', refine })
    expect(JSON.stringify(asked.data.refinement_applied)).not.toContain('targeting_overlay.geo')
  })

  test('where they are known, the advice is taken as it stands', async () => {
    agent = await startMediaBuyAgent(PRODUCTS, {
      contracts,
      flags: { 'adServer.type': 'embedded', 'ads.countryHeader': 'x-country' },
    })
    const { data: california } = await agent.buyer.call('get_products', {
      buying_mode: 'brief',
      brief: 'banners, only in California',
    })
    expect(california.ext.notes.join()).toContain('none of these products is targeted by region')
    const refine = [{ scope: 'product', product_id: 'world', action: 'include', ask: 'only in Norway' }]
    const { data } = await agent.buyer.call('get_products', { buying_mode: 'refine', refine })
    const [, countries = ''] = /targeting_overlay\.geo_countries (\[[^\]]*\])/.exec(data.refinement_applied[0].notes) ?? []
    const targeting_overlay = { geo_countries: JSON.parse(countries) }
    const made = await agent.create({
      packages: [{ product_id: 'world', pricing_option_id: 'cpm', budget: 1000, targeting_overlay }],
    })
    expect(made.isError, JSON.stringify(made.data)).toBeFalsy()
  })
})
