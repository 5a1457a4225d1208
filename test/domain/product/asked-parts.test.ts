import { expect, test } from 'vitest'
import { readAsk } from '../../../src/domain/product/ask.ts'
import { readBrief } from '../../../src/domain/product/brief.ts'
import { budgetOf } from '../../../src/domain/product/brief-money.ts'
import { refinePlan } from '../../../src/domain/product/refine-plan.ts'
import { checkProductTargeting } from '../../../src/domain/product/targeting.ts'
import { demoProducts } from '../../support/demo-products.ts'

const products = new Map(demoProducts().map((product) => [product.id, product]))
const PLAN = ['ctv_outdoor_documentaries', 'outdoor_lifestyle_video', 'outdoor_lifestyle_display']
const refined = (ask: string, ids: readonly string[] = PLAN) => {
  const shares = ids.map((id, index) => ({
    productId: id,
    optionId: products.get(id)?.offer.pricing_options[0]?.pricing_option_id ?? '',
    percent: index === 0 ? 100 - 30 * (ids.length - 1) : 30,
  }))
  const { shares: after, done, failed } = refinePlan(shares, readAsk(ask), { products, search: () => [], buyer: 'anybody' })
  return { ids: after.map(({ productId }) => productId), shares: after, done, failed }
}

test.each(['drop outdoor_lifestyle_video', 'without outdoor_lifestyle_video', 'exclude outdoor_lifestyle_video.'])(
  '%s drops that product and no other one whose channel is in its id',
  (ask) => {
    expect(refined(ask)).toMatchObject({ ids: ['ctv_outdoor_documentaries', 'outdoor_lifestyle_display'], failed: [] })
  },
)

test('a channel that is out of the plan already, or by another part of the ask, is not called impossible', () => {
  for (const ask of ['no podcast', 'drop podcast', 'only Canada and no podcast']) {
    const { done, failed } = refined(ask)
    expect(failed, ask).toEqual([])
    expect(done.filter((text) => text.includes('without podcast'))).toEqual(['all of the plan: without podcast'])
  }
})

test('an id that is no part of the plan drops nothing', () => {
  const { ids, failed } = refined('drop outdoor_lifestyle_vide')
  expect(ids).toEqual(PLAN)
  expect(failed.join()).toContain('nothing in the plan matches')
})

test('a product is given a share, and joins a plan, by its id', () => {
  expect(
    refined('outdoor_lifestyle_video to 60%').shares.find(({ productId }) => productId === 'outdoor_lifestyle_video')?.percent,
  ).toBe(60)
  expect(refined('add outdoor_lifestyle_video', ['outdoor_lifestyle_display', 'ctv_outdoor_documentaries']).ids).toContain(
    'outdoor_lifestyle_video',
  )
})

test.each([
  ...['anything but Sweden', 'skip Sweden', 'outside Sweden', 'Sweden is out', 'ohne Schweden', 'nicht in Schweden'],
  ...['utan Sverige', 'ikke Sverige', 'sin Suecia', 'pas en Suède', 'without Sweden', 'Sweden must not be included'],
])('%s: no condition wants Sweden', (ask) => {
  const { wishes, changes, unread } = readAsk(ask)
  expect(wishes).toMatchObject([{ not: ['SE'] }])
  expect([changes, unread]).toEqual([[], []])
  expect(readBrief(`sports banners, ${ask}, 5000 EUR`).hints).toMatchObject({ countries: [], countriesNot: ['SE'] })
  expect(readBrief(`sports banners, ${ask}, 5000 EUR`).terms.join(' ')).not.toMatch(/sweden|schweden|sverige|suecia|suede/)
})

test('what is read of a clause beside a country stays', () => {
  expect(readAsk('drop Sweden and 10% off')).toMatchObject({
    wishes: [{ not: ['SE'] }],
    prices: [{ percent: 10, text: '10% off' }],
  })
  expect(readAsk('less Sweden')).toMatchObject({ wishes: [], changes: [], placeShares: ['less Sweden'], unread: [] })
})

test.each([
  ['sports banners in Norway, max CPM 9 EUR, budget 3000 EUR', 3000],
  ['sports banners, CPM under 9 EUR, 3000 EUR in total', 3000],
  ['€12 TKP, EUR 3000', 3000],
  ['9 EUR per click, 100 EUR', 100],
  ['cpm: 9 EUR', undefined],
])('%s: the price of a unit is no budget', (brief, amount) => {
  expect(budgetOf(brief)?.amount).toBe(amount)
  expect(readBrief(brief).hints.unitPrice).toBeDefined()
})

test.each([
  [{ countries: ['NO'] }, 'send geo_countries: ["NO"]'],
  [{ country: 'no' }, 'send geo_countries: ["NO"]'],
  [{ geo_country_any_of: ['Norway', 'SE'] }, 'send geo_countries: ["NO","SE"]'],
  [{ geo: { countries: ['NO'] } }, 'send geo_countries: ["NO"]'],
  [{ geo: { countries: 1 } }, 'send geo_countries: such as ["SE", "NO"]'],
])('%j is answered with what was sent, in the form that is taken', (overlay: object, said) => {
  const [product] = [...products.values()].filter(({ selling }) => selling.targeting.geo.includes('country'))
  if (!product) throw new Error('no product of the demo is targeted by country')
  expect(() => checkProductTargeting(product, overlay, 'targeting_overlay', undefined)).toThrow(said)
})
