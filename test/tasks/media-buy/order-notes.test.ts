import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

const AUCTION = {
  pricing_option_id: 'auction',
  pricing_model: 'cpm',
  currency: 'USD',
  floor_price: 2,
  price_guidance: { p50: 2.8 },
} as const
const FIXED = { pricing_option_id: 'cpm', pricing_model: 'cpm', currency: 'USD', fixed_price: 10 } as const

describe('what an order has otherwise than its buyer may think', () => {
  let agent: MediaBuyAgent
  beforeAll(async () => {
    agent = await startMediaBuyAgent([
      productDocument('bid', { delivery_type: 'non_guaranteed', pricing_options: [AUCTION, FIXED] }),
      productDocument(
        'nordic',
        { pricing_options: [FIXED] },
        { coverage: { countries: ['SE', 'FI'] }, targeting: { geo: ['country', 'region'] } },
      ),
    ])
  })
  afterAll(() => agent.stop())
  const place = async (packages: readonly object[], more: object = {}) => {
    const { data, isError, raw } = await agent.create({ packages, ext: { answer_text: 'summary' }, ...more })
    expect([isError, data.adcp_error]).toEqual([false, undefined])
    return { data, text: String(raw.result.content[0].text), notes: data.ext?.notes ?? [] }
  }

  it('a bid that the seller made is said, in the text too', async () => {
    const sentence = 'packages[0].bid_price was not sent: the bid is 2.8 USD, the median of recent bids.'
    const unsent = await place([{ product_id: 'bid', pricing_option_id: 'auction', budget: 500 }])
    expect(unsent.notes).toEqual([sentence])
    expect(unsent.text).toContain(sentence)
    expect(unsent.text).toContain('pricing_option_id: auction')
    expect(unsent.data).toMatchObject({ currency: 'USD', total_budget: 500 })
    expect(unsent.text).toContain('total_budget: 500')
    expect((await place([{ product_id: 'bid', pricing_option_id: 'auction', budget: 500, bid_price: 3 }])).notes).toEqual([])
    expect((await place([{ product_id: 'bid', pricing_option_id: 'cpm', budget: 500 }])).notes).toEqual([])
  })

  it('a total above what the packages add up to is said to be a limit', async () => {
    const packages = [{ product_id: 'bid', pricing_option_id: 'cpm', budget: 3_000 }]
    const { notes } = await place(packages, { total_budget: { amount: 9_000, currency: 'USD' } })
    expect(notes).toEqual(['total_budget of 9000 USD is a limit: the packages add up to 3000 USD, and that is booked.'])
    expect((await place(packages, { total_budget: { amount: 3_000, currency: 'USD' } })).notes).toEqual([])
  })

  it('places that the product does not reach are said, in updates too', async () => {
    const wanted = (geo_countries: readonly string[]) => ({ targeting_overlay: { geo_countries } })
    const first = { product_id: 'nordic', pricing_option_id: 'cpm', budget: 500 }
    const { notes, data } = await place([{ ...first, ...wanted(['SE', 'NO']) }])
    expect(notes).toEqual(['packages[0].targeting_overlay.geo_countries: nordic does not reach NO; it runs in SE alone.'])
    expect((await place([{ ...first, ...wanted(['SE']) }])).notes).toEqual([])
    const regions = (geo_regions: readonly string[]) => ({ ...first, targeting_overlay: { geo_regions } })
    expect((await place([regions(['SE-AB', 'NO-03'])])).notes).toEqual([
      'packages[0].targeting_overlay.geo_regions: nordic does not reach NO-03; it runs in SE-AB alone.',
    ])
    const { data: nowhere } = await agent.create({ packages: [regions(['NO-03'])] })
    expect(nowhere.adcp_error).toMatchObject({
      field: 'packages[0].targeting_overlay.geo_regions',
      message: expect.stringMatching(/ leaves nothing of nordic, which reaches SE, FI$/),
    })
    const update = await agent.run('update_media_buy', {
      media_buy_id: data.media_buy_id,
      packages: [{ package_id: data.packages[0].package_id, ...wanted(['FI', 'DK', 'NO']) }],
      new_packages: [{ product_id: 'bid', pricing_option_id: 'auction', budget: 500 }],
    })
    expect(update.data.ext.notes).toEqual([
      'packages[0].targeting_overlay.geo_countries: nordic does not reach DK, NO; it runs in FI alone.',
      'new_packages[0].bid_price was not sent: the bid is 2.8 USD, the median of recent bids.',
    ])
  })
})
