import { expect, test } from 'vitest'
import { readAsk } from '../../../src/domain/product/ask.ts'
import { readBrief } from '../../../src/domain/product/brief.ts'
import type { Product } from '../../../src/domain/product/product.ts'
import { buildIndex } from '../../../src/domain/product/product-index.ts'
import { namesAmong } from '../../../src/domain/product/product-names.ts'
import { rankProducts } from '../../../src/domain/product/rank-products.ts'
import { refinePlan } from '../../../src/domain/product/refine-plan.ts'
import { product } from '../../support/media-buy-fixtures.ts'

const sold = (
  id: string,
  channel: 'display' | 'olv' | 'ctv' | 'podcast',
  countries: string[],
  delivery: 'guaranteed' | 'non_guaranteed' = 'guaranteed',
): Product => {
  const base = product(id, { channels: [channel], name: id.replaceAll('_', ' '), delivery_type: delivery })
  return { ...base, id, selling: { ...base.selling, approval: 'automatic', coverage: { countries } } }
}
const PLANNED = [sold('se_video', 'olv', ['SE']), sold('no_video', 'olv', ['NO']), sold('se_banners', 'display', ['SE'])]
const LIST = [
  ...PLANNED,
  sold('dk_video', 'olv', ['DK']),
  sold('dk_banners', 'display', ['DK']),
  sold('wide_auction', 'podcast', ['SE', 'NO', 'DK'], 'non_guaranteed'),
  sold('wide_tv', 'ctv', ['SE', 'NO']),
]
const products = new Map(LIST.map((each) => [each.id, each]))
const index = buildIndex(LIST)
const SHARES = { se_video: 40, no_video: 30, se_banners: 30 }
const refined = (ask: string, carried = {}) => {
  const shares = PLANNED.map(({ id, offer }) => ({
    ...{ productId: id, optionId: offer.pricing_options[0]?.pricing_option_id ?? '' },
    percent: { se_video: 40, no_video: 30, se_banners: 30 }[id] ?? 0,
  }))
  const read = readAsk(ask, namesAmong(index, products))
  const search = (text: string) => rankProducts(index, readBrief(text)).map(({ product: found }) => found)
  const plan = refinePlan(shares, read, { products, search, buyer: 'anybody', carried })
  const after = Object.fromEntries(plan.shares.map(({ productId, percent }) => [productId, percent]))
  return { ...plan, shares: after, unread: read.unread, placeShares: read.placeShares }
}

test.each([
  ['add the auction', 'wide_auction'],
  ['also CTV in Sweden', 'wide_tv'],
  ['add the Denmark video', 'dk_video'],
  ['add Danish display', 'dk_banners'],
  ['include dk_banners', 'dk_banners'],
  ['also add dk_banners', 'dk_banners'],
  ['add non-guaranteed podcasts in Denmark', 'wide_auction'],
  ['add CTV in Norway', 'wide_tv'],
])('"%s" keeps what is there, and one product with all of it joins', (ask, joins) => {
  const { shares, failed, unread, done } = refined(ask)
  expect([failed, unread]).toEqual([[], []])
  expect(Object.keys(shares)).toEqual([...Object.keys(SHARES), joins])
  expect(done).toEqual([`added ${joins} with ${shares[joins]}% of the budget`])
})

test('what no single product has is not called done, and nothing leaves', () => {
  for (const ask of ['add guaranteed podcasts', 'also CTV in Denmark', 'add non-guaranteed display']) {
    const { shares, done, failed } = refined(ask)
    expect([shares, done], ask).toEqual([SHARES, []])
    expect(failed, ask).toEqual([`the plan holds no such product, and none that is offered can join it: "${ask}"`])
  }
})

test('what the plan has of it gets more of the budget; a place has no share', () => {
  const more = refined('add Swedish display')
  expect(more.shares['se_banners']).toBeGreaterThan(30)
  expect(more.done).toEqual([`display in SE has ${more.shares['se_banners']}% of the budget, was 30%`])
  expect(refined('also Norway')).toMatchObject({ shares: SHARES, done: ['no_video of the plan: what runs in NO'], failed: [] })
})

test('nothing joins a plan outside of the places that it is limited to', () => {
  const { shares, done, failed } = refined('add dk_banners', { geo_countries: ['SE', 'NO'] })
  expect([shares, done]).toEqual([SHARES, []])
  expect(failed.join()).toContain('dk_banners runs in none of the places that the plan is limited to (SE, NO)')
})

test.each(['half of it in Sweden', 'most of it in Norway', 'a third of that in Sweden', 'die Hälfte davon in Schweden'])(
  '"%s" is a share of a place, which a plan does not have',
  (ask) => {
    expect(refined(ask)).toMatchObject({ shares: SHARES, done: [], placeShares: [ask] })
  },
)
