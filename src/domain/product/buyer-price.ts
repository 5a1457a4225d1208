import { auctionText } from './auction-price.ts'
import { answerPrice, type PriceTerms, rulesFor } from './negotiated-price.ts'
import type { PricingOption } from './pricing-option.ts'
import type { Discount, Product } from './product.ts'
import { startDaysOf, startWords } from './season.ts'

/** A listed price of a product, and what one buyer can have it for. */
export interface BuyerPrice {
  readonly listed: PricingOption
  /** What the buyer gets who asks for less: an option at a lower price, or the listed one. */
  readonly option: PricingOption
  /** Why that price, one sentence for each rule. */
  readonly reasons: readonly string[]
}

/**
 * The price that each listed option of a product comes to for a buyer: what discovery lists, and what the buyer is granted when it asks for less ({@link answerPrice}, the rule of
 * get_products, proposals and orders). `terms.budget` undefined: the budget that the lowest rule asks for.
 */
export function buyerPrices(product: Product, terms: PriceTerms): readonly BuyerPrice[] {
  return product.offer.pricing_options.map((listed) => {
    const { option = listed } = answerPrice(product, listed, { kind: 'lower', text: '' }, terms)
    return { listed, option, reasons: reasonsOf(product, listed, terms) }
  })
}

function reasonsOf(product: Product, listed: PricingOption, terms: PriceTerms): readonly string[] {
  const { currency, fixed_price: fixed } = listed
  if (fixed === undefined) {
    return [`${auctionText(listed)}; discounts are for fixed prices`]
  }
  const rules = product.selling.discounts ?? []
  const days = daysText(product, listed)
  if (rules.length === 0) return [...days, `listed at ${fixed} ${currency}; no discount is granted`]
  const own = rulesFor(product, terms.buyer)
  // Without a budget, that which the lowest rule asks for, as a question for a lower price is answered.
  const budget = terms.budget ?? Math.min(...own.map(({ minBudget = 0 }) => minBudget))
  const best = Math.max(0, ...own.filter(({ minBudget = 0 }) => minBudget <= budget).map(({ percent }) => percent))
  const verdict = (rule: Discount): string => {
    const { percent, minBudget = 0 } = rule
    if (!own.includes(rule)) return `not for ${terms.buyer ?? 'callers without a key'}`
    if (minBudget > budget) return terms.budget === undefined ? 'from that budget on' : `the budget of ${budget} is below`
    return percent === best ? 'granted when the buyer asks for a lower price' : 'a larger discount reaches the buyer'
  }
  return [...days, `listed at ${fixed} ${currency}`, ...rules.map((rule) => `${ruleText(rule, currency)}: ${verdict(rule)}`)]
}

/** For which flights a price is, and how that of a season came about. */
function daysText({ selling }: Product, option: PricingOption): string[] {
  const days = startDaysOf(option)
  if (days === undefined) return []
  const flights = `for flights that start ${startWords(days)} (UTC)`
  const season = selling.seasons?.find(({ id }) => id === days.season?.season_id)
  if (!season) return [flights]
  const { id, percent = 0 } = season
  const change = season.price === undefined ? `, ${Math.abs(percent)} % ${percent < 0 ? 'less' : 'more'} than usual` : ''
  return [`season ${id}${change}, ${flights}`]
}

function ruleText({ percent, minBudget = 0, buyers }: Discount, currency: string): string {
  const from = minBudget > 0 ? ` from a budget of ${minBudget} ${currency}` : ''
  return `${percent} % less${from} for ${buyers ? buyers.join(', ') : 'every buyer'}`
}
