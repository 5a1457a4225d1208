import { type FilterContext, filterTests } from './filter-products.ts'
import { isOfferedTo, type Product } from './product.ts'
import type { ProductFilters } from './product-filters.ts'
import type { ProductIndex } from './product-index.ts'

/** AdCP 3.1, media-buy/get-products-response.json `filter_diagnostics`. */
export interface FilterDiagnostics {
  readonly semantics: 'only'
  readonly total_candidates: number
  readonly excluded_by: Readonly<Record<string, { readonly count: number }>>
}

/** Every filter is put to every product, so larger catalogs go without the counts. */
const MOST_PRODUCTS = 2_000

/** Names of the filters that a product does not pass, those that decide together under the last that was sent. */
export function failedFilters(product: Product, filters: ProductFilters = {}, context: FilterContext): readonly string[] {
  return groupsOf(filters).flatMap((group) =>
    filterTests(group.filters, context).every((test) => test(product)) ? [] : [group.name],
  )
}

/** Filters that decide together, so that none of them excludes a product alone. They are counted under the last that was sent. */
const TOGETHER: readonly (readonly string[])[] = [
  ['start_date', 'end_date', 'min_exposures'],
  ['is_fixed_price', 'pricing_structures', 'pricing_currencies'],
]

interface Diagnosed extends FilterContext {
  readonly index: ProductIndex
  readonly principalId: string | undefined
}

/**
 * How the filters of a request narrowed what is offered to a caller: for each, how many products it excludes that all others let pass. Undefined without
 * filters, where they exclude nothing, and for catalogs too large to count.
 */
export function filterDiagnostics(filters: ProductFilters = {}, context: Diagnosed): FilterDiagnostics | undefined {
  const { index, principalId } = context
  if (Object.keys(filters).length === 0 || index.products.length > MOST_PRODUCTS) return undefined
  const offered = index.products.filter((product) => isOfferedTo(product, principalId))
  const groups = groupsOf(filters).map((group) => ({ name: group.name, tests: filterTests(group.filters, context) }))
  const counts = new Map<string, number>()
  let excluded = 0
  for (const product of offered) {
    const failed = groups.filter(({ tests }) => !tests.every((test) => test(product)))
    if (failed.length > 0) excluded += 1
    const [only] = failed
    if (only && failed.length === 1) counts.set(only.name, (counts.get(only.name) ?? 0) + 1)
  }
  if (excluded === 0) return undefined
  const excluded_by = Object.fromEntries([...counts].map(([name, count]) => [name, { count }]))
  return { semantics: 'only', total_candidates: offered.length, excluded_by }
}

/** The filters of a request one by one, those together that decide together. */
function groupsOf(filters: ProductFilters): { readonly name: string; readonly filters: ProductFilters }[] {
  const entries = Object.entries(filters)
  const single = entries.filter(([name]) => !TOGETHER.some((names) => names.includes(name)))
  const joint = TOGETHER.map((names) => names.flatMap((name) => entries.filter(([own]) => own === name)))
  return [...single.map((entry) => [entry]), ...joint].flatMap((group) => {
    const [name] = group.at(-1) ?? []
    return name === undefined ? [] : [{ name, filters: Object.fromEntries(group) }]
  })
}
