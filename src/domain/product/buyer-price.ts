import { answerPrice, type PriceTerms, rulesFor } from './negotiated-price.ts'
import type { PricingOption } from './pricing-option.ts'
import { type Discount, type Product, priceOf } from './product.ts'

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
    return [auctionText(listed)]
  }
  const rules = product.selling.discounts ?? []
  if (rules.length === 0) return [`listed at ${fixed} ${currency}; no discount is granted`]
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
  return [`listed at ${fixed} ${currency}`, ...rules.map((rule) => `${ruleText(rule, currency)}: ${verdict(rule)}`)]
}

/** By which rule a line is charged that is bought in an auction: that of `rateOf` (media-buy/pricing.ts). */
function auctionText(listed: PricingOption): string {
  const { currency } = listed
  const floor = priceOf(listed)
  const least = floor === undefined ? 'an auction without a floor' : `an auction from ${floor} ${currency}`
  return `${least}, ${chargeText(listed, floor)}; discounts are for fixed prices`
}

function chargeText(listed: PricingOption, floor = 0): string {
  if (!('max_bid' in listed && listed.max_bid === true)) return 'first price: the bid is charged'
  const median = listed.price_guidance?.p50
  if (median === undefined) return 'clearing price: no median (p50) is published, so that the bid is charged'
  const clearing = Math.max(median, floor)
  return `clearing price: the bid is a ceiling, charged is ${clearing} ${listed.currency} (p50) or the bid where that is less`
}

function ruleText({ percent, minBudget = 0, buyers }: Discount, currency: string): string {
  const from = minBudget > 0 ? ` from a budget of ${minBudget} ${currency}` : ''
  return `${percent} % less${from} for ${buyers ? buyers.join(', ') : 'every buyer'}`
}
