import { AdcpError } from '../../protocol/errors.ts'
import type { ReleaseRules } from '../../protocol/release-rules.ts'
import type { MediaBuyStatus } from '../product/media-buy-status.ts'
import type { CreativeFacts, MediaBuy, Package } from './media-buy.ts'
import type { ValidAction } from './shown-buy.ts'

/**
 * Where a media buy may go from each status; a test compares them with every release's enums/media-buy-status.json. No decision leads back to a pending status; before its start a buy is `pending_creatives` again
 * when it loses the last creative that could serve, and in its flight that changes its health (3.1). The statuses without successors are terminal.
 */
export const TRANSITIONS: { readonly [From in MediaBuyStatus]: readonly MediaBuyStatus[] } = {
  pending_creatives: ['pending_start', 'active', 'paused', 'completed', 'rejected', 'canceled'],
  pending_start: ['active', 'paused', 'completed', 'rejected', 'canceled'],
  active: ['paused', 'completed', 'canceled'],
  paused: ['active', 'completed', 'canceled'],
  completed: [],
  rejected: [],
  canceled: [],
}

const isStatus = (name: string): name is MediaBuyStatus => Object.hasOwn(TRANSITIONS, name)

/** Every status of an order. */
export const ORDER_STATUSES: readonly MediaBuyStatus[] = Object.keys(TRANSITIONS).filter(isStatus)

/** Statuses of orders that are not over. */
export const LIVE_STATUSES: readonly MediaBuyStatus[] = ORDER_STATUSES.filter((status) => TRANSITIONS[status].length > 0)

const CHANGES: readonly ValidAction[] = [
  'cancel',
  'update_budget',
  'update_dates',
  'update_packages',
  'add_packages',
  'sync_creatives',
]

/** What status is made of: the decisions that were taken, the flight, and whether anything could serve. */
export interface LifecycleFacts {
  readonly startsAt: string
  readonly endsAt: string
  readonly paused: boolean
  readonly canceled: boolean
  readonly rejected: boolean
  /** The seller has committed to it: a buy that is not confirmed never runs (AdCP 3.1 media-buy specification, confirmation semantics). */
  readonly confirmed: boolean
  /** At least one live package has the creatives that it needs, or had them in the flight. */
  readonly supplied: boolean
}

/**
 * Status as decisions, facts and the clock imply it; nothing stores it and no job flips it. A pause shows once the buy would
 * otherwise run; before that it is held back for the flight, and the pending status stays, since `paused` may not lead back to it.
 */
export function statusOf(facts: LifecycleFacts, now: Date): MediaBuyStatus {
  if (facts.rejected) return 'rejected'
  if (facts.canceled) return 'canceled'
  if (facts.confirmed && now.getTime() >= Date.parse(facts.endsAt)) return 'completed'
  if (!facts.supplied) return 'pending_creatives'
  if (!facts.confirmed || now.getTime() < Date.parse(facts.startsAt)) return 'pending_start'
  return facts.paused ? 'paused' : 'active'
}

/** The facts of a media buy, given what the creative library says of its packages. */
export function factsOf(buy: MediaBuy, creatives: CreativeFacts): LifecycleFacts {
  return {
    startsAt: buy.startsAt,
    endsAt: buy.endsAt,
    paused: buy.paused,
    canceled: buy.cancellation !== undefined,
    rejected: buy.rejection !== undefined,
    confirmed: buy.confirmedAt !== undefined,
    supplied: buy.packages.some((pkg) => pkg.cancellation === undefined && isSupplied(pkg, creatives, buy.startsAt)),
  }
}

/** Status of one package now, by the rule of {@link statusOf}: for its own dates, pause, cancellation and creatives. */
export function packageStatus(buy: MediaBuy, pkg: Package, creatives: CreativeFacts, now: Date): MediaBuyStatus {
  const facts = {
    startsAt: pkg.terms.startsAt,
    endsAt: pkg.terms.endsAt,
    paused: buy.paused || pkg.paused,
    canceled: buy.cancellation !== undefined || pkg.cancellation !== undefined,
    rejected: buy.rejection !== undefined,
    confirmed: buy.confirmedAt !== undefined,
    supplied: isSupplied(pkg, creatives, buy.startsAt),
  }
  return statusOf(facts, now)
}

/** Status of a media buy now. */
export function mediaBuyStatus(buy: MediaBuy, creatives: CreativeFacts, now: Date): MediaBuyStatus {
  return statusOf(factsOf(buy, creatives), now)
}

/**
 * Whether an approved creative serves or has served in the flight, or the package needs none. A creative that waits for review supplies nothing, nor does one that
 * lost its approval before the flight (3.2 media-buy specification: before activation, a buy without approved coverage remains pending_creatives).
 */
export function isSupplied(
  { packageId, needsCreatives, pastServing }: Package,
  creatives: CreativeFacts,
  startsAt: string,
): boolean {
  if (!needsCreatives) return true
  const facts = creatives.get(packageId) ?? []
  if (facts.some(({ approval }) => approval === 'approved')) return true
  const windows = [...pastServing, ...facts.flatMap(({ served = [] }) => served)]
  return windows.some(({ until }) => until === undefined || Date.parse(until) > Date.parse(startsAt))
}

/** Whether a package can serve, whatever its flight: it is neither paused nor canceled, and has an approved creative or needs none. */
export function canServe({ packageId, needsCreatives, terms }: Package, creatives: CreativeFacts): boolean {
  return terms.running && (!needsCreatives || (creatives.get(packageId) ?? []).some(({ approval }) => approval === 'approved'))
}

/**
 * The status that a release shows. Where releases speak of health, a buy that lost its creatives in its flight stays what it is. 3.0 shows one without any
 * assigned creative as `pending_creatives`, which is what the word means there (enums/media-buy-status.json).
 */
export function shownStatus(
  buy: MediaBuy,
  creatives: CreativeFacts,
  now: Date,
  { health }: Pick<ReleaseRules, 'health'>,
): MediaBuyStatus {
  const status = mediaBuyStatus(buy, creatives, now)
  if (health || (status !== 'active' && status !== 'paused')) return status
  const live = buy.packages.filter(({ cancellation }) => cancellation === undefined)
  const isBare = live.every(
    ({ packageId, needsCreatives, pastServing }) =>
      needsCreatives && (creatives.get(packageId) ?? []).length === 0 && pastServing.every(({ until }) => until !== undefined),
  )
  return isBare ? 'pending_creatives' : status
}

/** The next moment at which the clock alone can change the status; undefined when the flight is over. */
export function nextClockChange(flight: Pick<LifecycleFacts, 'startsAt' | 'endsAt'>, now: Date): Date | undefined {
  const ahead = [flight.startsAt, flight.endsAt].map((at) => new Date(at)).filter((at) => at > now)
  return ahead.sort((a, b) => a.getTime() - b.getTime())[0]
}

/** Whether nothing can change any more. */
export function isTerminal(status: MediaBuyStatus): boolean {
  return TRANSITIONS[status].length === 0
}

/**
 * Guards a decision. Staying put is allowed (a repeated pause is no error) except for a repeated cancellation. Throws
 * NOT_CANCELLABLE when the move is a cancellation, INVALID_STATE otherwise (AdCP media-buy specification, state machine).
 */
export function transition(from: MediaBuyStatus, to: MediaBuyStatus): MediaBuyStatus {
  if (TRANSITIONS[from].includes(to) || (from === to && !isTerminal(from))) return to
  if (to === 'canceled') {
    throw new AdcpError('NOT_CANCELLABLE', `a media buy that is ${from} cannot be canceled`, { field: 'canceled' })
  }
  throw new AdcpError('INVALID_STATE', `a media buy that is ${from} cannot become ${to}`)
}

/** Actions that update_media_buy and sync_creatives accept now (enums/media-buy-valid-action.json). */
export function validActions(status: MediaBuyStatus, paused: boolean): ValidAction[] {
  return isTerminal(status) ? [] : [paused ? 'resume' : 'pause', ...CHANGES]
}
