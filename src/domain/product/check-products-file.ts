import type { Steps } from '../../platform/concurrency/steps.ts'
import { priceFault } from '../money.ts'
import type { ImportProblem } from './import-products.ts'
import type { Offer } from './offer.ts'
import { type FormatName, type PlanDocument, type ProductDocument, type ProductsFile, seasonOf } from './products-file.ts'
import { isSeasonOf, overlapOf, seasonId } from './season.ts'

export interface CheckContext {
  readonly formatIds: ReadonlySet<string>
  /** Whether the product at a position passed the official schema; only then do its fields have their types. */
  readonly sound: (index: number) => boolean
}

/** Findings in one file, after which the rest of its parts is not judged: who has to correct so many looks at no more of them, and to find each costs time. */
export const MOST_PROBLEMS = 500

/** What the schemas cannot say: references, order of bounds, uniqueness, sums. Pointers lead into the file. A step is a product, or a plan. */
export function* checkProductsFile(file: ProductsFile, { formatIds, sound }: CheckContext): Steps<ImportProblem[]> {
  const own = ownProperties(file)
  const inProducts: ImportProblem[] = []
  for (const [index, product] of file.products.entries()) {
    if (inProducts.length > MOST_PROBLEMS) break
    const found = sound(index) ? yield* checkProduct(product, `/products/${index}`, own, formatIds) : []
    inProducts.push(...found.slice(0, MOST_PROBLEMS + 1))
    yield
  }
  const byId = new Map(file.products.map((product) => [product.product_id, product]))
  const inPlans: ImportProblem[] = []
  for (const [index, plan] of (file.plans ?? []).entries()) {
    if (inPlans.length <= MOST_PROBLEMS) inPlans.push(...checkPlan(plan, `/plans/${index}`, byId))
    yield
  }
  return [
    ...duplicates(file.products, (product) => product.product_id, '/products', 'product_id'),
    ...duplicates(file.properties ?? [], (property) => property.property_id, '/properties', 'property_id'),
    ...duplicates(file.collections ?? [], (collection) => collection.collection_id, '/collections', 'collection_id'),
    ...duplicates(file.plans ?? [], (plan) => plan.proposal_id, '/plans', 'proposal_id'),
    ...inProducts,
    ...inPlans,
  ]
}

/** The publisher's own properties, by id and by tag. */
interface OwnProperties {
  readonly domain: string
  readonly ids: ReadonlySet<string>
  readonly tags: ReadonlySet<string>
}

function ownProperties({ publisher, properties }: ProductsFile): OwnProperties | undefined {
  return publisher && properties
    ? {
        domain: publisher.domain,
        ids: new Set(properties.map(({ property_id }) => property_id)),
        tags: new Set(properties.flatMap(({ tags = [] }) => tags)),
      }
    : undefined
}

/** A step is a price. */
function* checkProduct(
  product: ProductDocument,
  at: string,
  own: OwnProperties | undefined,
  formatIds: ReadonlySet<string>,
): Steps<ImportProblem[]> {
  const inPrices: ImportProblem[] = []
  for (const [index, option] of product.pricing_options.entries()) {
    if (inPrices.length > MOST_PROBLEMS) break
    inPrices.push(...checkPrice(option, `${at}/pricing_options/${index}`))
    yield
  }
  return [
    ...duplicates(product.pricing_options, (option) => option.pricing_option_id, `${at}/pricing_options`, 'pricing_option_id'),
    ...inPrices,
    ...checkFormats(product.format_ids, `${at}/format_ids`, formatIds),
    ...(product.placements ?? []).flatMap((placement, index) =>
      checkFormats(placement.format_ids ?? [], `${at}/placements/${index}/format_ids`, formatIds),
    ),
    ...checkProperties(product.publisher_properties, `${at}/publisher_properties`, own),
    ...checkForecast(product.forecast, `${at}/forecast`),
    ...checkReporting(product.reporting_capabilities, `${at}/reporting_capabilities`),
    ...checkSelling(product, `${at}/selling`),
    ...checkSeasons(product, `${at}/selling/seasons`),
  ]
}

function checkPrice(option: Offer['pricing_options'][number], at: string): ImportProblem[] {
  const prices = {
    fixed_price: option.fixed_price,
    floor_price: 'floor_price' in option ? option.floor_price : undefined,
    min_spend_per_package: option.min_spend_per_package,
  }
  const problems = Object.entries(prices).flatMap(([name, price]) =>
    price === undefined ? [] : checkDecimals(price, `${at}/${name}`),
  )
  if (prices.fixed_price !== undefined && prices.floor_price !== undefined) {
    problems.push({ pointer: `${at}/floor_price`, message: 'a fixed price and a floor price exclude each other' })
  }
  if (option.pricing_model === 'time') {
    const { min_duration, max_duration } = option.parameters
    if (min_duration !== undefined && max_duration !== undefined && max_duration < min_duration) {
      problems.push({ pointer: `${at}/parameters/max_duration`, message: 'must not be smaller than min_duration' })
    }
  }
  return problems
}

function checkDecimals(price: number, pointer: string): ImportProblem[] {
  const message = priceFault(price)
  return message === undefined ? [] : [{ pointer, message }]
}

function checkFormats(names: readonly FormatName[], at: string, formatIds: ReadonlySet<string>): ImportProblem[] {
  return names.flatMap((name, index) =>
    typeof name === 'string' && !formatIds.has(name)
      ? [{ pointer: `${at}/${index}`, message: `"${name}" is no format of this agent` }]
      : [],
  )
}

/** References into the publisher's own properties must lead somewhere; other publishers' properties are theirs to list. */
function checkProperties(selectors: Offer['publisher_properties'], at: string, own: OwnProperties | undefined): ImportProblem[] {
  if (!own) return []
  const { domain, ids, tags } = own
  return selectors.flatMap((selector, index) => {
    if (selector.publisher_domain !== domain) return []
    if (selector.selection_type === 'by_id') return missing(selector.property_ids, ids, `${at}/${index}/property_ids`, 'property')
    if (selector.selection_type === 'by_tag')
      return missing(selector.property_tags, tags, `${at}/${index}/property_tags`, 'property tag')
    return []
  })
}

function missing(names: readonly string[], known: ReadonlySet<string>, at: string, what: string): ImportProblem[] {
  return names.flatMap((name, index) =>
    known.has(name) ? [] : [{ pointer: `${at}/${index}`, message: `"${name}" is no ${what} of this file` }],
  )
}

function checkForecast(forecast: Offer['forecast'], at: string): ImportProblem[] {
  return (forecast?.points ?? []).flatMap((point, index) =>
    Object.entries(point.metrics).flatMap(([metric, range]) => {
      const bounds = [range?.low, range?.mid, range?.high].filter((bound) => bound !== undefined)
      const ordered = bounds.every((bound, i) => i === 0 || bound >= (bounds[i - 1] ?? 0))
      return ordered
        ? []
        : [{ pointer: `${at}/points/${index}/metrics/${metric}`, message: 'low, mid and high must not decrease' }]
    }),
  )
}

/** Buyers align their days with `timezone` (AdCP core/reporting-capabilities.json), and reports to them have days of UTC. */
function checkReporting(reporting: Partial<Offer['reporting_capabilities']> | undefined, at: string): ImportProblem[] {
  const { timezone = 'UTC' } = reporting ?? {}
  const message = 'must be UTC, or left out: reports to buyers have days of UTC, those of your people the days of your time zone'
  return timezone === 'UTC' ? [] : [{ pointer: `${at}/timezone`, message }]
}

function checkSelling({ selling }: ProductDocument, at: string): ImportProblem[] {
  const problems: ImportProblem[] = []
  const { available_from, available_until, exclusive_to, visibility } = selling
  if (available_from !== undefined && available_until !== undefined && available_until < available_from) {
    problems.push({ pointer: `${at}/available_until`, message: 'must not lie before available_from' })
  }
  if (exclusive_to && exclusive_to.length > 0 && visibility !== 'custom') {
    problems.push({ pointer: `${at}/visibility`, message: 'must be custom when the product is exclusive to principals' })
  }
  return problems
}

/** Seasons lie in order, are of fixed prices, and no two of one price share a day: a flight that starts then would have two prices. */
function checkSeasons({ selling, pricing_options: options }: ProductDocument, at: string): ImportProblem[] {
  const { seasons = [] } = selling
  if (seasons.length === 0) return []
  const problems = duplicates(seasons, ({ season_id }) => season_id, at, 'season_id')
  const ids = new Set(options.map(({ pricing_option_id }) => pricing_option_id))
  for (const [index, document] of seasons.entries()) {
    const { from, until, price, pricing_option_id: option } = document
    const season = seasonOf(document)
    const own = options.filter((each) => isSeasonOf(season, each))
    if (until < from) problems.push({ pointer: `${at}/${index}/until`, message: `must not lie before from, ${from}` })
    if (price !== undefined) problems.push(...checkDecimals(price, `${at}/${index}/price`))
    if (own.length === 0) {
      const named = option === undefined ? 'the product has no fixed price' : `${option} is no fixed price of the product`
      problems.push({ pointer: `${at}/${index}/pricing_option_id`, message: `${named}; a season is of a fixed price` })
    }
    const taken = own.map((each) => seasonId(each, season)).find((id) => ids.has(id))
    if (taken !== undefined)
      problems.push({
        pointer: `${at}/${index}/season_id`,
        message: `${taken} is a pricing option already; name the season otherwise`,
      })
  }
  const overlap = overlapOf(seasons.map(seasonOf))
  if (overlap) {
    const { id, from, until } = overlap.with
    problems.push({
      pointer: `${at}/${overlap.at}/from`,
      message: `shares days with the season ${id}, ${from} to ${until}, of the same price; choose days outside of it`,
    })
  }
  return problems
}

function checkPlan(plan: PlanDocument, at: string, products: ReadonlyMap<string, ProductDocument>): ImportProblem[] {
  const problems = plan.allocations.flatMap((allocation, index): ImportProblem[] => {
    const product = products.get(allocation.product_id)
    if (!product)
      return [
        { pointer: `${at}/allocations/${index}/product_id`, message: `"${allocation.product_id}" is no product of this file` },
      ]
    if (product.pricing_options.some((option) => option.pricing_option_id === allocation.pricing_option_id)) return []
    return [
      { pointer: `${at}/allocations/${index}/pricing_option_id`, message: `is no pricing option of ${allocation.product_id}` },
    ]
  })
  const sum = plan.allocations.reduce((total, allocation) => total + allocation.allocation_percentage, 0)
  // Percentages are decimals; a billionth is the noise of adding doubles, not a share.
  if (Math.abs(sum - 100) > 1e-9)
    problems.push({ pointer: `${at}/allocations`, message: `allocation percentages must sum to 100, not ${sum}` })
  return problems
}

function duplicates<T>(items: readonly T[], keyOf: (item: T) => string, at: string, member: string): ImportProblem[] {
  const seen = new Set<string>()
  const problems: ImportProblem[] = []
  for (const [index, item] of items.entries()) {
    const key = keyOf(item)
    if (seen.has(key)) problems.push({ pointer: `${at}/${index}/${member}`, message: `"${key}" appears more than once` })
    if (problems.length > MOST_PROBLEMS) break
    seen.add(key)
  }
  return problems
}
