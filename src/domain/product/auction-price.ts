import type { PricingOption } from './pricing-option.ts'
import { priceOf } from './product.ts'

/**
 * By which rule a line is charged that is bought in an auction, which is that of `rateOf` (media-buy/pricing.ts), in words: "an auction from 4 USD, first price: the bid is charged".
 * For an option without a fixed price. The publisher's price panel and what a buyer is told who asks for a lower price both say this.
 */
export function auctionText(option: PricingOption): string {
  const floor = priceOf(option)
  const least = floor === undefined ? 'an auction without a floor' : `an auction from ${floor} ${option.currency}`
  return `${least}, ${chargeText(option, floor)}`
}

function chargeText(option: PricingOption, floor = 0): string {
  if (!('max_bid' in option && option.max_bid === true)) return 'first price: the bid is charged'
  const median = option.price_guidance?.p50
  if (median === undefined) return 'clearing price: no median (p50) is published, so that the bid is charged'
  const clearing = Math.max(median, floor)
  return `clearing price: the bid is a ceiling, charged is ${clearing} ${option.currency} (p50) or the bid where that is less`
}
