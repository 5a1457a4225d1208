import { AdcpError } from '../../protocol/errors.ts'
import { budgetToMicros, microsToAmount } from '../money.ts'
import { sameValue } from '../same-value.ts'
import type { DailyCap, OrderTerms, Package, Pricing } from './media-buy.ts'

/** A cap as it was sent: micros; undefined for none, and for null, which takes one away. Throws what is wrong with the amount. */
export function capMicros(cap: number | null | undefined, currency: string, field: string): number | undefined {
  return cap === undefined || cap === null ? undefined : budgetToMicros(cap, currency, field)
}

/** Throws UNSUPPORTED_FEATURE for a cap on a price that is charged by the flight: no day of it can cost less. */
export function requireCappable({ model }: Pick<Pricing, 'model'>, field: string, of: string): void {
  if (model !== 'flat_rate' && model !== 'time') return
  throw new AdcpError(
    'UNSUPPORTED_FEATURE',
    `${field} is not kept for ${of}: ${model} is charged by the flight; leave it out, or choose another pricing option`,
    {
      field,
    },
  )
}

/** Terms with another cap of the package itself; undefined: none. */
export function withOwnCap(terms: OrderTerms, ownMicros: number | undefined): OrderTerms {
  const { ownMicros: _own, ...shared } = terms.dailyCap ?? {}
  return withCap(terms, { ...(ownMicros !== undefined && { ownMicros }), ...shared })
}

/**
 * The packages with the cap of their media buy, undefined for none; those that ended keep the one that they had. Throws UNSUPPORTED_FEATURE, naming the cap, for packages that cannot have one.
 */
export function withSharedCap(packages: readonly Package[], sharedMicros: number | undefined): Package[] {
  const live = packages.filter(({ cancellation }) => !cancellation)
  if (sharedMicros !== undefined)
    for (const { pricing, productId } of live) requireCappable(pricing, 'daily_budget_cap', productId)
  const portionMicros = Math.floor((sharedMicros ?? 0) / Math.max(1, live.length))
  return packages.map((pkg) => {
    if (pkg.cancellation) return pkg
    const { ownMicros } = pkg.terms.dailyCap ?? {}
    const own = ownMicros === undefined ? {} : { ownMicros }
    const terms = withCap(pkg.terms, sharedMicros === undefined ? own : { ...own, sharedMicros, portionMicros })
    return terms === pkg.terms ? pkg : { ...pkg, terms }
  })
}

function withCap(terms: OrderTerms, cap: DailyCap): OrderTerms {
  const { dailyCap, ...rest } = terms
  if (sameValue(cap, dailyCap ?? {})) return terms
  return Object.keys(cap).length === 0 ? rest : { ...terms, dailyCap: cap }
}

/** What became of a cap, in words. */
export function capWords(was: number | undefined, is: number | undefined, currency: string): string | undefined {
  if (was === is) return undefined
  return is === undefined ? 'no daily cap any more' : `daily cap ${microsToAmount(is)} ${currency}`
}
