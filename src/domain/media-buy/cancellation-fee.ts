import { microsToAmount, minorUnitMicros, priceToMicros } from '../money.ts'
import type { CancellationPolicy } from './cancellation-policy.ts'
import { type FeeRule, feeIdOf, type NewCharge } from './charge.ts'
import type { MediaBuy, OrderTerms, Package } from './media-buy.ts'
import { commitmentMicros } from './pricing.ts'

/** What the buyer owes for a package that it canceled, beside what was delivered. Money in micros. */
export interface CancellationFee {
  readonly micros: number
  /** What it was reckoned on: the largest commitment since the notice began, and the spend when it was canceled. Absent where nothing is owed. */
  readonly basis?: { readonly budgetMicros: number; readonly spentMicros: number }
  /** Why the publisher asks for nothing; absent: it does. */
  readonly waived?: string
}

/** A version of an order's terms, as far as a notice is about it. */
interface NoticeTerms extends Pick<OrderTerms, 'startsAt'> {
  readonly from?: string
  /** The most that it can cost: of a flat price that, whatever the budget is. */
  readonly committedMicros: number
}

/** What is known of a package, or of one that is only planned, to tell when its notice begins and what cancelling it costs. */
export interface Noticed {
  /** Oldest first, one at least. */
  readonly versions: readonly NoticeTerms[]
  readonly pricing: Pick<Package['pricing'], 'currency'>
}

/** A package, to tell what cancelling it costs. */
export function noticed({ pastTerms, terms, pricing }: Package): Noticed {
  const versions = [...pastTerms, terms].map((version) => {
    return { from: version.from, startsAt: version.startsAt, committedMicros: commitmentMicros(pricing, version) }
  })
  return { versions, pricing }
}

const UNIT_MS: Readonly<Record<string, number>> = { seconds: 1_000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 }

interface Canceling {
  /** Set where the publisher cancels, which costs the buyer nothing. */
  readonly person?: string | undefined
  /** Spend so far by package id, micros. */
  readonly spent: ReadonlyMap<string, number>
  readonly now: Date
}

/** What the buyer owes for canceling a package of a buy as it was before the call; nothing to add where its product has no policy, or it is canceled already. */
export function owedFor(buy: MediaBuy, pkg: Package, { person, spent, now }: Canceling): Pick<Package, 'cancellationFee'> {
  const policy = pkg.cancellationPolicy
  if (!policy || pkg.cancellation || person !== undefined) return {}
  const budgetMicros = committedSinceNotice(noticed(pkg), policy, now)
  if (budgetMicros === undefined || buy.confirmedAt === undefined) return { cancellationFee: { micros: 0 } }
  const spentMicros = spent.get(pkg.packageId) ?? 0
  const micros = feeOn(pkg, policy, budgetMicros - spentMicros)
  return { cancellationFee: { micros, basis: { budgetMicros, spentMicros } } }
}

/** A line of an order that people entered, as its fee is reckoned. Money in micros. */
export interface CanceledLine {
  /** ISO 8601. */
  readonly startsAt: string
  readonly budgetMicros: number
  readonly spentMicros: number
  readonly currency: string
}

/** What an advertiser owes for canceling a line that people entered: by its flight and budget as they are now, which its people agree on themselves. */
export function owedForLine(
  policy: CancellationPolicy,
  { startsAt, budgetMicros, spentMicros, currency }: CanceledLine,
  now: Date,
): CancellationFee {
  if (now.getTime() <= Date.parse(startsAt) - noticeMs(policy)) return { micros: 0 }
  const micros = feeOn({ pricing: { currency } }, policy, budgetMicros - spentMicros)
  return { micros, basis: { budgetMicros, spentMicros } }
}

/** Until when canceling such a line is free; undefined once the notice has begun, or where it cannot be given. */
export function lineFreeUntil(policy: CancellationPolicy, startsAt: string, now: Date): string | undefined {
  const until = Date.parse(startsAt) - noticeMs(policy)
  return Number.isFinite(until) && now.getTime() <= until ? new Date(until).toISOString() : undefined
}

/** The fees of packages that a change of an order canceled, as they are charged: each package is charged once. */
export function chargedFees(before: MediaBuy, after: MediaBuy): NewCharge[] {
  return after.packages.flatMap((pkg, index) => {
    const { packageId, productId, cancellationFee: fee, cancellationPolicy: policy, pricing } = pkg
    const at = (pkg.cancellation ?? after.cancellation)?.canceledAt
    if (!fee || !policy || fee.micros <= 0 || at === undefined || before.packages[index]?.cancellationFee) return []
    const { currency } = pricing
    return {
      ...{ chargeId: feeIdOf(packageId), kind: 'cancellation', orderId: after.mediaBuyId, lineId: packageId, productId },
      ...{ currency, micros: fee.micros, reason: `cancellation: ${ruleWords(fee, policy, currency)}`, incurredAt: at },
      madeBy: undefined,
      rule: feeRuleOf(fee, policy),
    }
  })
}

/** The most that cancelling a package costs now, micros. */
export function costNow(buy: MediaBuy, pkg: Package, policy: CancellationPolicy, now: Date): number {
  const committedMicros = committedSinceNotice(noticed(pkg), policy, now)
  return committedMicros === undefined || buy.confirmedAt === undefined ? 0 : feeOn(pkg, policy, committedMicros)
}

/** The most that cancelling costs once the notice has begun, micros. */
export function mostOwed(pkg: Noticed, policy: CancellationPolicy, now: Date): number {
  return feeOn(pkg, policy, committedSinceNotice(pkg, policy, now) ?? pkg.versions.at(-1)?.committedMicros ?? 0)
}

/** Until when cancelling is free; undefined once the notice has begun. */
export function freeUntil(pkg: Noticed, policy: CancellationPolicy, now: Date): string | undefined {
  const startsAt = pkg.versions.at(-1)?.startsAt
  if (startsAt === undefined || committedSinceNotice(pkg, policy, now) !== undefined) return undefined
  return new Date(Date.parse(startsAt) - noticeMs(policy)).toISOString()
}

/** The rule of a fee, as it is kept with its charge; undefined where nothing is owed. */
export function feeRuleOf(
  { basis }: CancellationFee,
  { notice_period, cancellation_fee: fee }: CancellationPolicy,
): FeeRule | undefined {
  if (!basis || fee.type === 'none') return undefined
  const percent = fee.type === 'percent_remaining' ? { percent: percentOfRate(fee.rate) } : {}
  return { type: fee.type, ...percent, ...basis, notice: { interval: notice_period.interval, unit: notice_period.unit } }
}

/** A share as a per cent with at most six decimals, so that the fee can be reckoned again from it. */
function percentOfRate(rate = 1): number {
  return Math.round(rate * 1e8) / 1e6
}

/** Why a fee is what it is, for the buyer. */
export function ruleWords(fee: CancellationFee, policy: CancellationPolicy, currency: string): string {
  return feeWords(fee, policy, currency, {
    budget: 'the largest commitment since the notice began',
    begun: 'had begun, which later dates do not undo',
  })
}

/** The same of a line that people entered. */
export function lineRuleWords(fee: CancellationFee, policy: CancellationPolicy, currency: string): string {
  return feeWords(fee, policy, currency, { budget: 'its budget', begun: 'has begun' })
}

function feeWords(
  { basis, waived }: CancellationFee,
  { notice_period, cancellation_fee: fee }: CancellationPolicy,
  currency: string,
  words: { readonly budget: string; readonly begun: string },
): string {
  if (waived !== undefined) return `waived: ${waived}`
  if (!basis) return 'canceled before the notice period began'
  const money = (micros: number) => `${microsToAmount(micros)} ${currency}`
  const rest = `${money(basis.budgetMicros)}, ${words.budget}, less ${money(basis.spentMicros)} spent`
  const within = `since the notice of ${notice_period.interval} ${notice_period.unit} ${words.begun}`
  switch (fee.type) {
    case 'none':
      return 'the product asks for no fee'
    case 'fixed_fee':
      return `a fixed fee; ${within}`
    case 'full_commitment':
      return `${rest}; ${within}`
    case 'percent_remaining':
      return `${percentOfRate(fee.rate)} % of ${rest}; ${within}`
  }
}

/**
 * The largest commitment since the notice of a package began; undefined while it has not. It begins by the version of the order that is in force when it comes, and
 * for good: later dates or a smaller budget do not take it back.
 */
function committedSinceNotice({ versions }: Noticed, policy: CancellationPolicy, now: Date): number | undefined {
  const notice = noticeMs(policy)
  const first = versions.findIndex(({ startsAt }, index) => {
    const endedAt = Date.parse(versions[index + 1]?.from ?? now.toISOString())
    return Date.parse(startsAt) - notice < endedAt
  })
  if (first < 0) return undefined
  return versions.slice(first).reduce((most, { committedMicros }) => Math.max(most, committedMicros), 0)
}

/** Notice of a whole campaign can never be given. */
function noticeMs({ notice_period: { interval, unit } }: CancellationPolicy): number {
  const unitMs = UNIT_MS[unit]
  return unitMs === undefined ? Number.POSITIVE_INFINITY : interval * unitMs
}

/** The fee on what remains of a commitment (AdCP core/cancellation-policy.json), in whole minor units of the currency. */
function feeOn(
  { pricing: { currency } }: { readonly pricing: Pick<Package['pricing'], 'currency'> },
  { cancellation_fee: fee }: CancellationPolicy,
  restMicros: number,
): number {
  const rest = Math.max(restMicros, 0)
  switch (fee.type) {
    case 'none':
      return 0
    case 'fixed_fee':
      return priceToMicros(fee.amount ?? 0, 'cancellation_fee.amount')
    case 'full_commitment':
      return rest
    case 'percent_remaining':
      return shareOf(rest, fee.rate ?? 1, currency)
  }
}

/** A share of an amount in micros, in whole minor units of the currency. */
export function shareOf(micros: number, share: number, currency: string): number {
  const unit = minorUnitMicros(currency)
  return Math.round((micros * share) / unit) * unit
}
