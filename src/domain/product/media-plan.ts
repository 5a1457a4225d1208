import { split } from '../money.ts'
import type { Allowed } from './allowed-products.ts'
import { flightOfDays } from './asked-days.ts'
import type { BudgetLimit } from './budget-limit.ts'
import type { Share } from './draft-id.ts'
import type { PricingOption } from './pricing-option.ts'
import { flatPrice, isFixedPrice, minimumSpend, mostSpend, type Product, whyNotForFlight } from './product.ts'
import { guidanceOf, type ProposalFrame } from './proposals.ts'
import type { Ranking } from './ranking.ts'

/** More lines dilute a plan. */
const MAX_SHARES = 4
/** No line of a plan is so small that it is not worth trafficking. */
const MIN_WEIGHT = 0.15

/**
 * Shares of a plan over the best products of a ranking: one currency, different channels first, weighted by score; none gets more than it can cost, rounded up to whole
 * per cent. Products that wait for a person, are not allowed, are not sold for the days or that the budget cannot afford stay out. Empty when fewer than two products
 * fit: one is no plan.
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
    return option && minimumSpend(option, flight) <= most && !whyNotForFlight(option, flight) ? option : undefined
  })
  if (chosen.length < 2) return []
  const best = Math.max(...chosen.map(({ score }) => score))
  const weights = chosen.map(({ score }) => Math.max(MIN_WEIGHT, score / best))
  const total = plannedTotal(chosen, { weights, currency, budget, flight })
  const percents = limitedPercents(
    weights,
    chosen.map(({ option }) => {
      const limit = Math.ceil((mostSpend(option, flight) * 100) / total)
      return { limit, isFlat: flatPrice(option, flight) !== undefined }
    }),
  )
  return chosen
    .map(({ product, option }, index) => ({
      productId: product.id,
      optionId: option.pricing_option_id,
      percent: percents[index] ?? 0,
    }))
    .filter(({ percent }) => percent > 0)
}

interface PlanTotal extends Pick<ProposalFrame, 'flight'> {
  readonly budget: BudgetLimit | undefined
  readonly weights: readonly number[]
  readonly currency: string | undefined
}

/** The budget that shares are made for: what is recommended, where none is named at least twice what has one price. */
function plannedTotal(chosen: readonly PlanLine[], { weights, currency, budget, flight }: PlanTotal): number {
  const flat = chosen.map(({ option }) => mostSpend(option, flight)).filter((most) => most < Number.POSITIVE_INFINITY)
  const percents = split(100, weights)
  const open = chosen.flatMap(({ option }, index) =>
    mostSpend(option, flight) < Number.POSITIVE_INFINITY ? [] : { option, percent: percents[index] ?? 0 },
  )
  const { recommended } = guidanceOf(open, currency ?? '', { ...(budget && { budget }), flight })
  return budget ? recommended : Math.max(recommended, 2 * flat.reduce((sum, price) => sum + price, 0))
}

/** Whole per cent of a budget that a line can take at most, and whether it costs that whatever its share. */
interface ShareLimit {
  readonly limit: number
  readonly isFlat: boolean
}

/**
 * Whole per cent by weight, none above its limit; what is flat has its limit, and the others the rest. Limits that come to less than 100 are exceeded in proportion:
 * nothing else can take what is left.
 */
function limitedPercents(weights: readonly number[], limits: readonly ShareLimit[]): number[] {
  const room = limits.reduce((sum, { limit }) => sum + limit, 0)
  if (room <= 100) {
    return split(
      100,
      limits.map(({ limit }) => limit),
    )
  }
  const fixed = new Map(limits.flatMap(({ limit, isFlat }, index) => (isFlat ? [[index, limit] as const] : [])))
  for (;;) {
    const rest = 100 - [...fixed.values()].reduce((sum, limit) => sum + limit, 0)
    const free = weights.map((weight, index) => (fixed.has(index) ? 0 : weight))
    const percents = rest <= 0 || free.every((weight) => weight === 0) ? weights.map(() => 0) : split(rest, free)
    const over = percents.findIndex((percent, index) => percent > (limits[index]?.limit ?? 0))
    if (over === -1) return percents.map((percent, index) => fixed.get(index) ?? percent)
    fixed.set(over, limits[over]?.limit ?? 0)
  }
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
