import type { CommercialTerms } from '../media-buy/commercial-terms.ts'
import type { FlightBounds } from './proposed-flight.ts'

/** Hard requirements on revised terms (AdCP 3.2 media-buy/proposal-refinement.json, `constraints`), in major units of their currency. */
export interface Constraints {
  readonly total_budget?: { readonly min?: number; readonly max?: number; readonly currency: string }
  readonly cpm?: { readonly max: number; readonly currency: string }
  readonly flight?: FlightBounds
  readonly [name: string]: object | undefined
}

/** Products that have to be, or must not be, in revised terms (`product_changes`). */
export type ProductChanges = Readonly<Record<string, 'include' | 'omit'>>

/** The keys of the constraints that terms do not meet. */
export function unmetConstraints({ total_budget: budget, cpm, flight }: Constraints, terms: CommercialTerms): string[] {
  const { total_budget: total, purchases, start_time: start, end_time: end } = terms
  const amount = total?.currency === budget?.currency ? total?.amount : undefined
  const isAffordable = amount !== undefined && amount >= (budget?.min ?? 0) && amount <= (budget?.max ?? Number.POSITIVE_INFINITY)
  const meetsCpm = cpm === undefined || purchases.every(({ pricing }) => isCpmWithin(pricing, cpm))
  const { start_no_later_than: latest, end_no_earlier_than: earliest } = flight ?? {}
  const isLate = latest !== undefined && Date.parse(start) > Date.parse(latest)
  const isShort = earliest !== undefined && Date.parse(end) < Date.parse(earliest)
  return [
    ...(budget !== undefined && !isAffordable ? ['total_budget'] : []),
    ...(meetsCpm ? [] : ['cpm']),
    ...(isLate || isShort ? ['flight'] : []),
  ]
}

/** Whether a price is a fixed one by thousand impressions within a ceiling. */
export function isCpmWithin(price: object, { max, currency }: NonNullable<Constraints['cpm']>): boolean {
  const { pricing_model: model, currency: own, fixed_price: fixed }: Record<string, unknown> = { ...price }
  return (model === 'cpm' || model === 'vcpm') && own === currency && typeof fixed === 'number' && fixed <= max
}

/** The product changes that terms do not show. */
export function unmetChanges(changes: ProductChanges, { purchases }: CommercialTerms): ProductChanges {
  const bought = new Set(purchases.map(({ product_id: id }) => id))
  return Object.fromEntries(Object.entries(changes).filter(([id, change]) => bought.has(id) !== (change === 'include')))
}
