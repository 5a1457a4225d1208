import { expect, it } from 'vitest'
import { currentMetrics } from '../../src/domain/current-metrics.ts'
import { productOf } from '../../src/domain/product/products-file.ts'
import { seededProduct } from '../../src/domain/product/seed-product.ts'

it('gives the name that every release knows, once', () => {
  expect(currentMetrics(['spend', 'video_completions', 'completed_views'])).toEqual(['spend', 'completed_views'])
})

it('is what a product reports, whatever its file says', () => {
  const document = seededProduct('p', {}, { channels: new Set(), isOfficial: () => true })
  const capabilities = { ...document.reporting_capabilities, available_metrics: ['impressions', 'video_completions'] as const }
  const { offer } = productOf(
    { ...document, reporting_capabilities: { ...capabilities, available_metrics: [...capabilities.available_metrics] } },
    'https://seller.example/mcp',
  )
  expect(offer.reporting_capabilities.available_metrics).toEqual(['impressions', 'completed_views'])
})
