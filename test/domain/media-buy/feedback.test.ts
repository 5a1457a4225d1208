import { expect, test } from 'vitest'
import { steerBy } from '../../../src/domain/media-buy/feedback.ts'
import { plan } from '../../support/media-buy-fixtures.ts'

const NOW = new Date('2026-03-05T00:00:00Z')
const buy = plan()

test('feedback steers the package that it names, else all; that on a creative steers none', () => {
  const given = (packageId?: string, creativeId?: string) =>
    steerBy(buy, { index: 1.4, packageId, creativeId }, NOW).packages.map(({ feedback }) => feedback)
  const change = [{ at: NOW.toISOString(), index: 1.4 }]
  expect(given()).toEqual([change])
  expect(given(buy.packages[0]?.packageId)).toEqual([change])
  expect(given('another')).toEqual([undefined])
  expect(given(undefined, 'creative')).toEqual([undefined])
})
