import type { GetMediaBuysResponse } from '@adcp/sdk/types'
import { AdcpError } from '../../protocol/errors.ts'
import type { CreativeFacts, MediaBuy, MediaBuyStatus, Package } from './media-buy.ts'

export type ValidAction = NonNullable<GetMediaBuysResponse['media_buys'][number]['valid_actions']>[number]

/**
 * Where a media buy may go from each status of enums/media-buy-status.json. Typed over the official enum, so a release that adds
 * a status does not compile until it is listed. Nothing leads back to a pending status: a buy that once had what it needs to
 * serve does not turn pending again when a creative is withdrawn; its creative approvals tell. The statuses without
 * successors are terminal.
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
  /** At least one live package has, or once had, the creatives that it needs. */
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
    supplied: buy.packages.some((pkg) => pkg.cancellation === undefined && isSupplied(pkg, creatives)),
  }
}

/** Status of a media buy now. */
export function mediaBuyStatus(buy: MediaBuy, creatives: CreativeFacts, now: Date): MediaBuyStatus {
  return statusOf(factsOf(buy, creatives), now)
}

/** Whether an approved creative serves or has served, or the package needs none. A creative that waits for review supplies nothing. */
function isSupplied(pkg: Package, creatives: CreativeFacts): boolean {
  if (!pkg.needsCreatives || pkg.pastServing.length > 0) return true
  return (creatives.get(pkg.packageId) ?? []).some(({ approval, served = [] }) => approval === 'approved' || served.length > 0)
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
