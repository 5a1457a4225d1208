import { expect, it } from 'vitest'
import { filterProducts } from '../../../src/domain/product/filter-products.ts'
import { publicProducts } from '../../../src/domain/product/public-view.ts'
import { isStandardFormatOf } from '../../../src/domain/product/standard-format.ts'
import { agentUrl, demoProducts } from '../../support/demo-products.ts'
import { schemas } from '../../support/shared-inputs.ts'

const isStandardFormat = isStandardFormatOf(agentUrl)
const products = demoProducts()
const shown = publicProducts(products, isStandardFormat)
const validate = schemas.validator('core/product.json')

it('shows standard products as official objects', () => {
  expect(shown.length).toBeGreaterThan(30)
  expect(shown.every(({ selling }) => selling.visibility === 'standard')).toBe(true)
  for (const { offer } of shown) expect(validate(offer)).toEqual([])
})

it('leaves out products that can only be shown with a price, paused ones and exclusive ones', () => {
  const ids = shown.map(({ id }) => id)
  expect(ids).not.toContain('lead_generation_display')
  const [first, second, third] = products
  const hidden = [
    { ...first!, selling: { ...first!.selling, status: 'paused' as const } },
    { ...second!, selling: { ...second!.selling, exclusiveTo: ['a'] } },
    { ...third!, offer: { ...third!.offer, format_ids: [{ agent_url: agentUrl, id: 'made_up' }] } },
  ]
  expect(publicProducts(hidden, isStandardFormat)).toEqual([])
})

it('keeps no number that is an amount of money', () => {
  const money = (value: unknown, path: string): string[] =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, member]) => money(member, `${path}.${key}`))
      : typeof value === 'number' && /price|spend|budget|bid|fee|cost|rate\b|amount/.test(path)
        ? [path]
        : []
  expect(shown.flatMap(({ offer }) => money(offer, ''))).toEqual([])
})

it('does not give prices away through filters on them', () => {
  const context = { features: {}, isStandardFormat, declare: () => undefined, keepsOf: () => undefined }
  for (const max of [0, 1, 1000, 1_000_000])
    expect(filterProducts(shown, { budget_range: { max, currency: 'USD' } }, context)).toEqual(
      filterProducts(shown, { budget_range: { max: 0, currency: 'USD' } }, context),
    )
  expect(filterProducts(shown, { is_fixed_price: true }, context)).toEqual([])
})

it('keeps no card and no extension, where a price could stand in any form', () => {
  const [first] = products
  const price = { ext: { rate_card: 'CPM 12 EUR' } }
  const offer = {
    ...first!.offer,
    ...price,
    product_card: { format_id: { agent_url: agentUrl, id: 'card' }, manifest: { price: '12 EUR' } },
    product_card_detailed: { format_id: { agent_url: agentUrl, id: 'card' }, manifest: { price: '12 EUR' } },
    forecast: { ...first!.offer.forecast!, ...price },
    reporting_capabilities: { ...first!.offer.reporting_capabilities, ...price },
  }
  const view = publicProducts([{ ...first!, offer }], isStandardFormat)
  expect(view).toHaveLength(1)
  expect(JSON.stringify(view.map((product) => product.offer))).not.toMatch(/12 EUR|"ext"/)
  expect(view[0]?.offer).toEqual(shown.find(({ id }) => id === first!.id)?.offer)
})
