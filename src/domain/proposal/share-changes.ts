import type { Allowed } from '../product/allowed-products.ts'
import type { Share } from '../product/draft-id.ts'
import { planOption, rescale } from '../product/media-plan.ts'
import { pricingOption } from '../product/negotiated-price.ts'
import type { PricingOption } from '../product/pricing-option.ts'
import type { ProductsById } from '../product/product-list.ts'
import { mayStart, startDaysOf } from '../product/season.ts'
import { type Constraints, isCpmWithin, type ProductChanges } from './constraints.ts'

export interface ShareContext {
  readonly offered: ProductsById
  readonly allowed: Allowed
  /** Of the proposal. */
  readonly currency: string
}

/** Puts products into a plan, each with an equal part, and takes others out, as far as they are allowed, have a price and leave a plan. */
export function withProductChanges(
  shares: readonly Share[],
  changes: ProductChanges,
  { allowed, currency }: ShareContext,
): Share[] {
  const named = Object.entries(changes)
  const left = shares.filter(({ productId }) => changes[productId] !== 'omit')
  const joining = named.flatMap(([productId, change]): Share[] => {
    const product = allowed.products.get(productId)
    const option = product && planOption(product, currency)
    const isNew = change === 'include' && !shares.some((share) => share.productId === productId)
    return option && isNew ? [{ productId, optionId: option.pricing_option_id, percent: 100 / Math.max(1, left.length) }] : []
  })
  const changed = rescale([...left, ...joining])
  return changed.length > 0 ? changed : [...shares]
}

/** Chooses prices by thousand impressions within a ceiling; products without one leave the plan where others stay and nobody asked for them. */
export function withinCpm(
  shares: readonly Share[],
  cpm: NonNullable<Constraints['cpm']>,
  changes: ProductChanges,
  { offered, allowed: { buyer, days } }: ShareContext,
): Share[] {
  const priced = shares.map((share) => {
    const product = offered.get(share.productId)
    const current = product && pricingOption(product, share.optionId, buyer)
    // Without days a plan has listed prices: those of a season are for flights in it.
    const isOpen = (each: PricingOption) =>
      days?.first === undefined ? startDaysOf(each)?.season === undefined : mayStart(startDaysOf(each), days.first)
    const options = product?.offer.pricing_options.filter(isOpen) ?? []
    const option = [...(current ? [current] : []), ...options].find((each) => isCpmWithin(each, cpm))
    return { share, option }
  })
  const kept = priced.filter(({ share, option }) => option || changes[share.productId] === 'include')
  if (!kept.some(({ option }) => option)) return [...shares]
  return rescale(kept.map(({ share, option }) => ({ ...share, optionId: option?.pricing_option_id ?? share.optionId })))
}

/** Points that one product gives to the next, for another plan. */
const STEPS = [10, 20, 15, 25, 5]
/** No product of another plan gets less than this. */
const LEAST_PERCENT = 5
/** Budgets of other plans over one product, as parts of the first. */
const SCALES = [0.9, 0.8, 0.7, 0.6, 1.1, 1.2, 1.3]

export interface Variant {
  readonly shares: readonly Share[]
  /** Part of the budget. */
  readonly scale: number
}

/** Plans beside a plan, the nearest first: other splits, and other budgets where there is nothing to split. */
export function variantsOf(shares: readonly Share[]): Variant[] {
  const splits = STEPS.flatMap((step) =>
    shares.map((giver, index) => {
      const taker = shares[(index + 1) % shares.length]
      if (!taker || taker === giver || giver.percent - step < LEAST_PERCENT) return undefined
      const moved = shares.map((share) => {
        if (share === giver) return { ...share, percent: share.percent - step }
        return share === taker ? { ...share, percent: share.percent + step } : share
      })
      return { shares: moved, scale: 1 }
    }),
  )
  return [...splits.filter((variant) => variant !== undefined), ...SCALES.map((scale) => ({ shares, scale }))]
}
