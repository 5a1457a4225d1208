import type { Declare } from '../creative/canonical/declaration.ts'
import type { Brief } from './brief.ts'
import { conditionedForecast, type ForecastConditions } from './forecast-conditions.ts'
import type { Offer } from './offer.ts'
import type { PricingOption } from './pricing-option.ts'
import type { Product } from './product.ts'
import type { ProductIndex } from './product-index.ts'
import { reachOf } from './reach.ts'
import { relevanceOf } from './relevance.ts'

/** Members beside the required ones in a list row: what distinguishes products. */
const ROW_MEMBERS: readonly string[] = [
  'cancellation_policy',
  'channels',
  'exclusivity',
  'is_custom',
  'catalog_types',
  'expires_at',
]
/** The same for client libraries, which are to know how a buy can be changed and which signals it takes. */
const LIBRARY_ROW_MEMBERS: readonly string[] = [
  ...ROW_MEMBERS,
  'allowed_actions',
  'signal_targeting_allowed',
  'signal_targeting_options',
  'signal_targeting_rules',
]
/** Members of a product that no release's enumeration of fields has, or only that of a later one (enums/product-field.json). */
const UNLISTED_FIELDS: ReadonlySet<unknown> = new Set([
  ...LIBRARY_ROW_MEMBERS,
  'collection_targeting_allowed',
  'ext',
  'format_options',
  'material_submission',
  'measurement_readiness',
  'measurement_terms',
  'performance_standards',
  'property_targeting_allowed',
  'vendor_metric_optimization',
])

/** Whether `fields` of any release may ask for a member of a product, though the enumeration of the caller's lacks it. */
export function isProductMember(name: unknown): boolean {
  return UNLISTED_FIELDS.has(name)
}

export interface PresentOptions {
  /** What the caller asked with, in mode `brief`. */
  readonly brief: Brief | undefined
  readonly index: ProductIndex
  /** Whether the caller may know prices. */
  readonly prices: boolean
  /** Declares the formats of this agent to buyers of later releases; absent where the caller needs none. */
  readonly declare: Declare | undefined
  /** Other prices are left out; undefined: all are shown. */
  readonly isWantedPrice?: ((option: PricingOption) => boolean) | undefined
  /** What the forecasts of the answer have to be about; absent: nothing but the product. */
  readonly conditions?: ForecastConditions | undefined
  /** Why products answer the brief by the publisher's own ranking, by id. */
  readonly reasons?: ReadonlyMap<string, string> | undefined
  /** Whether every member is shown when no fields are asked for: the caller named products. */
  readonly whole: boolean
  /** Whether a whole product has what it reports in full; absent: yes. The products of a proposal have what is required. */
  readonly reports?: boolean | undefined
}

/**
 * A product with the fields asked for, or as a row of a list, or whole; where it reaches; and why it answers the brief, if there is one. For buyers of
 * later releases the formats are there twice: their clients drop a product without `format_options`.
 */
export function presentProduct(product: Product, fields: readonly string[] | undefined, options: PresentOptions): Offer {
  const { brief, index, prices, declare, whole, reports = true, isWantedPrice, reasons, conditions } = options
  const priced = isWantedPrice ? withPrices(product.offer, isWantedPrice) : product.offer
  const offer = conditions ? conditioned(priced, product, conditions) : priced
  const full = reports ? offer : { ...offer, reporting_capabilities: reportingRow(offer.reporting_capabilities) }
  const asked = whole && !fields ? full : only(offer, fields ?? (declare ? libraryRow(offer) : ROW_MEMBERS))
  const declared = declare && product.offer.format_ids.flatMap((format) => declare(format) ?? [])
  const format_options = (declare && product.offer.format_options) ?? declared ?? []
  const reach = fields && !shows(fields, 'ext') ? undefined : reachOf(product)
  const row = format_options.length > 0 ? { ...asked, format_options } : asked
  const dated = reach ? { ...row, ext: { ...product.offer.ext, reach } } : row
  const shown = fields ? withRowFacts(dated, product) : dated
  if (!brief || (fields && !fields.includes('brief_relevance'))) return shown
  const relevance = { index, prices, reason: reasons?.get(product.id), flight: conditions?.flight }
  return { ...shown, brief_relevance: relevanceOf(product, brief, relevance) }
}

/** Of a row with some fields alone: what its text says beside them. Not a member of the answer. */
const ROW_FACTS = Symbol('row facts')

/** Where a product reaches and what cancelling it costs. */
type RowFacts = Pick<Offer, 'ext' | 'cancellation_policy'>

function withRowFacts(row: Offer, product: Product): Offer {
  const { cancellation_policy } = product.offer
  const facts: RowFacts = { ext: { reach: reachOf(product) }, ...(cancellation_policy && { cancellation_policy }) }
  return Object.assign(row, { [ROW_FACTS]: facts })
}

/** What the text of a row says of reach and cancellation, whatever fields were asked for. */
export function rowFactsOf(row: RowFacts): RowFacts {
  return ROW_FACTS in row ? (row[ROW_FACTS] as RowFacts) : row
}

/** A product that asks for provenance says so in its row: creatives without it are refused. */
function libraryRow({ creative_policy: policy }: Offer): readonly string[] {
  return policy?.provenance_required === true ? [...LIBRARY_ROW_MEMBERS, 'creative_policy'] : LIBRARY_ROW_MEMBERS
}

/** `fields` of later releases has more names than those of 3.0. */
function shows(fields: readonly string[], name: string): boolean {
  return fields.includes(name)
}

function conditioned({ forecast: _forecast, ...others }: Offer, product: Product, conditions: ForecastConditions): Offer {
  const forecast = conditionedForecast(product, conditions)
  return forecast ? { ...others, forecast } : others
}

function withPrices(offer: Offer, isWanted: (option: PricingOption) => boolean): Offer {
  const [first, ...others] = offer.pricing_options.filter(isWanted)
  return first ? { ...offer, pricing_options: [first, ...others] } : offer
}

/**
 * The fields that the response schema requires of every product, and those asked for. Built up, not cut down: an object that lost
 * members is slow to check and to write from then on.
 */
function only(offer: Offer, fields: readonly string[]): Offer {
  const { product_id, name, description, publisher_properties, format_ids, delivery_type, pricing_options, ...rest } = offer
  const required = { product_id, name, description, publisher_properties, format_ids, delivery_type, pricing_options }
  const { reporting_capabilities, ...optional } = rest
  const asked = Object.entries(optional).filter(([field]) => fields.includes(field))
  const reporting = fields.includes('reporting_capabilities') ? reporting_capabilities : reportingRow(reporting_capabilities)
  return Object.assign({ ...required, reporting_capabilities: reporting }, Object.fromEntries(asked))
}

/** The members that AdCP core/reporting-capabilities.json requires, and metrics of vendors (3.1), by which few products are told from the others. */
function reportingRow(capabilities: Offer['reporting_capabilities']): Offer['reporting_capabilities'] {
  const { available_reporting_frequencies, expected_delay_minutes, timezone } = capabilities
  const { supports_webhooks, available_metrics, date_range_support } = capabilities
  const vendorMetrics = 'vendor_metrics' in capabilities ? capabilities.vendor_metrics : undefined
  return {
    available_reporting_frequencies,
    expected_delay_minutes,
    timezone,
    supports_webhooks,
    available_metrics,
    date_range_support,
    ...(vendorMetrics !== undefined && { vendor_metrics: vendorMetrics }),
  }
}
