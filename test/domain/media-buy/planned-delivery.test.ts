import { describe, expect, it } from 'vitest'
import type { MediaBuy } from '../../../src/domain/media-buy/media-buy.ts'
import { altersCommitment, plannedDelivery } from '../../../src/domain/media-buy/planned-delivery.ts'
import { plan, product } from '../../support/media-buy-fixtures.ts'

const two = plan(
  {
    packages: [
      { product_id: 'news', pricing_option_id: 'cpm', budget: 1000, targeting_overlay: { geo_countries: ['US'] } },
      { product_id: 'tv', pricing_option_id: 'cpm', budget: 500.5, targeting_overlay: { geo_countries: ['US', 'CA'] } },
    ],
  },
  [product('news'), product('tv', { channels: ['ctv'] })],
)

const cancelled = { canceledAt: two.createdAt, canceledBy: 'buyer' as const }
const withPackage = (index: number, change: (pkg: MediaBuy['packages'][number]) => MediaBuy['packages'][number]): MediaBuy => ({
  ...two,
  packages: two.packages.map((pkg, at) => (at === index ? change(pkg) : pkg)),
})
const withBudget = (index: number, amount: number) =>
  withPackage(index, (pkg) => ({ ...pkg, terms: { ...pkg.terms, budgetMicros: amount * 1_000_000 } }))

describe('plannedDelivery', () => {
  it('is what the packages come to together', () => {
    expect(plannedDelivery(two)).toEqual({
      geo: { countries: ['US', 'CA'] },
      channels: ['display', 'ctv'],
      start_time: two.startsAt,
      end_time: two.endsAt,
      total_budget: 1500.5,
      currency: 'USD',
    })
  })

  it('claims no places as soon as one package is bound to none, and leaves out what is cancelled', () => {
    const anywhere = withPackage(0, ({ targetingOverlay: _overlay, ...pkg }) => pkg)
    expect(plannedDelivery(anywhere)).not.toHaveProperty('geo')
    const one = withPackage(1, (pkg) => ({ ...pkg, cancellation: cancelled }))
    expect(plannedDelivery(one)).toMatchObject({ geo: { countries: ['US'] }, channels: ['display'], total_budget: 1000 })
  })
})

describe('altersCommitment', () => {
  it.each([
    ['a larger budget', withBudget(0, 1001)],
    [
      'the same money on other packages',
      { ...withBudget(0, 900), packages: [withBudget(0, 900).packages[0], withBudget(1, 600.5).packages[1]] },
    ],
    ['a later end', { ...two, endsAt: '2026-04-01T00:00:00.000Z' }],
    ['other countries', withPackage(0, (pkg) => ({ ...pkg, targetingOverlay: { geo_countries: ['MX'] } }))],
  ] as const)('%s needs consent', (_what, after) => {
    expect(altersCommitment(two, after as MediaBuy)).toBe(true)
  })

  it.each([
    ['nothing', two],
    ['a smaller budget', withBudget(0, 900)],
    ['a pause', { ...two, paused: true }],
    ['the end of a package', withPackage(1, (pkg) => ({ ...pkg, cancellation: cancelled }))],
    ['the end of the buy', { ...two, cancellation: cancelled, endsAt: '2026-04-01T00:00:00.000Z' }],
  ])('%s needs none', (_what, after) => {
    expect(altersCommitment(two, after)).toBe(false)
  })
})
