import type { PriceAsk } from './ask-price.ts'
import { auctionText } from './auction-price.ts'
import { amountWords } from './price-words.ts'
import type { PriceBreakdown, PricingOption } from './pricing-option.ts'
import { type Discount, isFixedPrice, type Product, priceOf } from './product.ts'
import { mayStart, optionStarting, startDaysOf } from './season.ts'

/** Between the id of a listed option and the per cent that its price is lowered by. */
const MARK = ':less-'

export interface PriceTerms {
  /** The principal that asks; undefined without credentials. */
  readonly buyer: string | undefined
  /** What the buyer plans to spend on the product, in major units of the option's currency; undefined: not known. */
  readonly budget: number | undefined
}

/** The seller's answer to a price ask: yes (`done`), no (`failed`), or a counter-offer (both). */
export interface PriceAnswer {
  /** What may be bought at the lower price. */
  readonly option?: PricingOption
  readonly done?: string
  readonly failed?: string
}

/**
 * A pricing option that a buyer may use: a listed one, or a lowered price that the publisher's rules grant the buyer (`selling.discounts`). Nothing is stored for
 * the latter: its id names the listed option and the per cent, and the rules decide anew whenever it is used. `buyer` undefined: rules for all.
 */
export function pricingOption(product: Product, id: string | undefined, buyer: string | undefined): PricingOption | undefined {
  if (id === undefined) return undefined
  const listed = product.offer.pricing_options.find((option) => option.pricing_option_id === id)
  if (listed) return listed
  const { base, percent } = partsOf(id)
  const option = product.offer.pricing_options.find((each) => each.pricing_option_id === base)
  return option && percent > 0 ? lowered(option, percent, rulesFor(product, buyer)) : undefined
}

/**
 * The option that an option is for flights that start on a day (`YYYY-MM-DD` UTC), with the same discount: itself, the price of a season in it, the listed one outside.
 * The option itself where the product has no price for that day.
 */
export function optionOn(product: Product, id: string | undefined, buyer: string | undefined, day: string) {
  const option = pricingOption(product, id, buyer)
  if (!option || mayStart(startDaysOf(option), day)) return option
  const other = optionStarting(product.offer.pricing_options, option, day)
  if (!other) return option
  const { percent } = partsOf(option.pricing_option_id)
  return (percent > 0 && pricingOption(product, `${other.pricing_option_id}${MARK}${percent}`, buyer)) || other
}

/** A product as an answer shows it that offers a lowered price: the option beside those that are listed. */
export function withOption(product: Product, option: PricingOption | undefined): Product {
  const options = product.offer.pricing_options
  if (!option || options.some((each) => each.pricing_option_id === option.pricing_option_id)) return product
  return { ...product, offer: { ...product.offer, pricing_options: [...options, option] } }
}

/** Answers a price ask about an option of a product by the publisher's rules; without one that reaches the buyer the answer is no. */
export function answerPrice(product: Product, current: PricingOption, ask: PriceAsk, terms: PriceTerms): PriceAnswer {
  const { base } = partsOf(current.pricing_option_id)
  const listed = product.offer.pricing_options.find((option) => option.pricing_option_id === base) ?? current
  const price = listed.fixed_price
  if (price === undefined) return { failed: `${product.id}: ${current.pricing_option_id} is ${auctionText(listed)}` }
  const wanted = percentOf(ask, current, price)
  if (wanted !== undefined && wanted <= 0) return { done: `the price is ${words(current)} already` }
  const rules = rulesFor(product, terms.buyer)
  // Without a figure and a budget the price that takes the least is what everybody can use.
  const limit = terms.budget ?? (wanted === undefined ? Math.min(...rules.map(({ minBudget = 0 }) => minBudget)) : undefined)
  const reached = rules.filter(({ minBudget = 0 }) => limit === undefined || minBudget <= limit)
  const best = Math.max(0, ...reached.map(({ percent }) => percent))
  const granted = wanted === undefined ? best : Math.min(best, wanted)
  const option = granted > 0 ? lowered(listed, granted, rules) : undefined
  const isBetter = option?.fixed_price !== undefined && option.fixed_price < (current.fixed_price ?? price)
  if (option && isBetter && (wanted === undefined || granted >= wanted)) return { option, done: words(option) }
  const refused = `${product.id} is sold at ${words(current)}`
  if (option && isBetter)
    return { option, done: `counter-offer: ${words(option)}`, failed: `only the counter-offer for ${product.id}` }
  const volume = rules.filter(({ percent }) => percent > best).toSorted((a, b) => (a.minBudget ?? 0) - (b.minBudget ?? 0))[0]
  if (!volume) return { failed: refused }
  return { failed: `${refused}; ${volume.percent}% less is granted from a budget of ${volume.minBudget ?? 0} ${listed.currency}` }
}

/** Per cent below the listed price that an ask comes to; undefined when it names no figure. */
function percentOf(ask: PriceAsk, current: PricingOption, listed: number): number | undefined {
  if (ask.kind === 'lower') return undefined
  const now = current.fixed_price ?? listed
  const target = ask.kind === 'percent' ? now * (1 - ask.percent / 100) : ask.price
  return target >= now ? 0 : Math.ceil((1 - target / listed) * 10_000 - 1e-6) / 100
}

/** The discounts that reach a buyer, whatever it spends. `buyer` undefined: those for all. */
export function rulesFor({ selling }: Product, buyer: string | undefined): readonly Discount[] {
  return (selling.discounts ?? []).filter(({ buyers }) => !buyers || (buyer !== undefined && buyers.includes(buyer)))
}

/** The option at a lower price, from the smallest budget at which some rule grants so much; undefined when none does. */
function lowered(option: PricingOption, percent: number, rules: readonly Discount[]): PricingOption | undefined {
  const granting = rules.filter((rule) => rule.percent >= percent)
  if (granting.length === 0 || !isFixedPrice(option)) return undefined
  const listed = priceOf(option) ?? 0
  const price = Math.round(listed * (100 - percent) * 100) / 10_000
  const least = Math.max(option.min_spend_per_package ?? 0, Math.min(...granting.map(({ minBudget = 0 }) => minBudget)))
  return {
    ...option,
    pricing_option_id: `${option.pricing_option_id}${MARK}${percent}`,
    fixed_price: price,
    ...(least > 0 && { min_spend_per_package: least }),
    ...(option.price_breakdown && { price_breakdown: withDiscount(option.price_breakdown, listed, { percent, price }) }),
  }
}

/** How a lowered price came about: its adjustments lead from the list price to it (AdCP pricing-options/price-breakdown.json). */
function withDiscount(
  { adjustments, ...breakdown }: PriceBreakdown,
  listed: number,
  { percent, price }: { readonly percent: number; readonly price: number },
): PriceBreakdown {
  const rate = percent / 100
  const isExact = Math.abs(listed * (1 - rate) - price) < 1e-9
  const change = isExact ? { rate } : { amount: Math.round((listed - price) * 1e6) / 1e6 }
  return { ...breakdown, adjustments: [...adjustments, { kind: 'discount', name: 'negotiated', ...change }] }
}

function partsOf(id: string): { base: string; percent: number } {
  const at = id.lastIndexOf(MARK)
  const figure = at === -1 ? '' : id.slice(at + MARK.length)
  return /^\d{1,2}(\.\d{1,2})?$/.test(figure) ? { base: id.slice(0, at), percent: Number(figure) } : { base: id, percent: 0 }
}

function words(option: PricingOption): string {
  const { pricing_option_id, min_spend_per_package: least } = option
  const from = least === undefined ? '' : `, min ${least}`
  return `${amountWords(option)} (${pricing_option_id}${from})`
}
