import type { ProductTest } from './filter-products.ts'
import { stringsOf } from './later-filters.ts'
import type { Offer } from './offer.ts'
import type { PricingOption } from './pricing-option.ts'
import { isFixedPrice, minimumSpend } from './product.ts'
import type { ProductFilters } from './product-filters.ts'
import { mayStart, startDaysOf } from './season.ts'
import { signalsPayableIn } from './signal-charges.ts'

/**
 * Whether a price is one that the buyer asked for: of the wanted kind, in a currency (ISO 4217) that it can pay in, and for flights that start on the day that it names;
 * undefined when it asked for none.
 * Products without such a price are left out, and so are the other prices of the rest (AdCP 3.2 core/product-filters.json, `is_fixed_price`,
 * `pricing_structures` and `pricing_currencies`; the schema of 3.0 does not know the latter two, so their form is checked here).
 */
export function wantedPrice(filters: ProductFilters = {}): ((option: PricingOption) => boolean) | undefined {
  const { is_fixed_price: fixed, start_date: day } = filters
  const currencies = new Set(stringsOf(filters.pricing_currencies))
  const structures = new Set(stringsOf(filters.pricing_structures))
  if (currencies.size === 0 && structures.size === 0 && fixed === undefined && day === undefined) return undefined
  return (option) =>
    (currencies.size === 0 || currencies.has(option.currency)) &&
    (structures.size === 0 || structures.has(isFixedPrice(option) ? 'fixed' : 'auction')) &&
    (fixed === undefined || isFixedPrice(option) === fixed) &&
    (day === undefined || mayStart(startDaysOf(option), day))
}

/** The filters on prices and budgets. */
export function priceTests(filters: ProductFilters): ProductTest[] {
  const { budget_range } = filters
  const tests: ProductTest[] = []
  const isWanted = wantedPrice(filters)
  const currencies = new Set(stringsOf(filters.pricing_currencies))
  if (currencies.size > 0) tests.push(({ offer }) => signalsPayableIn(offer, currencies))
  if (isWanted) tests.push(({ offer }) => offer.pricing_options.some(isWanted))
  if (budget_range) {
    const { min, max, currency } = budget_range
    tests.push(({ offer }) => {
      const options = offer.pricing_options.filter((option) => option.currency === currency)
      const affordable = typeof max !== 'number' || options.some((option) => minimumSpend(option) <= max)
      return options.length > 0 && affordable && (typeof min !== 'number' || absorbs(offer, min, String(currency)))
    })
  }
  return tests
}

/** Whether the forecast leaves room for a budget; a product that forecasts no spend in this currency may well. */
function absorbs({ forecast }: Offer, budget: number, currency: string): boolean {
  if (forecast?.currency !== currency) return true
  const spends = forecast.points.flatMap((point) => point.metrics.spend?.high ?? point.metrics.spend?.mid ?? [])
  return spends.length === 0 || Math.max(...spends) >= budget
}
