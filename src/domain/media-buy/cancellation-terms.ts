import { microsToAmount } from '../money.ts'
import type { Offer } from '../product/product.ts'
import type { MediaBuy, Package } from './media-buy.ts'

export type CancellationPolicy = NonNullable<Offer['cancellation_policy']>

/** What a buyer agreed to about cancelling a package, and what that comes to. The protocol has no member for it in answers about orders: `ext.terms`. */
export interface CancellationTerms {
  readonly package_id: string
  readonly cancellation_policy: CancellationPolicy
  /** Until when cancelling costs nothing; absent when that moment has passed, or never was. */
  readonly free_until?: string
  /** The most that cancelling costs now, or cost when it was done: spend until then lowers it. In major units of `currency`. */
  readonly cancellation_cost_at_most: number
  readonly currency: string
}

const UNIT_MS: Readonly<Record<string, number>> = { seconds: 1_000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 }

/** The cancellation terms of a buy's packages, where their products had any when they were ordered. */
export function cancellationTerms({ packages, currency }: MediaBuy, now: Date): CancellationTerms[] {
  return packages.flatMap((pkg) => {
    const policy = pkg.cancellationPolicy
    if (!policy) return []
    const at = pkg.cancellation ? Date.parse(pkg.cancellation.canceledAt) : now.getTime()
    const freeUntil = Date.parse(pkg.terms.startsAt) - noticeMs(policy)
    const isFree = at <= freeUntil || pkg.cancellation?.canceledBy === 'seller' || policy.cancellation_fee.type === 'none'
    return [
      {
        package_id: pkg.packageId,
        cancellation_policy: policy,
        ...(at <= freeUntil && { free_until: new Date(freeUntil).toISOString() }),
        cancellation_cost_at_most: isFree ? 0 : feeOf(pkg, policy),
        currency,
      },
    ]
  })
}

/** Notice of a whole campaign can never be given. */
function noticeMs({ notice_period: { interval, unit } }: CancellationPolicy): number {
  return interval * (UNIT_MS[unit] ?? Number.POSITIVE_INFINITY)
}

/** The fee if nothing was delivered yet (AdCP core/cancellation-policy.json). */
function feeOf({ terms: { budgetMicros } }: Package, { cancellation_fee: fee }: CancellationPolicy): number {
  const share = fee.type === 'percent_remaining' ? (fee.rate ?? 1) : 1
  return fee.type === 'fixed_fee' ? (fee.amount ?? 0) : Math.round(microsToAmount(budgetMicros) * share * 100) / 100
}

/** What the `ext.terms` of an answer comes to, in a sentence; undefined for anything else. */
export function cancellationSentence(terms: unknown): string | undefined {
  const costs = (Array.isArray(terms) ? terms : []).flatMap((each: unknown) => costOf(each) ?? [])
  const [first] = costs
  if (!first) return undefined
  const total = Math.round(costs.reduce((sum, { cost }) => sum + cost, 0) * 100) / 100
  const until = costs.map(({ freeUntil }) => freeUntil).toSorted()[0]
  return `Cancelling costs at most ${total} ${first.currency}${until ? `, free until ${until}` : ''} (ext.terms).`
}

function costOf(terms: unknown): { cost: number; currency: string; freeUntil: string } | undefined {
  if (typeof terms !== 'object' || terms === null) return undefined
  const [cost, currency, until] = ['cancellation_cost_at_most', 'currency', 'free_until'].map((name) => Reflect.get(terms, name))
  if (typeof cost !== 'number' || typeof currency !== 'string') return undefined
  return { cost, currency, freeUntil: typeof until === 'string' ? until : '' }
}
