import { AdcpError } from '../../protocol/errors.ts'
import { type Allowed, allowedProducts, isAffordable } from './allowed-products.ts'
import { type AskedDays, flightOfDays, withAskedDays } from './asked-days.ts'
import { type Brief, readBrief } from './brief.ts'
import { briefBudget, budgetLimitOf } from './budget-limit.ts'
import { exclusionsOf } from './exclusions.ts'
import { failedFilters } from './filter-diagnostics.ts'
import { wantedPrice } from './filter-prices.ts'
import { type FilterContext, filterTests, type ProductTest } from './filter-products.ts'
import type { ForecastConditions } from './forecast-conditions.ts'
import { takesOf } from './overlay-support.ts'
import type { PricingOption } from './pricing-option.ts'
import { isOfferedTo, type Product, runsOn } from './product.ts'
import type { ProductIndex } from './product-index.ts'
import { listAt, listOf, offeredPositions, offeredProducts, type ProductList } from './product-list.ts'
import { namesAmong } from './product-names.ts'
import type { ProductQuestion, RefineOutcome } from './product-question.ts'
import { createRanking, rankProducts } from './rank-products.ts'
import type { Ranking } from './ranking.ts'
import { rankingInOrder } from './ranking-in-order.ts'
import type { RankedProductId } from './ranking-port.ts'
import { refineProducts } from './refine-products.ts'
import { startingOn } from './starting-on.ts'

export interface SelectionContext extends FilterContext {
  readonly index: ProductIndex
  readonly principalId: string | undefined
  /** Further tests that every product has to pass. */
  readonly terms?: readonly ProductTest[]
  /** Products of the proposals that `refine` is about, as refined. */
  readonly proposed?: readonly Product[]
  /** The days that the question is about. */
  readonly days?: AskedDays | undefined
  /** What the question says of a flight, for the forecasts of refined products. */
  readonly conditions?: ForecastConditions | undefined
  /** The brief of the question, where it was read before: a question is selected for several times. */
  readonly brief?: Brief | undefined
  /** The order that the publisher's own ranking gives to the products of a brief; absent: that of this program. */
  readonly order?: readonly RankedProductId[] | undefined
}

export interface Selection {
  readonly products: ProductList
  /** What proposals and refined products of the answer may hold. */
  readonly allowed: Allowed
  /** The brief and the ranking behind it, in mode `brief`. */
  readonly answered: { readonly brief: Brief; readonly ranking: Ranking } | undefined
  /** Outcomes of request- and product-scope entries by their position in `refine`. */
  readonly outcomes: ReadonlyMap<number, RefineOutcome>
}

/**
 * The products that answer a get_products request, in order, before paging. `brief` ranks, `wholesale` lists the products as they
 * are, `refine` applies the change requests; filters hold in every mode. The request has the fields of its mode ({@link requireModeFields}).
 * What a caller asks for costs what answers it, not what the publisher has: filters are put to candidates, lists are positions.
 */
export function selectProducts(request: ProductQuestion, context: SelectionContext): Selection {
  const { index, principalId } = context
  const { brief, allowed, eligible, passes, tests } = scopeOf(request, context)
  const allEligible = () => {
    const offered = offeredPositions(index, principalId)
    return tests.length === 0 ? offered : offered.filter((position) => passesAt(index, position, passes))
  }
  const none = { allowed, answered: undefined, outcomes: new Map() }
  if (request.buying_mode === 'wholesale') return { ...none, products: listAt(index, allEligible()) }
  if (request.buying_mode === 'refine') {
    const dated = withAskedDays(request.filters, context.days)?.start_date
    const all = offeredProducts(index, principalId)
    const offered = dated === undefined ? all : startingOn(all, dated)
    const { conditions, proposed = [] } = context
    const takes = takesOf(context.keepsOf)
    const failedBy = (product: Product) => failedFilters(product, request.filters, context)
    const refining = { offered, index, eligible, buyer: principalId, conditions, proposed, brief: request.brief, failedBy, takes }
    const { products, outcomes } = refineProducts(request.refine ?? [], refining)
    return { ...none, products: listOf(products), outcomes }
  }
  const ordered = context.order && rankingInOrder(index, context.order, eligible)
  if (ordered) return { ...none, answered: { brief, ranking: ordered }, products: ordered.products }
  const ranking = createRanking(index, brief, {
    ...(request.preferred_delivery_types && { preferredDelivery: request.preferred_delivery_types }),
    eligibleKind: (sample) => isOfferedTo(sample, principalId),
    ...(tests.length > 0 && { eligible: passes }),
    allEligible,
  })
  return { ...none, answered: { brief, ranking }, products: ranking.products }
}

/** The products that a ranking of the publisher's own may put in order for a brief: what this program would answer with, then others that pass, at most `most`. */
export function rankingCandidates(request: ProductQuestion, context: SelectionContext, most: number): readonly Product[] {
  const { index, principalId } = context
  const { eligible } = scopeOf(request, context)
  const first = selectProducts(request, context).products.slice(0, most)
  const seen = new Set(first.map(({ id }) => id))
  const others: Product[] = []
  for (const position of offeredPositions(index, principalId)) {
    if (first.length + others.length >= most) break
    const product = index.products[position]
    if (product && !seen.has(product.id) && eligible(product)) others.push(product)
  }
  return [...first, ...others]
}

/** What the answer to a request may hold, a search for products among it by words, best first, and the products that a text names. */
export function allowedBy(request: ProductQuestion, context: SelectionContext) {
  const { allowed, eligible } = scopeOf(request, context)
  const search = (text: string) =>
    rankProducts(context.index, readBrief(text))
      .map(({ product }) => product)
      .filter(eligible)
  return { allowed, search, names: namesAmong(context.index, offeredProducts(context.index, context.principalId)) }
}

/** The brief that products are selected for: of mode `brief` alone. */
export function briefOf({ buying_mode: mode, brief = '' }: ProductQuestion): Brief {
  return readBrief(mode === 'brief' ? brief : '')
}

function scopeOf(request: ProductQuestion, context: SelectionContext) {
  const { index, principalId } = context
  const tests = testsOf(request, context)
  const passes: ProductTest = (product) => tests.every((test) => test(product))
  const eligible: ProductTest = (product) => isOfferedTo(product, principalId) && passes(product)
  const brief = context.brief ?? briefOf(request)
  const offered = offeredProducts(index, principalId)
  const budget = budgetLimitOf(request.filters, briefBudget(brief.hints, currenciesOf(index, principalId)))
  const tested = [
    wantedPrice(withAskedDays(request.filters, context.days)),
    budget && isAffordable(budget, flightOfDays(context.days)),
  ].filter((test) => test !== undefined)
  const isPriceAllowed = tested.length === 0 ? undefined : (option: PricingOption) => tested.every((test) => test(option))
  // A brief is no filter, but a plan that is made for it holds no medium that it excludes, and nothing that does not run on its days.
  const exclusions = exclusionsOf(index, brief)
  const { days, keepsOf } = context
  const mayJoin: ProductTest = (product) =>
    eligible(product) &&
    (exclusions === undefined || exclusions[index.positions.get(product.id) ?? -1] !== 0) &&
    (days === undefined || days.isOver || runsOn(product, days))
  const allowed: Allowed = {
    products: allowedProducts(offered, mayJoin, isPriceAllowed),
    budget,
    days,
    buyer: principalId,
    keepsOf,
  }
  return { brief, allowed, eligible, passes, tests }
}

/** Currencies (ISO 4217) in which anything is offered to a principal. */
function currenciesOf({ kinds }: ProductIndex, principalId: string | undefined): ReadonlySet<string> {
  const offered = kinds.samples.filter((sample) => isOfferedTo(sample, principalId))
  return new Set(offered.flatMap(({ offer }) => offer.pricing_options.map(({ currency }) => currency)))
}

/**
 * AdCP get-products-request.json says in words which field belongs to which mode. A `brief` beside `wholesale` has no effect and is no error,
 * because clients send one to sellers of any version. Throws INVALID_REQUEST when the mode's own field is missing.
 */
export function requireModeFields({ buying_mode, brief, refine }: ProductQuestion): void {
  if (buying_mode === 'brief' && (brief === undefined || brief.trim() === ''))
    throw modeError('brief', "is required when buying_mode is 'brief'")
  if (buying_mode === 'refine' && refine === undefined) throw modeError('refine', "is required when buying_mode is 'refine'")
  if (buying_mode !== 'refine' && refine !== undefined) throw modeError('refine', "is only valid when buying_mode is 'refine'")
}

function modeError(field: string, text: string): AdcpError {
  return new AdcpError('INVALID_REQUEST', `${field} ${text}`, { field })
}

/** The filters; further terms; policies that must be enforced; and the kind of catalog to promote, where products say which they take. */
function testsOf({ filters, required_policies, catalog }: ProductQuestion, context: SelectionContext): ProductTest[] {
  const tests = [...filterTests(filters ?? {}, context), ...(context.terms ?? [])]
  const narrows = catalog !== undefined && takesCatalogs(context, [...tests])
  if (required_policies && required_policies.length > 0) {
    tests.push(({ offer }) => required_policies.every((policy) => (offer.enforced_policies ?? []).includes(policy)))
  }
  if (narrows) tests.push(({ offer }) => (offer.catalog_types ?? []).includes(catalog.type))
  return tests
}

/**
 * Whether any product on sale to the caller (of those that pass `tests`) is driven by a buyer's catalog; if none is, a catalog in
 * the request narrows nothing.
 */
export function takesCatalogs(
  { index, principalId }: Pick<SelectionContext, 'index' | 'principalId'>,
  tests: readonly ProductTest[] = [],
): boolean {
  return index.catalogDriven.some((position) =>
    passesAt(index, position, (product) => isOfferedTo(product, principalId) && tests.every((test) => test(product))),
  )
}

function passesAt({ products }: ProductIndex, position: number, test: ProductTest): boolean {
  const product = products[position]
  return product !== undefined && test(product)
}
