import { split } from '../money.ts'
import type { Allowed } from './allowed-products.ts'
import { flightOfDays } from './asked-days.ts'
import type { Share } from './draft-id.ts'
import type { PricingOption } from './pricing-option.ts'
import { isFixedPrice, minimumSpend, type Product } from './product.ts'
import type { Ranking } from './ranking.ts'

/** More lines dilute a plan. */
const MAX_SHARES = 4
/** No line of a plan is so small that it is not worth trafficking. */
const MIN_WEIGHT = 0.15

/**
 * Shares of a plan over the best products of a ranking: one currency, different channels first, weighted by score. Products that
 * wait for a person, are not allowed or that the budget cannot afford stay out. Empty when fewer than two products fit: one is no plan.
 */
export function planShares(ranking: Ranking, { products, budget, days }: Allowed): Share[] {
  if (!ranking.isAnswer) return []
  const first = ranking.slice(0, 1)[0]?.product.id
  const currency = budget?.currency ?? (first === undefined ? undefined : products.get(first)?.offer.pricing_options[0]?.currency)
  const most = (budget?.target ?? budget?.max ?? Number.POSITIVE_INFINITY) / MAX_SHARES
  const flight = flightOfDays(days)
  const chosen = linesOf(ranking, (product) => {
    const own = product.selling.approval === 'automatic' ? products.get(product.id) : undefined
    const option = own && planOption(own, currency)
    return option && minimumSpend(option, flight) <= most ? option : undefined
  })
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

interface PlanLine {
  readonly product: Product
  readonly option: PricingOption
  readonly score: number
}

/**
 * The best of each channel, best first, filled up with the best of all that are left. One pass without sorting: half of many
 * products may answer a brief.
 */
function linesOf(ranking: Ranking, optionOf: (product: Product) => PricingOption | undefined): PlanLine[] {
  const channels = ranking.samples.map(({ offer }) => offer.channels?.[0])
  const numbers = new Map([...new Set(channels)].map((channel, number) => [channel, number]))
  const channelOf = Uint32Array.from(channels, (channel) => numbers.get(channel) ?? 0)
  const firstOfChannel: (PlanLine | undefined)[] = Array.from({ length: numbers.size })
  const barOf = new Float64Array(numbers.size)
  let best: PlanLine[] = []
  let bar = 0
  ranking.forEach((position, kind, score) => {
    const channel = channelOf[kind] ?? 0
    // Visited in the publisher's order, which decides among equals: only a higher score takes a place.
    const isFirst = score > (barOf[channel] ?? 0)
    const isBest = score > bar
    if (!isFirst && !isBest) return
    const product = ranking.productAt(position)
    const option = product && optionOf(product)
    if (!option) return
    const line = { product, option, score }
    if (isFirst) {
      firstOfChannel[channel] = line
      barOf[channel] = score
    }
    if (!isBest) return
    best = [...best, line].sort(byScore).slice(0, MAX_SHARES)
    bar = best[MAX_SHARES - 1]?.score ?? 0
  })
  // Equals of different channels preserve the publisher's order, too.
  const firsts = firstOfChannel
    .filter((line) => line !== undefined)
    .sort((a, b) => byScore(a, b) || ranking.compare(a.product, b.product))
  return [...new Set([...firsts, ...best])].slice(0, MAX_SHARES)
}

function byScore(a: PlanLine, b: PlanLine): number {
  return b.score - a.score
}

/** The option to plan with: a stated price before a bid, and a price for delivery before one for time. */
export function planOption({ offer }: Product, currency: string | undefined): PricingOption | undefined {
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
