import { expect, test } from 'vitest'
import { insteadOfProduct } from '../../../src/domain/product/instead-of-product.ts'
import { product } from '../../support/media-buy-fixtures.ts'

test('the name of a product in place of its id is answered with the id', () => {
  const offered = () => [product('sverige_display', { name: 'Sverige Display' }), product('news')]
  expect(insteadOfProduct('sverige display', offered)).toBe(': this is the name of "sverige_display", send that')
  expect(insteadOfProduct('newz', offered)).toBe('; did you mean "news"?')
})
