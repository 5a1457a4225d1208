import { split } from '../money.ts'
import type { BriefHints } from './brief-hints.ts'
import type { Share } from './draft-id.ts'
import { isFixedPrice, minimumSpend, type PricingOption, type Product } from './product.ts'
import type { RankedProduct } from './rank-products.ts'

/** More lines dilute a plan. */
const MAX_SHARES = 4
/** No line of a plan is so small that it is not worth trafficking. */
const MIN_WEIGHT = 0.15

/**
 * Shares of a plan over the best products of a ranking: one currency, different channels first, weighted by score. Products that
 * wait for a person or that the budget cannot afford stay out. Empty when fewer than two products fit: one is no plan.
 */
export function planShares(ranked: readonly RankedProduct[], { budget }: BriefHints): Share[] {
  const currency = budget?.currency ?? ranked[0]?.product.offer.pricing_options[0]?.currency
  const candidates = ranked.flatMap(({ product, score }) => {
    const option = product.selling.approval === 'automatic' && score > 0 ? planOption(product, currency) : undefined
    const affordable = option && (budget === undefined || minimumSpend(option) <= budget.amount / MAX_SHARES)
    return option && affordable ? [{ product, option, score, channel: product.offer.channels?.[0] }] : []
  })
  const firstOfChannel = candidates.filter(
    (candidate, index) => candidates.findIndex((other) => other.channel === candidate.channel) === index,
  )
  const chosen = [...new Set([...firstOfChannel, ...candidates])].slice(0, MAX_SHARES)
  if (chosen.length < 2) return []
  const best = Math.max(...chosen.map(({ score }) => score))
  const percents = split(
    100,
    chosen.map(({ score }) => Math.max(MIN_WEIGHT, score / best)),
  )
  return chosen.map(({ product, option }, index) => ({
    productId: product.id,
    optionId: option.pricing_option_id,
    percent: percents[index] ?? 0,
  }))
}

/** The option to plan with: a stated price before a bid, and a price for delivery before one for time. */
function planOption({ offer }: Product, currency: string | undefined): PricingOption | undefined {
  const options = offer.pricing_options.filter((option) => option.currency === currency && option.pricing_model !== 'cpa')
  return (
    options.find((option) => isFixedPrice(option) && option.pricing_model !== 'flat_rate' && option.pricing_model !== 'time') ??
    options[0]
  )
}

/** Scales shares to a total of 100 whole per cent, keeping their proportions; shares of nothing go. */
export function rescale(shares: readonly Share[]): Share[] {
  const positive = shares.filter((share) => share.percent > 0)
  if (positive.length === 0) return []
  const percents = split(
    100,
    positive.map((share) => share.percent),
  )
  return positive.map((share, index) => ({ ...share, percent: percents[index] ?? 0 })).filter((share) => share.percent > 0)
}
