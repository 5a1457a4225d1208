import { expect, test } from 'vitest'
import { keptProduct } from '../../../src/domain/ad-serving/kept-offer.ts'
import { whyNotOffered } from '../../../src/domain/product/product.ts'
import { product } from '../../support/media-buy-fixtures.ts'

const kept = (inventory?: readonly string[]) =>
  keptProduct(product('news'), { pricing: ['cpm'], targeting: [], ...(inventory && { inventory }) }, () => undefined)

test('what an ad server has no inventory for is not offered', () => {
  expect(whyNotOffered(kept(['sport']), 'buyer')).toBe('not_served')
  expect(kept(['sport']).selling.unserved).toContain('has no inventory for it')
  expect(whyNotOffered(kept(['news', 'sport']), 'buyer')).toBeUndefined()
  // An ad server that does not say: each order is put to it.
  expect(whyNotOffered(kept(), 'buyer')).toBeUndefined()
})
