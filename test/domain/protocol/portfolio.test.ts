import { expect, it } from 'vitest'
import { buildIndex } from '../../../src/domain/product/product-index.ts'
import { portfolioOf, productOffer } from '../../../src/domain/protocol/offer.ts'
import { product } from '../../support/media-buy-fixtures.ts'

const of = (...channels: ('display' | 'olv')[]) => {
  const one = product(`p-${channels.join('-')}`)
  return { ...one, offer: { ...one.offer, channels } }
}

it('says by which channels a brief can be sent to it, where each product says its own', () => {
  const portfolio = (...products: Parameters<typeof buildIndex>[0]) =>
    portfolioOf('a.example', productOffer(buildIndex(products)))
  expect(portfolio(of('olv'), of('display', 'olv'))).toEqual({
    publisher_domains: ['a.example'],
    primary_channels: ['display', 'olv'],
  })
  expect(portfolio(of('olv'), of())).toEqual({ publisher_domains: ['a.example'] })
  expect(portfolio()).toEqual({ publisher_domains: ['a.example'] })
})
