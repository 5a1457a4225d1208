import type { PlanDocument, ProductDocument } from '../../src/domain/product/products-file.ts'
import { loadContracts } from '../../src/protocol/contracts.ts'
import { saveProducts } from '../../src/store/product/save-products.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from './media-buy-agent.ts'

interface Row {
  readonly name: string
  readonly channel: NonNullable<ProductDocument['channels']>[number]
  readonly countries: readonly string[]
  /** Fixed CPM by currency. */
  readonly eur?: number
  readonly sek?: number
  readonly keywords?: readonly string[]
  readonly selling?: Partial<ProductDocument['selling']>
}

/** Twelve products over seven channels and five countries, priced in EUR, SEK or both. */
const ROWS: Readonly<Record<string, Row>> = {
  display_nordic: { name: 'Nordic News Banners', channel: 'display', countries: ['SE', 'NO', 'DK', 'FI'], eur: 8, sek: 90 },
  video_nordic: { name: 'Nordic Pre-roll', channel: 'olv', countries: ['SE', 'NO'], eur: 18, sek: 200 },
  ctv_sweden: { name: 'Living Room Sweden', channel: 'ctv', countries: ['SE'], eur: 30, sek: 330 },
  video_norway: { name: 'Fjord Pre-roll', channel: 'olv', countries: ['NO'], eur: 16 },
  display_germany: {
    name: 'Bundesliga Banners',
    channel: 'display',
    countries: ['DE'],
    eur: 6,
    keywords: ['sports', 'football'],
    selling: { discounts: [{ percent: 15 }] },
  },
  podcast_sweden: { name: 'Morning Talk Podcasts', channel: 'podcast', countries: ['SE'], eur: 22, sek: 250 },
  audio_germany: { name: 'Autobahn Audio', channel: 'streaming_audio', countries: ['DE'], eur: 12 },
  dooh_stockholm: { name: 'Stockholm Screens', channel: 'dooh', countries: ['SE'], sek: 120 },
  native_denmark: { name: 'Danish Native', channel: 'display', countries: ['DK'], eur: 9 },
  radio_sweden: { name: 'Evening Radio', channel: 'radio', countries: ['SE'], sek: 80 },
  social_nordic: { name: 'Nordic Social', channel: 'social', countries: ['SE', 'NO', 'FI'], eur: 5, sek: 55 },
  takeover_sweden: {
    name: 'Front Page Takeover',
    channel: 'display',
    countries: ['SE'],
    eur: 40,
    sek: 450,
    selling: { approval: 'manual' },
  },
}

export const PRODUCTS: readonly ProductDocument[] = Object.entries(ROWS).map(([id, row]) =>
  productDocument(
    id,
    {
      name: row.name,
      description: 'Sold by thousands of impressions.',
      channels: [row.channel],
      pricing_options: [
        ...(row.eur === undefined ? [] : [optionOf('eur', 'EUR', row.eur)]),
        ...(row.sek === undefined ? [] : [optionOf('sek', 'SEK', row.sek)]),
      ],
    },
    {
      coverage: { countries: [...row.countries] },
      keywords: [...(row.keywords ?? ['news'])],
      targeting: { geo: ['country'], keywords: true, frequency_cap: true },
      ...row.selling,
    },
  ),
)

function optionOf(id: string, currency: string, fixed_price: number) {
  return { pricing_option_id: id, pricing_model: 'cpm' as const, currency, fixed_price }
}

function planOf(
  id: string,
  currency: 'EUR' | 'SEK',
  recommended: number,
  shares: Readonly<Record<string, number>>,
): PlanDocument {
  return {
    proposal_id: id,
    name: id,
    description: 'Made by hand.',
    allocations: Object.entries(shares).map(([product_id, allocation_percentage]) => ({
      product_id,
      allocation_percentage,
      pricing_option_id: currency.toLowerCase(),
    })),
    total_budget_guidance: { min: currency === 'EUR' ? 500 : 5000, recommended, currency },
  }
}

/** Plans whose shares are known before an ask. */
const PLANS: readonly PlanDocument[] = [
  planOf('nordic_plan', 'EUR', 20_000, { display_nordic: 40, video_nordic: 30, ctv_sweden: 20, video_norway: 10 }),
  planOf('wide_plan', 'EUR', 20_000, { display_nordic: 40, display_germany: 30, audio_germany: 20, podcast_sweden: 10 }),
  planOf('swedish_plan', 'SEK', 200_000, { ctv_sweden: 40, podcast_sweden: 30, dooh_stockholm: 30 }),
]

/** A publisher with products over several channels, countries and currencies, and plans of known shares. */
export async function startPlannerAgent(): Promise<MediaBuyAgent> {
  const agent = await startMediaBuyAgent([], { contracts: loadContracts() })
  const file = { version: 1 as const, products: PRODUCTS, plans: PLANS }
  await agent.server.store.transaction((tx) =>
    saveProducts(tx, agent.tenant, file, { merge: false }, new Date('2026-03-01T12:00:00Z')),
  )
  return agent
}
