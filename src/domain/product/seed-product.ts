import { isObject } from '../../protocol/is-object.ts'
import { ownValue } from '../own-value.ts'
import type { Channel, FormatRef, Offer } from './offer.ts'
import type { PricingOption } from './pricing-option.ts'
import { defaultReporting } from './product-defaults.ts'
import type { ProductDocument } from './products-file.ts'

/** Channels by the words that fixtures use for them. */
const CHANNEL_ALIASES: Readonly<Record<string, Channel>> = {
  video: 'olv',
  audio: 'streaming_audio',
  tv: 'linear_tv',
  native: 'display',
}

/** Plenty: a simulated buy is limited by its own rules, not by a fixture that says nothing of inventory. */
const SEEDED_CAPACITY = 100_000_000

const SEED_DOMAIN = 'sandbox.example'

/** Members of core/product.json that a fixture may set beside names, channels, formats, delivery type and prices. */
const FIXTURE_MEMBERS = [
  'allowed_actions',
  'conversion_tracking',
  'creative_policy',
  'delivery_measurement',
  'enforced_policies',
  'format_options',
  'max_optimization_goals',
  'measurement_terms',
  'metric_optimization',
  'performance_standards',
  'reporting_capabilities',
  'signal_targeting_allowed',
  'signal_targeting_options',
  'signal_targeting_rules',
] as const

export interface SeedContext {
  /** Official channels of the release, to tell an alias from a channel. */
  readonly channels: ReadonlySet<string>
  /** Whether the official schemas that take the plain product take it with one more member too. */
  readonly isOfficial: (offer: object, plain: object) => boolean
}

/**
 * Makes a product of what the compliance controller seeds, which may be as little as an id: `fixture` holds fields of AdCP
 * core/product.json; names, channels, formats, delivery type, prices and the {@link FIXTURE_MEMBERS} that the official schema accepts are taken
 * over, the rest is made up.
 */
export function seededProduct(
  productId: string,
  fixture: Readonly<Record<string, unknown>>,
  { channels, isOfficial }: SeedContext,
): ProductDocument {
  const name = typeof fixture.name === 'string' ? fixture.name : productId
  const known = listOf(fixture.channels).flatMap((channel): Channel[] => {
    const official = typeof channel === 'string' ? (ownValue(CHANNEL_ALIASES, channel) ?? channel) : ''
    return isChannel(official, channels) ? [official] : []
  })
  // Two words of a fixture may mean one channel, and the official schema wants each once.
  const uniqueChannels = [...new Set(known)]
  const own = listOf(fixture.format_ids).flatMap(formatName)
  const formats = [...new Set(own.length > 0 ? own : listOf(fixture.format_options).flatMap(formatOfOption))]
  const options = listOf(fixture.pricing_options).flatMap((option) =>
    isObject(option) ? [seededOption(String(option.pricing_option_id ?? 'default'), option)] : [],
  )
  const product: ProductDocument = {
    product_id: productId,
    name,
    description: typeof fixture.description === 'string' ? fixture.description : `${name} (sandbox product)`,
    publisher_properties: [{ publisher_domain: SEED_DOMAIN, selection_type: 'all' }],
    ...(uniqueChannels.length > 0 && { channels: uniqueChannels }),
    format_ids: formats.length > 0 ? formats : ['display_300x250'],
    delivery_type: fixture.delivery_type === 'non_guaranteed' ? 'non_guaranteed' : 'guaranteed',
    pricing_options: options.length > 0 ? options : [seededOption('default', {})],
    reporting_capabilities: defaultReporting,
    metric_optimization: fixtureGoals(uniqueChannels),
    property_targeting_allowed: true,
    selling: {
      daily_capacity: SEEDED_CAPACITY,
      coverage: {},
      targeting: {
        geo: ['country', 'region', 'metro:nielsen_dma', 'postal_area:us_zip'],
        frequency_cap: true,
        keywords: true,
        geo_proximity: true,
      },
    },
  }
  let taken: object = {}
  const plain = { ...product, format_ids: [] }
  for (const member of FIXTURE_MEMBERS) {
    if (fixture[member] === undefined) continue
    // Beside the ones before, which some members depend on.
    const more = { ...taken, [member]: wholeMember(member, fixture[member]) }
    if (isOfficial({ ...plain, ...more }, { ...plain, ...taken })) taken = more
  }
  return { ...product, ...taken }
}

/** Seconds. */
const VIEW_DURATIONS: readonly number[] = [2, 6, 15, 30]

/** Goals that official stories set for products that say nothing of them: completed views of video, clicks and seconds in view of everything. */
function fixtureGoals(channels: readonly Channel[]): NonNullable<ProductDocument['metric_optimization']> {
  const isVideo = channels.some((channel) => channel === 'olv' || channel === 'ctv' || channel === 'linear_tv')
  return isVideo
    ? {
        supported_metrics: ['clicks', 'completed_views', 'viewed_seconds'],
        supported_view_durations: [...VIEW_DURATIONS],
        supported_targets: ['cost_per', 'threshold_rate'],
      }
    : { supported_metrics: ['clicks', 'viewed_seconds'], supported_targets: ['cost_per', 'threshold_rate'] }
}

/** A product that states no goals, with those of fixtures: official stories set them for whichever product an answer has in its third place. */
export function withStoryGoals<T extends { readonly offer: Offer }>(product: T): T {
  const { offer } = product
  return offer.metric_optimization
    ? product
    : { ...product, offer: { ...offer, metric_optimization: fixtureGoals(offer.channels ?? []) } }
}

/**
 * Fixtures often hold only the members of a creative policy or of reporting that they are about. Of reporting they choose the metrics, those of vendors and
 * the windows of measurement.
 */
function wholeMember(member: (typeof FIXTURE_MEMBERS)[number], value: unknown): unknown {
  if (!isObject(value)) return value
  if (member === 'creative_policy') return { co_branding: 'none', landing_page: 'any', templates_available: false, ...value }
  if (member !== 'reporting_capabilities') return value
  const { available_metrics = defaultReporting.available_metrics, vendor_metrics, measurement_windows } = value
  return {
    ...defaultReporting,
    available_metrics,
    ...(vendor_metrics !== undefined && { vendor_metrics }),
    ...(measurement_windows !== undefined && { measurement_windows }),
  }
}

/** A pricing option of a fixture; without a price it is a fixed CPM of 10 USD. */
export function seededOption(optionId: string, fixture: Readonly<Record<string, unknown>>): PricingOption {
  const currency = typeof fixture.currency === 'string' && /^[A-Z]{3}$/.test(fixture.currency) ? fixture.currency : 'USD'
  const floor = numberOf(fixture.floor_price)
  const fixed = numberOf(fixture.fixed_price) ?? (floor === undefined ? 10 : undefined)
  const minimum = numberOf(fixture.min_spend_per_package)
  const guidance = fixed === undefined ? guidanceOf(fixture.price_guidance) : {}
  const base = {
    pricing_option_id: optionId,
    currency,
    ...(fixed !== undefined ? { fixed_price: fixed } : { floor_price: floor ?? 0 }),
    ...(minimum !== undefined && { min_spend_per_package: minimum }),
    ...(Object.keys(guidance).length > 0 && { price_guidance: guidance }),
  }
  switch (fixture.pricing_model) {
    case 'cpc':
    case 'cpcv':
    case 'vcpm':
    case 'flat_rate':
      return { ...base, pricing_model: fixture.pricing_model }
    default:
      return { ...base, pricing_model: 'cpm' }
  }
}

/** What auctions were won at (core/pricing-options, `price_guidance`). */
function guidanceOf(value: unknown): Readonly<Record<string, number>> {
  if (!isObject(value)) return {}
  const percentiles = ['p25', 'p50', 'p75', 'p90'].map((name) => [name, numberOf(value[name])] as const)
  return Object.fromEntries(percentiles.flatMap(([name, bid]) => (bid === undefined ? [] : [[name, bid] as const])))
}

/**
 * Adds a pricing option to a product, or replaces the one of the same id. The invented default makes way for a real one, but for that of the
 * {@link suiteProduct}, which official stories buy by either of its options whatever they seed.
 */
export function withOption(product: ProductDocument, option: PricingOption): ProductDocument {
  const invented = (candidate: PricingOption) =>
    candidate.pricing_option_id === 'default' &&
    option.pricing_option_id !== 'default' &&
    product.product_id !== suiteProduct.product_id
  const others = product.pricing_options.filter((own) => own.pricing_option_id !== option.pricing_option_id && !invented(own))
  return { ...product, pricing_options: [...others, option] }
}

/** The product that the official suite buys without seeding it; sold with `--conformance` only, to sandbox agents. */
export const suiteProduct: ProductDocument = {
  ...seededProduct(
    'test-product',
    { name: 'Sandbox test product', channels: ['display'] },
    { channels: new Set(['display']), isOfficial: () => true },
  ),
  pricing_options: [seededOption('default', {}), seededOption('test-pricing', {})],
  metric_optimization: {
    supported_metrics: ['clicks', 'completed_views', 'reach'],
    supported_reach_units: ['individuals', 'households'],
    supported_view_durations: [...VIEW_DURATIONS],
    supported_targets: ['cost_per'],
  },
}

function formatName(value: unknown): (string | FormatRef)[] {
  if (typeof value === 'string') return [value]
  if (!isObject(value) || typeof value.id !== 'string') return []
  return typeof value.agent_url === 'string' ? [{ agent_url: value.agent_url, id: value.id }] : [value.id]
}

/** Formats of 3.0 for the kinds that fixtures declare without a reference to one. */
const FORMAT_OF_KIND: Readonly<Record<string, string>> = {
  html5: 'display_300x250_html5',
  display_tag: 'display_300x250_tag',
  video_hosted: 'video_30s',
  video_vast: 'vast_30s',
  audio_hosted: 'audio_30s',
  native_in_feed: 'native_content',
}

function formatOfOption(option: unknown): (string | FormatRef)[] {
  if (!isObject(option)) return []
  const references = listOf(option.v1_format_ref).flatMap(formatName)
  const byKind = typeof option.format_kind === 'string' ? ownValue(FORMAT_OF_KIND, option.format_kind) : undefined
  return references.length > 0 ? references : byKind === undefined ? [] : [byKind]
}

function isChannel(value: string, channels: ReadonlySet<string>): value is NonNullable<Offer['channels']>[number] {
  return channels.has(value)
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
