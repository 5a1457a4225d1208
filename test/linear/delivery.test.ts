import { expect, test } from 'vitest'
import { deliveryOf, NOTHING } from '../../src/domain/media-buy/delivery.ts'
import type { MediaBuy } from '../../src/domain/media-buy/media-buy.ts'
import { ConversionCount, withConversions } from '../../src/domain/media-buy/report-conversions.ts'
import { growsTooFast } from '../support/growth.ts'

const each = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))
const line = (index: number) => ({ packageId: `p${index}`, days: [{ ...NOTHING, day: '2026-03-01', impressions: index }] })
const conversions = (count: number) => {
  const counted = new ConversionCount()
  for (const { packageId } of each(count, line))
    counted.add({ packageId, day: '2026-03-01', eventType: 'lead', eventSourceId: 'web', count: 1, valueMicros: 1 })
  return counted.totals().lines
}

// A size that stays in the cache of a processor: beyond it, allocation on a shared machine grows more than the work.
test('conversions join the reports of any number of packages', () => {
  const make = (size: number) => [each(size, line), conversions(size)] as const
  expect(growsTooFast(make, ([reports, counted]) => withConversions(reports, counted), 8_000)).toBe(false)
})

test('the delivery of a media buy finds the report of each of its packages', () => {
  const make = (size: number) => {
    const packages = each(size, (index) => ({ packageId: `p${size - index - 1}`, recorded: [] }))
    // Of a media buy, its delivery reads the packages alone.
    return [{ packages } as unknown as MediaBuy, each(size, line)] as const
  }
  expect(growsTooFast(make, ([buy, reports]) => deliveryOf(buy, reports), 16_000)).toBe(false)
})
