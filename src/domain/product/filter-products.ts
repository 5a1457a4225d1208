import type { Declare } from '../creative/canonical/declaration.ts'
import { canonicalAgentUrl } from '../creative/formats/format-id.ts'
import { formatTest } from '../creative/formats/format-test.ts'
import { requireOrder } from '../order.ts'
import { keywordsTest } from './filter-keywords.ts'
import { placeTests } from './filter-places.ts'
import { priceTests } from './filter-prices.ts'
import { FORECAST_DAYS } from './forecast-budget.ts'
import { laterTests } from './later-filters.ts'
import type { Offer } from './offer.ts'
import type { KeepsTargeting } from './overlay-support.ts'
import { type Product, runsOn } from './product.ts'
import type { ProductFilters } from './product-filters.ts'

/** What a filter needs to know of the seller besides the product. */
export interface FilterContext {
  /** Protocol features of this agent that are on (AdCP core/media-buy-features.json). */
  readonly features: Readonly<Record<string, boolean>>
  /** Whether a format is an industry standard one. */
  readonly isStandardFormat: (format: Offer['format_ids'][number]) => boolean
  /** The formats of this agent as buyers of later releases name them. */
  readonly declare: Declare
  readonly keepsOf: KeepsTargeting
}

export type ProductTest = (product: Product) => boolean

/** One test for each filter of AdCP core/product-filters.json: a product has to pass all. Throws INVALID_REQUEST for a range that is reversed. */
export function filterTests(filters: ProductFilters, context: FilterContext): ProductTest[] {
  requireRanges(filters)
  return [
    ...offerTests(filters, context),
    ...priceTests(filters),
    ...availabilityTests(filters),
    ...capabilityTests(filters, context),
    ...placeTests(filters),
    ...laterTests(filters, context),
  ]
}

/** The products that satisfy every filter, in their own order. */
export function filterProducts(products: readonly Product[], filters: ProductFilters, context: FilterContext): Product[] {
  const tests = filterTests(filters, context)
  return products.filter((product) => tests.every((test) => test(product)))
}

function requireRanges({ start_date, end_date, budget_range, signal_targeting = [] }: ProductFilters): void {
  requireOrder({ value: start_date, field: 'filters.start_date' }, { value: end_date, field: 'filters.end_date' })
  const { min, max } = budget_range ?? {}
  requireOrder(
    { value: typeof min === 'number' ? min : undefined, field: 'filters.budget_range.min' },
    { value: typeof max === 'number' ? max : undefined, field: 'filters.budget_range.max' },
  )
  for (const [index, selected] of signal_targeting.entries()) {
    if (selected.value_type !== 'numeric') continue
    const at = `filters.signal_targeting[${index}]`
    const { min_value, max_value } = selected
    requireOrder({ value: min_value, field: `${at}.min_value` }, { value: max_value, field: `${at}.max_value` })
  }
}

function offerTests(filters: ProductFilters, { isStandardFormat }: FilterContext): ProductTest[] {
  const { delivery_type, exclusivity, format_ids, standard_formats_only, channels } = filters
  const tests: ProductTest[] = []
  if (delivery_type !== undefined) tests.push(({ offer }) => offer.delivery_type === delivery_type)
  // Absent means `none` (AdCP core/product.json).
  if (exclusivity !== undefined) tests.push(({ offer }) => (offer.exclusivity ?? 'none') === exclusivity)
  if (format_ids) {
    const isWanted = formatTest(format_ids)
    tests.push(({ offer }) => offer.format_ids.some(isWanted))
  }
  if (standard_formats_only === true) tests.push(({ offer }) => offer.format_ids.every(isStandardFormat))
  if (channels) tests.push(({ offer }) => (offer.channels ?? []).some((channel) => channels.includes(channel)))
  return tests
}

function availabilityTests({ start_date, end_date, min_exposures }: ProductFilters): ProductTest[] {
  const tests: ProductTest[] = []
  const first = start_date ?? end_date
  const last = end_date ?? start_date
  if (first !== undefined && last !== undefined) tests.push((product) => runsOn(product, { first, last }))
  if (min_exposures !== undefined) tests.push((product) => exposures(product, first, last) >= min_exposures)
  return tests
}

/** Impressions that a product can give: its daily capacity over the flight, and no more than it forecasts for that long. */
function exposures({ offer, selling }: Product, first: string | undefined, last: string | undefined): number {
  const days = first === undefined || last === undefined ? FORECAST_DAYS : (Date.parse(last) - Date.parse(first)) / 86_400_000 + 1
  const forecasts = (offer.forecast?.points ?? []).flatMap(
    ({ metrics }) => metrics.impressions?.high ?? metrics.impressions?.mid ?? [],
  )
  const capacity = selling.dailyCapacity * Math.max(0, days)
  return forecasts.length === 0 ? capacity : Math.min(capacity, (Math.max(...forecasts) * days) / FORECAST_DAYS)
}

function capabilityTests(filters: ProductFilters, { features }: FilterContext): ProductTest[] {
  const {
    required_axe_integrations,
    trusted_match,
    required_features,
    signal_targeting,
    required_performance_standards,
    keywords,
  } = filters
  const tests: ProductTest[] = []
  // Deprecated in favour of trusted_match: an exchange that a product does not list as a provider cannot execute it.
  if (required_axe_integrations) {
    const wanted = [...new Set(required_axe_integrations.map(canonicalAgentUrl))]
    tests.push(({ offer }) => {
      const own = new Set(providersOf(offer).map(({ agent_url: url }) => canonicalAgentUrl(url)))
      return wanted.every((url) => own.has(url))
    })
  }
  if (trusted_match) tests.push(trustedTest(trusted_match))
  if (required_features) {
    const wanted = Object.entries(required_features).flatMap(([name, on]) => (on === true ? [name] : []))
    tests.push(() => wanted.every((name) => features[name] === true))
  }
  if (signal_targeting) tests.push(signalTest(signal_targeting))
  if (required_performance_standards) {
    const strictest = strictestOf(required_performance_standards)
    tests.push(({ offer }) => strictest.every((wanted) => (offer.performance_standards ?? []).some((own) => meets(own, wanted))))
  }
  if (keywords) {
    const isTaken = keywordsTest(keywords)
    tests.push(({ selling }) => selling.targeting.keywords && isTaken(selling.keywords))
  }
  return tests
}

function providersOf({ trusted_match }: Offer) {
  return trusted_match?.providers ?? []
}

/**
 * One provider entry must match in full; response types overlap, `activation` being the default of a product. Entries are put in order by their agent, since a
 * request may list thousands.
 */
function trustedTest({ providers, response_types }: NonNullable<ProductFilters['trusted_match']>): ProductTest {
  const types = response_types && new Set(response_types)
  const wanted = providers && new Set(providers.map((entry) => serviceKey(entry, entry.context_match, entry.identity_match)))
  return ({ offer }) => {
    if (!offer.trusted_match) return false
    const provided = !wanted || providersOf(offer).some((own) => servicesOf(own).some((key) => wanted.has(key)))
    return provided && (!types || (offer.trusted_match.response_types ?? ['activation']).some((type) => types.has(type)))
  }
}

type Provider = ReturnType<typeof providersOf>[number]

/** What a provider is asked for by those that it serves: each kind of match or none. */
function servicesOf(own: Provider): string[] {
  const kinds = (has: boolean | undefined) => (has === true ? [true, false] : [false])
  return kinds(own.context_match).flatMap((context) =>
    kinds(own.identity_match).map((identity) => serviceKey(own, context, identity)),
  )
}

function serviceKey({ agent_url }: { agent_url: string }, context = false, identity = false): string {
  return JSON.stringify([canonicalAgentUrl(agent_url), context, identity])
}

/** Requested signals must be in the product, and be separable from its bundle unless the bundle is asked for whole. */
function signalTest(wanted: NonNullable<ProductFilters['signal_targeting']>): ProductTest {
  const catalog = wanted.flatMap(({ signal_id }) => (signal_id.source === 'catalog' ? [signal_id] : []))
  const requested = [
    ...new Map(catalog.map((signal) => [JSON.stringify([signal.data_provider_domain, signal.id]), signal])).values(),
  ]
  const ids = new Set(requested.map(({ id }) => id))
  const isSatisfiable = catalog.length === wanted.length
  return ({ offer }) => isSatisfiable && offersSignals(offer, requested, ids)
}

interface CatalogSignal {
  readonly data_provider_domain: string
  readonly id: string
}

function offersSignals(offer: Offer, requested: readonly CatalogSignal[], ids: ReadonlySet<string>): boolean {
  const selectors = offer.data_provider_signals ?? []
  const offered = requested.every(({ data_provider_domain, id }) =>
    selectors.some(
      (selector) =>
        selector.data_provider_domain === data_provider_domain &&
        (selector.selection_type === 'all' || (selector.selection_type === 'by_id' && selector.signal_ids.includes(id))),
    ),
  )
  const bundle = selectors.flatMap((selector) => (selector.selection_type === 'by_id' ? selector.signal_ids : [undefined]))
  return offered && (offer.signal_targeting_allowed === true || bundle.every((id) => id !== undefined && ids.has(id)))
}

type Standard = NonNullable<Offer['performance_standards']>[number]

/** Of the requirements that differ in their threshold alone the one that meets them all, since a request may list thousands. */
function strictestOf(wanted: readonly Standard[]): readonly Standard[] {
  const strictest = new Map<string, Standard>()
  for (const each of wanted) {
    const key = JSON.stringify([each.metric, each.vendor.domain, each.standard ?? null])
    const other = strictest.get(key)
    const isStricter = !other || (each.metric === 'ivt' ? each.threshold < other.threshold : each.threshold > other.threshold)
    if (isStricter) strictest.set(key, each)
  }
  return [...strictest.values()]
}

/** Invalid traffic is a ceiling, every other rate a floor (AdCP core/performance-standard.json). */
function meets(own: Standard, wanted: Standard): boolean {
  if (own.metric !== wanted.metric || own.vendor.domain !== wanted.vendor.domain) return false
  if (wanted.standard !== undefined && own.standard !== wanted.standard) return false
  return own.metric === 'ivt' ? own.threshold <= wanted.threshold : own.threshold >= wanted.threshold
}
