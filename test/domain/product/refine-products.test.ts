import { expect, it } from 'vitest'
import { readAsk } from '../../../src/domain/product/ask.ts'
import { requireAskBounds } from '../../../src/domain/product/ask-bounds.ts'
import { takesOf } from '../../../src/domain/product/overlay-support.ts'
import type { Product } from '../../../src/domain/product/product.ts'
import { buildIndex } from '../../../src/domain/product/product-index.ts'
import type { RefineEntry } from '../../../src/domain/product/product-question.ts'
import { publicProducts } from '../../../src/domain/product/public-view.ts'
import { refineProducts } from '../../../src/domain/product/refine-products.ts'
import { isStandardFormatOf } from '../../../src/domain/product/standard-format.ts'
import { agentUrl, demoProducts } from '../../support/demo-products.ts'

const refine = (products: readonly Product[], ...entries: RefineEntry[]) =>
  refineProducts(entries, {
    offered: new Map(products.map((product) => [product.id, product])),
    index: buildIndex(products),
    eligible: () => true,
    takes: takesOf(),
    buyer: undefined,
    conditions: undefined,
    failedBy: () => [],
    proposed: [],
  })

it('holds a condition against all products when nothing that its words name fulfils it', () => {
  const products = demoProducts()
  const ask = 'cheaper products under $5 CPM'
  const affordable = products.filter((product) => readAsk(ask).wishes.every(({ satisfies }) => satisfies(product, takesOf())))
  expect(affordable.length).toBeGreaterThan(0)
  const refined = refine(products, { scope: 'request', ask })
  expect(refined.products.map(({ id }) => id)).toEqual(affordable.map(({ id }) => id))
  expect(refined.outcomes.get(0)?.status).toBe('applied')
})

it('keeps the conditions of earlier asks, and says which one cannot be added', () => {
  const { products, outcomes } = refine(
    demoProducts(),
    { scope: 'request', ask: 'only podcasts' },
    { scope: 'request', ask: 'CPM under $1' },
  )
  expect(products.length).toBeGreaterThan(0)
  for (const { offer } of products) expect(offer.channels).toContain('podcast')
  expect([outcomes.get(0)?.status, outcomes.get(1)?.status]).toEqual(['applied', 'unable'])
})

it('claims no forecast for a product whose prices do not show', () => {
  const entry = { scope: 'product', product_id: 'ros_display', action: 'include', ask: 'with a budget of $10,000' } as const
  const open = publicProducts(demoProducts(), isStandardFormatOf(agentUrl))
  expect(refine(open, entry).outcomes.get(0)?.status).toBe('unable')
  expect(refine(demoProducts(), entry).outcomes.get(0)?.status).toBe('applied')
})

it('refuses more entries, and longer asks, than are held against every product', () => {
  const asks = (count: number, length: number) =>
    requireAskBounds(
      Array.from({ length: count }, () => ({ ask: 'x'.repeat(length) })),
      'refine',
    )
  expect(() => asks(100, 50)).not.toThrow()
  expect(() => asks(101, 1)).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST', field: 'refine' }))
  expect(() => asks(2, 2_501)).toThrow('5002 characters; at most 5000')
  expect(() => requireAskBounds([{ ask: '\ufdfa'.repeat(300) }], 'refinements')).toThrow('5400 characters; at most 5000')
})

it('carries out fifty conditions, and says which ones it left', () => {
  const entries = Array.from({ length: 60 }, (_, index) => ({ scope: 'request', ask: `CPM under $${100 + index}` }) as const)
  const { outcomes } = refine(demoProducts(), ...entries)
  expect(outcomes.get(49)?.status).toBe('applied')
  expect(outcomes.get(50)).toMatchObject({ status: 'unable', notes: expect.stringContaining('no more than 50') })
})

it('what is to be less comes last where only words of the ask were sought, and is not called absent', () => {
  for (const ask of ['less video, more display', 'more display, less video']) {
    const { products, outcomes } = refine(demoProducts(), { scope: 'request', ask })
    expect(outcomes.get(0), ask).toMatchObject({ status: 'applied', notes: 'applied: olv, ctv last; display first' })
    const isVideo = products.map(({ offer }) => (offer.channels ?? []).some((channel) => channel === 'olv' || channel === 'ctv'))
    expect(isVideo.indexOf(true), ask).toBeGreaterThan(0)
    expect(isVideo.slice(isVideo.indexOf(true)), ask).not.toContain(false)
  }
})
