import { isObject } from '../../protocol/is-object.ts'
import { canonicalPricing } from './canonical-pricing.ts'
import type { Offer } from './offer.ts'
import { picked } from './picked.ts'

/** A product as the compact lifecycle shows it (AdCP 3.2 core/canonical-product.json): formats by their options alone, prices without hints on execution. */
export interface CanonicalProduct {
  readonly product_id: string
  readonly name: string
  readonly [member: string]: unknown
}

/** Members that are shown as the offer has them. */
const AS_IT_IS = [
  'description',
  'publisher_properties',
  'channels',
  'video_placement_types',
  'audio_distribution_types',
  'sponsored_placement_types',
  'social_placement_surfaces',
  'delivery_type',
  'exclusivity',
  'catalog_types',
  'signal_targeting_allowed',
  'signal_targeting_rules',
  'overlay_support',
  'collection_targeting_allowed',
  'max_optimization_goals',
  'catalog_match',
  'expires_at',
  'ext',
]

/** The members of a closed schema that an offer may bring more of. */
const CLOSED: Readonly<Record<string, readonly string[]>> = {
  format_options: [
    'format_option_id',
    'publisher_domain',
    'tracker_execution_contract',
    'macro_resolution_capabilities',
    'technical_requirements_complete',
    'display_name',
    'sample_render_url',
    'applies_to_channels',
    'seller_preference',
    'locale_policy',
    'canonical_formats_only',
    'experimental',
    'format_kind',
    'params',
    'format_shape',
    'format_schema',
  ],
  placements: [
    'kind',
    'placement_id',
    'publisher_domain',
    'seller_agent',
    'name',
    'mode',
    'tags',
    'video_placement_types',
    'audio_distribution_types',
    'sponsored_placement_types',
    'social_placement_surfaces',
    'identifiers',
    'dooh_placement_attributes',
  ],
  collections: ['publisher_domain', 'collection_ids'],
  performance_standards: ['metric', 'threshold', 'standard', 'vendor'],
  allowed_actions: ['action', 'modes', 'allowed_statuses', 'sla', 'terms_ref'],
}

const REPORTING = [
  'available_reporting_frequencies',
  'expected_delay_minutes',
  'timezone',
  'supports_webhooks',
  'available_metrics',
  'vendor_metrics',
  'supports_creative_breakdown',
  'supports_format_breakdown',
  'supports_keyword_breakdown',
  'supports_geo_breakdown',
  'supports_device_type_breakdown',
  'supports_device_platform_breakdown',
  'supports_audience_breakdown',
  'supports_placement_breakdown',
  'supports_property_breakdown',
  'supports_collection_breakdown',
  'date_range_support',
  'windowed_pull_granularities',
  'measurement_windows',
]
const FORECAST = [
  'points',
  'forecast_range_unit',
  'method',
  'currency',
  'demographic_system',
  'demographic',
  'measurement_source',
  'reach_unit',
  'generated_at',
  'valid_until',
  'ext',
]
const POINT = ['label', 'budget', 'product_id', 'dimensions', 'availability_status', 'metrics', 'viewability']

/** Coarse names of changes, which the compact lifecycle has finer ones for. */
const COARSE_ACTIONS = new Set(['update_budget', 'update_dates', 'update_packages', 'sync_creatives'])

/** An offer with the fields that are asked for; undefined: all that it has. Its id and name are always there. */
export function canonicalProduct(offer: Offer, fields: readonly string[] | undefined): CanonicalProduct {
  const { product_id, name } = offer
  const members = {
    ...picked(offer, AS_IT_IS),
    ...pricesOf(offer),
    ...Object.fromEntries(Object.keys(CLOSED).flatMap((member) => closedList(offer, member))),
    ...closed(offer, 'reporting_capabilities', REPORTING),
    ...canonicalForecast(offer),
    ...measurementOf(offer),
    ...extOf(offer),
  }
  const shown = fields === undefined ? members : picked(members, [...fields, 'ext'])
  return { product_id, name, ...shown }
}

/** `ext`, with the cancellation terms: the closed schema has no member for them. */
function extOf({ ext, cancellation_policy: policy }: Offer) {
  return policy && { ext: { ...ext, cancellation_policy: policy } }
}

function pricesOf({ pricing_options: options }: Offer) {
  return options.length > 0 && { pricing_options: options.map(canonicalPricing) }
}

function closedList(offer: Offer, member: string): [string, object[]][] {
  const list: unknown = Reflect.get(offer, member)
  if (!Array.isArray(list)) return []
  const items = list.filter(isObject).filter((item) => member !== 'allowed_actions' || !COARSE_ACTIONS.has(String(item.action)))
  return items.length === 0 ? [] : [[member, items.map((item) => closedItem(item, member))]]
}

function closedItem(item: object, member: string): object {
  const own = picked(item, CLOSED[member] ?? [])
  if (member === 'performance_standards') return { ...own, ...vendorOf(item) }
  const options: unknown = Reflect.get(item, 'format_options')
  if (member !== 'placements' || !Array.isArray(options) || options.length === 0) return own
  return { ...own, format_options: options.filter(isObject).map((option) => picked(option, CLOSED.format_options ?? [])) }
}

function closed(offer: object, member: string, names: readonly string[]) {
  const value: unknown = Reflect.get(offer, member)
  return isObject(value) && { [member]: picked(value, names) }
}

/** A forecast without members that only earlier releases have. */
export function canonicalForecast({ forecast }: Pick<Offer, 'forecast'>) {
  if (!forecast) return {}
  const points = forecast.points.map((point) => picked(point, POINT))
  return { forecast: { ...picked(forecast, FORECAST), points } }
}

/** How an offer's delivery is measured for the bill, by vendors that are known by their key alone. */
export function measurementOf({ measurement_terms: terms }: Pick<Offer, 'measurement_terms'>) {
  if (!terms) return {}
  const { billing_measurement: billing, makegood_policy: makegood } = terms
  const names = ['max_variance_percent', 'measurement_window', 'finalization_deadline_hours']
  return {
    measurement_terms: {
      ...(billing && { billing_measurement: { ...picked(billing, names), ...vendorOf(billing) } }),
      ...(makegood && { makegood_policy: picked(makegood, ['available_remedies']) }),
    },
  }
}

/** The vendor of an object, by its key (core/brand-key.json). */
export function vendorOf(value: object) {
  const vendor: unknown = Reflect.get(value, 'vendor')
  return isObject(vendor) && { vendor: picked(vendor, ['domain', 'brand_id', 'countries']) }
}
