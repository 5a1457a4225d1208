import { microsToAmount } from '../money.ts'
import { costNow, freeUntil, mostOwed, noticed, ruleWords } from './cancellation-fee.ts'
import type { CancellationPolicy } from './cancellation-policy.ts'
import type { Cancellation, MediaBuy, Package } from './media-buy.ts'

/** What a buyer agreed to about cancelling a package, and what that comes to. The protocol has no member for it in answers about orders: `ext.terms`. Money in major units of `currency`. */
export interface CancellationTerms {
  readonly package_id: string
  /** Absent where the product had none when it was ordered: then only what was delivered is owed. */
  readonly cancellation_policy?: CancellationPolicy
  /** Until when cancelling costs nothing; absent when that moment has passed, or never was. */
  readonly free_until?: string
  /** The most that cancelling costs now: spend until then lowers it. Absent once it is canceled. */
  readonly cancellation_cost_at_most?: number
  /** The most that cancelling costs after `free_until`. */
  readonly cancellation_cost_at_most_later?: number
  /** What is owed for the cancellation, beside what was delivered; once it is canceled. */
  readonly cancellation_owed?: number
  /** Why that much is owed. */
  readonly cancellation_rule?: string
  readonly currency: string
}

/**
 * The cancellation terms of a buy's packages: what cancelling would cost where their products had any when they were ordered, and of each that is canceled what
 * is owed for it.
 */
export function cancellationTerms(buy: MediaBuy, now: Date): CancellationTerms[] {
  const { packages, currency } = buy
  return packages.flatMap((pkg): CancellationTerms[] => {
    const policy = pkg.cancellationPolicy
    const cancellation = pkg.cancellation ?? buy.cancellation
    if (!policy) return cancellation ? [{ package_id: pkg.packageId, ...FREE, currency }] : []
    const state = cancellation ? owed(pkg, policy, cancellation, currency) : buy.rejection ? {} : forecast(buy, pkg, policy, now)
    return [{ package_id: pkg.packageId, cancellation_policy: policy, ...state, currency }]
  })
}

const FREE = { cancellation_owed: 0, cancellation_rule: 'no cancellation terms: only what was delivered is owed' }

function forecast(buy: MediaBuy, pkg: Package, policy: CancellationPolicy, now: Date): Partial<CancellationTerms> {
  const [until, later] = [freeUntil(noticed(pkg), policy, now), microsToAmount(mostOwed(noticed(pkg), policy, now))]
  return {
    ...(until !== undefined && later > 0 && { free_until: until, cancellation_cost_at_most_later: later }),
    cancellation_cost_at_most: microsToAmount(costNow(buy, pkg, policy, now)),
  }
}

/** Cancellations from before fees were kept with them have the most that they can have come to. */
function owed(pkg: Package, policy: CancellationPolicy, by: Cancellation, currency: string): Partial<CancellationTerms> {
  if (by.canceledBy === 'seller') return { cancellation_owed: 0, cancellation_rule: 'the seller canceled' }
  const fee = pkg.cancellationFee
  if (!fee) return { cancellation_cost_at_most: microsToAmount(mostOwed(noticed(pkg), policy, new Date(by.canceledAt))) }
  return { cancellation_owed: microsToAmount(fee.micros), cancellation_rule: ruleWords(fee, policy, currency) }
}

/** Sentences on packages that a change put into their notice period, such as by an earlier start: from then on cancelling them costs, and later dates do not undo it. */
export function noticeNotes({ packages: before }: MediaBuy, { packages: after, currency }: MediaBuy): string[] {
  const known = new Map(before.map((pkg) => [pkg.packageId, pkg]))
  return after.flatMap((pkg) => {
    const { cancellationPolicy: policy, packageId, terms } = pkg
    const earlier = known.get(packageId)
    const now = new Date(terms.from)
    if (!policy || !earlier || earlier.terms.startsAt === terms.startsAt || pkg.cancellation) return []
    const most = microsToAmount(mostOwed(noticed(pkg), policy, now))
    if (
      most === 0 ||
      freeUntil(noticed(earlier), policy, now) === undefined ||
      freeUntil(noticed(pkg), policy, now) !== undefined
    )
      return []
    return [
      `The new start of package ${packageId} is within its notice period: cancelling it costs at most ${most} ${currency} from now on, and a later start does not undo that.`,
    ]
  })
}

/** What the `ext.terms` of an answer comes to, in sentences; undefined for anything else. */
export function cancellationSentence(terms: unknown): string | undefined {
  const all = (Array.isArray(terms) ? terms : []).filter((each) => typeof each === 'object' && each !== null)
  const currency = textOf(all[0], 'currency')
  if (currency === undefined) return undefined
  const money = (micros: readonly number[]) => `${Math.round(micros.reduce((a, b) => a + b, 0) * 1e6) / 1e6} ${currency}`
  const done = all.flatMap((each) => numberOf(each, 'cancellation_owed') ?? [])
  const ahead = all.filter((each) => numberOf(each, 'cancellation_cost_at_most') !== undefined)
  const now = ahead.flatMap((each) => numberOf(each, 'cancellation_cost_at_most') ?? [])
  const later = ahead.flatMap(
    (each) => numberOf(each, 'cancellation_cost_at_most_later') ?? numberOf(each, 'cancellation_cost_at_most') ?? [],
  )
  const until = ahead.flatMap((each) => textOf(each, 'free_until') ?? []).toSorted()[0]
  const what = done.length > 0 && ahead.length > 0 ? 'Cancelling the rest' : 'Cancelling'
  const after = until === undefined ? '' : ` until ${until}, then at most ${money(later)}`
  const hasBegun = ahead.some((each) => {
    return (numberOf(each, 'cancellation_cost_at_most') ?? 0) > 0 && textOf(each, 'free_until') === undefined
  })
  const sentences = [
    ...(done.length > 0 ? [`Owed for what is canceled: ${money(done)}.`] : []),
    ...(now.length > 0 ? [`${what} costs at most ${money(now)}${after}.`] : []),
    ...(until === undefined
      ? []
      : ['An earlier start brings that moment forward. A smaller budget after it makes that no less.']),
    ...(hasBegun ? ['The notice has begun; later dates or a smaller budget do not undo it.'] : []),
  ]
  return sentences.length > 0 ? `${sentences.join(' ')} Terms: ext.terms.` : undefined
}

function numberOf(of: object, name: string): number | undefined {
  const value: unknown = Reflect.get(of, name)
  return typeof value === 'number' ? value : undefined
}

function textOf(of: object | undefined, name: string): string | undefined {
  const value: unknown = of && Reflect.get(of, name)
  return typeof value === 'string' ? value : undefined
}
