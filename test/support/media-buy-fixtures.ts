import type { CreateMediaBuyRequest, PricingOption } from '@adcp/sdk/types'
import { planMediaBuy } from '../../src/domain/media-buy/create.ts'
import type { MediaBuy } from '../../src/domain/media-buy/media-buy.ts'
import type { Offer } from '../../src/domain/product/offer.ts'
import type { Product, Selling } from '../../src/domain/product/product.ts'

export const NOW = new Date('2026-03-01T12:00:00.000Z')

export const FORMAT = { agent_url: 'https://ads.example/mcp', id: 'display_300x250' }

const CPM: PricingOption = { pricing_option_id: 'cpm', pricing_model: 'cpm', currency: 'USD', fixed_price: 10 }

/** A product with one fixed CPM option unless told otherwise. */
export function product(id: string, offer: Partial<Offer> = {}, selling: Partial<Selling> = {}): Product {
  return {
    id,
    offer: {
      product_id: id,
      name: id,
      description: id,
      publisher_properties: [{ publisher_domain: 'news.example', selection_type: 'all' }],
      format_ids: [FORMAT],
      delivery_type: 'non_guaranteed',
      channels: ['display'],
      pricing_options: [CPM],
      reporting_capabilities: {
        available_reporting_frequencies: ['daily'],
        expected_delay_minutes: 0,
        timezone: 'UTC',
        supports_webhooks: false,
        available_metrics: ['impressions', 'spend', 'clicks'],
        date_range_support: 'date_range',
      },
      ...offer,
    },
    selling: {
      visibility: 'standard',
      status: 'active',
      dailyCapacity: 1_000_000,
      approval: 'automatic',
      audiences: [],
      keywords: [],
      coverage: {},
      targeting: { geo: ['country'], keywords: true, frequencyCap: true, geoProximity: false },
      exclusiveTo: [],
      ...selling,
    },
  }
}

/** A create_media_buy request for one package of `news` over a fortnight. */
export function request(overrides: Partial<CreateMediaBuyRequest> = {}): CreateMediaBuyRequest {
  return {
    idempotency_key: '00000000-0000-4000-8000-000000000000',
    account: { account_id: 'acc' },
    brand: { domain: 'brand.example' },
    start_time: '2026-03-02T00:00:00Z',
    end_time: '2026-03-16T00:00:00Z',
    packages: [{ product_id: 'news', pricing_option_id: 'cpm', budget: 1000 }],
    ...overrides,
  }
}

/** Plans a request against the given products (default: `news`). */
export function plan(
  overrides: Partial<CreateMediaBuyRequest> = {},
  products: readonly Product[] = [product('news')],
  now = NOW,
): MediaBuy {
  return planMediaBuy(request(overrides), {
    mediaBuyId: 'mb',
    accountId: 'acc',
    principalId: 'buyer',
    actor: 'buyer',
    products: new Map(products.map((item) => [item.id, item])),
    declare: () => undefined,
    keepsOf: () => undefined,
    proposal: undefined,
    now,
    timeZone: 'UTC',
  })
}

/** The code and field of the AdcpError that `work` throws. */
export function refusal(work: () => unknown): { code: unknown; field: unknown } {
  try {
    work()
  } catch (error) {
    if (error instanceof Error && 'code' in error) return { code: error.code, field: 'field' in error ? error.field : undefined }
    throw error
  }
  return { code: undefined, field: undefined }
}
