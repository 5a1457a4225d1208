import type { DesiredCreative, DesiredLine, DesiredOrder, LineSettings } from '../../src/domain/ad-serving/desired-order.ts'

export const SETTINGS: LineSettings = {
  productId: 'homepage',
  startsAt: '2026-07-01T00:00:00.000Z',
  endsAt: '2026-08-01T00:00:00.000Z',
  budgetMicros: 5_000_000_000,
  price: { model: 'cpm', basis: 'fixed', rateMicros: 10_000_000 },
  goalImpressions: null,
  priority: 'non_guaranteed',
  pacing: 'even',
  targeting: { geo_countries: ['DE'] },
}

export const BANNER: DesiredCreative = {
  externalId: 'banner',
  name: 'Banner',
  formatId: { agent_url: 'https://ads.example.com/mcp', id: 'display_300x250' },
  assets: { image: { asset_type: 'image', url: 'https://cdn.example.com/a.png', width: 300, height: 250 } },
  contentVersion: 'v1',
}

const FLIGHT = { startsAt: SETTINGS.startsAt, endsAt: SETTINGS.endsAt }

/** A line that shows the banner. */
export function line(externalId: string, change: Partial<DesiredLine> = {}): DesiredLine {
  return {
    externalId,
    state: 'active',
    settings: SETTINGS,
    associations: [{ creativeExternalId: BANNER.externalId, weight: null, placementIds: null }],
    ...change,
  }
}

/** An active order of two lines that show the banner. */
export function order(change: Partial<DesiredOrder> = {}): DesiredOrder {
  return {
    key: { tenantId: 'acme', externalId: 'buy_1' },
    state: 'active',
    settings: { name: 'shoes.example / buy_1', advertiserId: 'acc_1', currency: 'EUR', budgetMicros: 10_000_000_000, ...FLIGHT },
    lines: [line('pkg_1'), line('pkg_2')],
    creatives: [BANNER],
    ...change,
  }
}
