import type { Subject } from './ask-subject.ts'
import type { Wish } from './ask-wishes.ts'
import { flightOfDays } from './asked-days.ts'
import { idsIn } from './brief-channels.ts'
import type { Share } from './draft-id.ts'
import type { WholeDays } from './flight-id.ts'
import type { PlanTargeting } from './limited-plan.ts'
import { planOption } from './media-plan.ts'
import { pricingOption } from './negotiated-price.ts'
import { type KeepsTargeting, takesOf } from './overlay-support.ts'
import { type Draft, isAbout } from './plan-draft.ts'
import { flatPrice, type Product, runsOn } from './product.ts'
import type { OfferedProducts, ProductsById } from './product-list.ts'

/** What a plan is refined with. */
export interface PlanContext {
  readonly products: OfferedProducts
  /** Of these, what the filters of the question leave; absent: all. */
  readonly allowed?: ProductsById
  /** Products that a text names and that may join the plan, best first. */
  readonly search: (text: string) => readonly Product[]
  /** The principal that asks; undefined without credentials. */
  readonly buyer: string | undefined
  /** What the plan is made for, in major units; absent: not known. */
  readonly total?: { readonly amount: number; readonly currency: string } | undefined
  /** What the ad servers keep of the targeting of products; absent: all of it. */
  readonly keepsOf?: KeepsTargeting | undefined
  /** The days of the plan; absent: it has none yet. */
  readonly days?: WholeDays | undefined
  /** What the plan carries into its packages: each product has to take it. */
  readonly carried?: PlanTargeting | undefined
}

/** Why a product cannot be bought with a plan, for its days and with what it carries; undefined where it can. */
function whyNotBeside(product: Product, { days, carried = {}, keepsOf }: PlanContext): string | undefined {
  const { id, selling } = product
  if (days && !runsOn(product, days)) {
    const { availableFrom: from, availableUntil: until } = selling
    const sold = [from && `from ${from}`, until && `until ${until}`].filter((part) => part !== undefined).join(' ')
    return `${id} is on sale ${sold || 'no longer'}, and the plan is for ${days.first} to ${days.last}`
  }
  const { geo_countries: alone } = carried
  if (alone && runsOutside(product, alone))
    return `${id} runs in none of the places that the plan is limited to (${alone.join(', ')})`
  const takes = takesOf(keepsOf)
  const missing = (['frequency_cap', 'language'] as const).find((name) => carried[name] !== undefined && !takes(product, name))
  return missing && `${id} takes no ${missing}, which the plan carries into its packages`
}

function runsOutside({ selling }: Product, countries: readonly string[]): boolean {
  return selling.coverage.countries?.every((country) => !countries.includes(country)) ?? false
}

/** Why nothing that a change names joins a plan: the products are asked for that `bestFor` passes over. */
export function whyNone(plan: Draft, change: Subject, context: PlanContext): string {
  const { products, search } = context
  const currency = currencyOf(plan, context)
  const named = change.ids.flatMap((id) => products.get(id) ?? [])
  const meant = [...named, ...search(change.text)].filter((product) => isAbout(product, change))
  const [unfit] = meant.flatMap((product) => whyNotBeside(product, context) ?? [])
  if (unfit) return unfit
  const [filtered] = named.filter(({ id }) => !mayJoin(id, context))
  if (filtered) return `${filtered.id} does not pass the filters of this request`
  const [unpriced] = named.filter((product) => !planOption(product, currency))
  if (unpriced) return `${unpriced.id} has no price in ${currency}, the currency of the plan`
  const apart = [...named, ...search(change.text)].find(
    (product) => isAbout(product, change) && product.selling.approval !== 'automatic',
  )
  return apart
    ? `${apart.id} is ordered by itself, since the publisher approves each order of it`
    : 'none that is offered can join it'
}

/** The currency (ISO 4217) of a plan; undefined where what it holds is no longer offered. */
function currencyOf({ shares: [first] }: Draft, { products, buyer }: PlanContext): string | undefined {
  const product = first && products.get(first.productId)
  return product && pricingOption(product, first.optionId, buyer)?.currency
}

function mayJoin(id: string, { products, allowed = products }: PlanContext): boolean {
  return allowed.get(id) !== undefined
}

/** The product that fits a change best, with the price at which it may join the plan. */
export function bestFor(plan: Draft, change: Subject, context: PlanContext): Omit<Share, 'percent'> | undefined {
  const { products, search } = context
  const currency = currencyOf(plan, context)
  const named = change.ids.flatMap((id) => products.get(id) ?? [])
  for (const candidate of [...named.filter(({ id }) => mayJoin(id, context)), ...search(change.text)]) {
    const isApart = candidate.selling.approval !== 'automatic' || whyNotBeside(candidate, context) !== undefined
    const isFit = isAbout(candidate, change) && !isApart
    const option = isFit ? planOption(candidate, currency) : undefined
    if (option) return { productId: candidate.id, optionId: option.pricing_option_id }
  }
  return undefined
}

/** The share of the budget, in per cent, that a product gets when it joins a plan: `points`, or for a product with a flat price the share that its price is of the total. */
export function joiningShare({ productId, optionId }: Omit<Share, 'percent'>, points: number, context: PlanContext): number {
  const { products, buyer, days, total } = context
  const product = products.get(productId)
  const option = product && pricingOption(product, optionId, buyer)
  const price = option && flatPrice(option, flightOfDays(days))
  return price === undefined || total === undefined ? points : Math.max(1, Math.round((100 * price) / total.amount))
}

/** The most products that a refusal names. */
const MOST_NAMED = 3

/** What runs in the countries of a wish that nothing of the plan runs in, and may join it; empty: nothing, or the wish is about something else. */
export function onSaleThere(plan: Draft, { countries, of, satisfies }: Wish, context: PlanContext): string {
  const { products, keepsOf } = context
  const currency = currencyOf(plan, context)
  const isOfPart = (product: Product) => of === undefined || isAbout(product, of)
  if (!countries || currency === undefined) return ''
  const takes = takesOf(keepsOf)
  const there: string[] = []
  for (const candidate of products.values()) {
    const { id, selling } = candidate
    const isThere = selling.coverage.countries !== undefined && isOfPart(candidate) && satisfies(candidate, takes)
    if (isThere && selling.approval === 'automatic' && planOption(candidate, currency)) there.push(id)
    if (there.length === MOST_NAMED) break
  }
  const named = there.find((id) => idsIn(id).length > 0)
  const how = named === undefined ? '' : ` (ask "add ${named}")`
  return there.length === 0 ? '' : `; on sale there, and not in the plan: ${there.join(', ')}${how}`
}
