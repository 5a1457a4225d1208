import type { Flight } from '../../domain/calendar/flight.ts'
import { localHour } from '../../domain/calendar/local-hour.ts'
import { openWeekOf } from '../../domain/calendar/open-week.ts'
import { timeZoneOf } from '../../domain/identity/publisher-settings.ts'
import { neededImpressions } from '../../domain/media-buy/needed-impressions.ts'
import { shortageWords } from '../../domain/media-buy/shortage.ts'
import type { Allowed } from '../../domain/product/allowed-products.ts'
import type { NamedDays } from '../../domain/product/brief-dates.ts'
import type { ForecastConditions } from '../../domain/product/forecast-conditions.ts'
import { pricingOption } from '../../domain/product/negotiated-price.ts'
import type { Product } from '../../domain/product/product.ts'
import type { Proposal } from '../../domain/product/proposal.ts'
import type { PublicContext } from '../../pipeline/task.ts'
import { availabilityOf, type ShownAvailability, type Wish } from './availability.ts'
import type { OrderContext } from './orders.ts'

/** Who asks what is left. `isAsked`: whether ad servers may be asked, which no transaction may. */
export type Asking = Pick<PublicContext, 'tenant' | 'principal' | 'account' | 'services' | 'db' | 'now'> & {
  readonly isAsked: boolean
}

/** The conditions of a question with what is left of products in its flight; as they are where it has none. */
export async function withLeft(
  conditions: ForecastConditions,
  products: readonly Product[],
  asking: Asking,
): Promise<ForecastConditions> {
  const { flight, targeting } = conditions
  if (!flight || products.length === 0) return conditions
  const timeZone = timeZoneOf(asking.tenant.settings, asking.services.wiring.timeZone)
  const openWeek = openWeekOf(targeting?.daypart_targets, localHour(timeZone), flight.startsAt)
  const each = [...new Map(products.map((product) => [product.id, product])).values()]
  const wishes = each.map((product) => ({
    productId: product.id,
    product,
    flight,
    impressions: 0,
    ...(targeting && { targeting }),
    ...(openWeek !== undefined && { openWeek }),
  }))
  const found = await asked(wishes, asking)
  return {
    ...conditions,
    left: new Map(found.map(({ productId, available }) => [productId, available])),
    targeted: new Set(found.flatMap(({ productId, forTargeting }) => (forTargeting ? [productId] : []))),
  }
}

/** Plans that are made again when products of them are short: each round leaves out what the one before wanted too much of. */
const ROUNDS = 4

export interface FittingPlans {
  readonly proposals: readonly Proposal[]
  /** What plans would have held of, had there been enough. */
  readonly short: readonly ShownAvailability[]
}

/** Makes plans of what is allowed whose shares fit into a flight; without one, any. */
export async function fittingPlans(
  make: (allowed: Allowed) => readonly Proposal[],
  allowed: Allowed,
  { flight, asking }: { readonly flight: Flight | undefined; readonly asking: Asking },
): Promise<FittingPlans> {
  let proposals = make(allowed)
  if (!flight) return { proposals, short: [] }
  const short = new Map<string, ShownAvailability>()
  const left: Allowed = { ...allowed, products: { get: (id) => (short.has(id) ? undefined : allowed.products.get(id)) } }
  for (let round = 0; round < ROUNDS && proposals.length > 0; round++) {
    const found = await shortOf(proposals, allowed, flight, asking)
    if (found.length === 0) return { proposals, short: [...short.values()] }
    for (const each of found) short.set(each.productId, each)
    proposals = make(left)
  }
  const fits = ({ allocations }: Proposal) => allocations.every(({ product_id }) => !short.has(product_id))
  return { proposals: proposals.filter(fits), short: [...short.values()] }
}

async function shortOf(
  proposals: readonly Proposal[],
  { products, buyer }: Allowed,
  flight: Flight,
  asking: Asking,
): Promise<readonly ShownAvailability[]> {
  const wishes = proposals.flatMap(({ allocations, total_budget_guidance: guidance }) =>
    allocations.flatMap(({ product_id: productId, pricing_option_id, allocation_percentage: percent }): Wish[] => {
      const product = products.get(productId)
      const option = product && pricingOption(product, pricing_option_id, buyer)
      if (!option || product?.offer.delivery_type !== 'guaranteed') return []
      const impressions = neededImpressions(option, ((guidance?.recommended ?? 0) * percent) / 100)
      return [{ productId, product, flight, impressions }]
    }),
  )
  return (await asked(wishes, asking)).filter(({ fitsShown }) => !fitsShown)
}

/** Without credentials the production inventory is asked about. */
function asked(
  wishes: readonly Wish[],
  { tenant, principal, isAsked, ...asking }: Asking,
): Promise<readonly ShownAvailability[]> {
  const { tenantId } = tenant
  const context: OrderContext = { ...asking, principal: principal ?? { tenantId, principalId: '', sandbox: false } }
  return availabilityOf(context, wishes, { isAsked })
}

/** The sentence about products that plans hold nothing of. */
export function shortNote(short: readonly ShownAvailability[], { first = '', last = first }: NamedDays = {}): string[] {
  if (short.length === 0) return []
  const each = short.map(({ productId, shortage }) => (shortage ? `${productId} (${shortageWords(shortage)})` : productId))
  return [`Not in the plans, which would need more of it than is available from ${first} to ${last}: ${each.join(', ')}.`]
}
