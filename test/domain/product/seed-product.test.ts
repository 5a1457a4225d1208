import { describe, expect, it } from 'vitest'
import { productOf } from '../../../src/domain/product/products-file.ts'
import { seededOption, seededProduct, suiteProduct, withOption } from '../../../src/domain/product/seed-product.ts'
import { schemas } from '../../support/shared-inputs.ts'

const validate = schemas.validator('core/product.json')
const context = { channels: new Set(['olv', 'display', 'ctv']), isOfficial: (offer: object) => validate(offer).length === 0 }
const official = (document: typeof suiteProduct) => validate(productOf(document, 'https://a.example/mcp').offer)

describe('seededProduct', () => {
  it.each([
    ['nothing but an id', {}],
    ['a fixture of the suite', { delivery_type: 'guaranteed', channels: ['video'], format_ids: [{ id: 'video_30s' }] }],
    [
      'fields of the wrong type',
      { name: 7, channels: 'display', format_ids: [null, 3], pricing_options: ['x'], delivery_type: 'maybe' },
    ],
  ])('makes an official product of %s', (_name, fixture) => expect(official(seededProduct('p', fixture, context))).toEqual([]))

  it('says a channel once that a fixture names by two words', () => {
    const product = seededProduct('p', { channels: ['video', 'olv', 'display', 'native'] }, context)
    expect(product.channels).toEqual(['olv', 'display'])
    expect(official(product)).toEqual([])
  })

  it('takes over members of the official product, and leaves out what its schema refuses', () => {
    const metric_optimization = { supported_metrics: ['reach'], supported_reach_units: ['individuals'] }
    const product = seededProduct('p', { metric_optimization, creative_policy: 'any', color: 'red' }, context)
    expect(product).toMatchObject({ metric_optimization })
    expect(Object.keys(product)).not.toContain('creative_policy')
    expect(Object.keys(product)).not.toContain('color')
    expect(official(product)).toEqual([])
  })

  it('takes over what the fixture says', () => {
    const product = seededProduct(
      'p',
      {
        name: 'N',
        delivery_type: 'non_guaranteed',
        channels: ['video', 'ctv', 'nonsense'],
        format_ids: [{ id: 'video_30s' }, 'vast_15s'],
      },
      context,
    )
    expect(product).toMatchObject({
      name: 'N',
      delivery_type: 'non_guaranteed',
      channels: ['olv', 'ctv'],
      format_ids: ['video_30s', 'vast_15s'],
    })
  })

  it('keeps what auctions were won at, of prices that are bid for', () => {
    const price_guidance = { p50: 6, p75: 7, p99: 9, p90: 'much' }
    expect(seededOption('a', { floor_price: 5, price_guidance })).toMatchObject({ price_guidance: { p50: 6, p75: 7 } })
    expect(seededOption('a', { floor_price: 5, price_guidance })).not.toHaveProperty('price_guidance.p99')
    expect(seededOption('a', { fixed_price: 5, price_guidance })).not.toHaveProperty('price_guidance')
  })

  it('replaces the invented price by a seeded one and keeps several', () => {
    const first = withOption(
      seededProduct('p', {}, context),
      seededOption('a', { pricing_model: 'cpm', currency: 'USD', fixed_price: 22 }),
    )
    const second = withOption(first, seededOption('b', { floor_price: 5 }))
    expect(second.pricing_options).toEqual([
      { pricing_option_id: 'a', pricing_model: 'cpm', currency: 'USD', fixed_price: 22 },
      { pricing_option_id: 'b', pricing_model: 'cpm', currency: 'USD', floor_price: 5 },
    ])
    expect(official(second)).toEqual([])
  })
})

it('the sandbox product has the options that the suite buys', () => {
  expect(official(suiteProduct)).toEqual([])
  expect(suiteProduct.pricing_options.map((option) => option.pricing_option_id)).toEqual(['default', 'test-pricing'])
})
