import { expect, test } from 'vitest'
import { dayFrom, rangeBefore } from '../../../src/domain/media-buy/delivery.ts'
import { requireGranularity } from '../../../src/domain/media-buy/delivery-windows.ts'
import { missingMetrics } from '../../../src/domain/media-buy/missing-metrics.ts'
import { demoProducts } from '../../support/demo-products.ts'

const offer = demoProducts()[0]?.offer
const UNTIL = '2026-04-01T00:00:00.000Z'

test('the end of a report is the first day after it', () => {
  expect(rangeBefore('2028-02-28', '2028-03-01')).toEqual({ first: '2028-02-28', last: '2028-02-29' })
  expect(rangeBefore('2028-02-28', '2028-02-28')).toEqual({ first: '2028-02-28', last: '2028-02-28' })
  expect(rangeBefore(undefined, '2026-01-01')).toEqual({ last: '2025-12-31' })
  expect(dayFrom('2026-12-31', 1)).toBe('2027-01-01')
})

test('only windows that every product offers are served', () => {
  expect(requireGranularity('daily', [offer, offer])).toBe('daily')
  for (const [wanted, offers, supported] of [
    ['hourly', [offer], ['daily', 'monthly']],
    ['daily', [offer, undefined], []],
  ] as const) {
    const refusal = {
      code: 'UNSUPPORTED_GRANULARITY',
      field: 'time_granularity',
      details: { supported_granularities: supported },
    }
    expect(() => requireGranularity(wanted, offers)).toThrow(expect.objectContaining(refusal))
  }
})

test('what was promised and is not in the report is missing, by its qualifier', () => {
  const promise = (metric_id: string, more: object = {}) => ({ scope: 'standard', metric_id, ...more })
  const pkg = (committed_at: string, ...metrics: object[]) => ({
    committedMetrics: metrics.map((metric) => ({ ...metric, committed_at })),
  })
  const row = { impressions: 10, clicks: 1, viewability: { viewable_rate: 0.5, standard: 'mrc' } }
  const mrc = promise('viewable_rate', { qualifier: { viewability_standard: 'mrc' } })
  const groupm = promise('viewable_rate', { qualifier: { viewability_standard: 'groupm' } })
  const before = '2026-03-01T00:00:00.000Z'
  const wanted = [promise('clicks'), mrc, groupm, promise('completed_views')]
  expect(missingMetrics(pkg(before, ...wanted), row, UNTIL)).toEqual([groupm, promise('completed_views')])
  expect(missingMetrics(pkg(UNTIL, ...wanted), row, UNTIL)).toEqual([])
  expect(missingMetrics(pkg(before, ...wanted), { ...row, impressions: 0 }, UNTIL)).toEqual([])
  expect(missingMetrics({}, row, UNTIL)).toEqual([])
})
