import { DAY_MS } from '../calendar/instant.ts'
import type { MediaBuyStatus } from '../product/media-buy-status.ts'
import { mediaBuyStatus, transition } from './lifecycle.ts'
import type { CreativeFacts, MediaBuy, Package } from './media-buy.ts'
import { cancellationOf, type Revision, revise } from './revise.ts'

export interface DecisionContext {
  readonly creatives: CreativeFacts
  readonly actor: string
  readonly now: Date
  readonly reason?: string
}

/**
 * The seller brings a media buy into a status by the decisions and facts that imply it: it starts or ends the flight now, supplies missing ads itself,
 * pauses, cancels or rejects. Throws INVALID_STATE or NOT_CANCELLABLE when the life cycle does not lead there.
 */
export function bringTo(buy: MediaBuy, status: MediaBuyStatus, context: DecisionContext): Revision {
  const { now, actor } = context
  const current = mediaBuyStatus(buy, context.creatives, now)
  transition(current, status)
  if (current === status) return { buy, affected: [] }
  const changes = [{ action: ACTIONS[status], summary: context.reason ?? `Set to ${status} by the seller` }]
  return revise(buy, stateFor(buy, status, context), changes, { actor, now })
}

const ACTIONS: { readonly [Status in MediaBuyStatus]: string } = {
  pending_creatives: 'updated_packages',
  pending_start: 'updated_dates',
  active: 'activated',
  paused: 'paused',
  completed: 'completed',
  rejected: 'rejected',
  canceled: 'canceled',
}

function stateFor(buy: MediaBuy, status: MediaBuyStatus, { now, reason }: DecisionContext): MediaBuy {
  const at = now.getTime()
  switch (status) {
    case 'pending_creatives':
      return buy
    case 'pending_start':
      return supplied(
        withFlight(buy, Math.max(Date.parse(buy.startsAt), at + DAY_MS), Math.max(Date.parse(buy.endsAt), at + 2 * DAY_MS)),
        now,
      )
    case 'active':
    case 'paused':
      return {
        ...supplied(withFlight(buy, Math.min(Date.parse(buy.startsAt), at), Date.parse(buy.endsAt)), now),
        paused: status === 'paused',
      }
    case 'completed':
      return withFlight(buy, Math.min(Date.parse(buy.startsAt), at - 1), at)
    case 'rejected':
      return { ...released(buy), rejection: { rejectedAt: now.toISOString(), ...(reason !== undefined && { reason }) } }
    case 'canceled':
      return { ...released(buy), cancellation: cancellationOf('seller', reason, now) }
  }
}

/** Ads that the buyer has not sent are supplied by the seller from now on (host-read spots, house copy). */
function supplied(buy: MediaBuy, now: Date): MediaBuy {
  const packages = buy.packages.map((pkg) => {
    const open = pkg.pastServing.some((window) => window.until === undefined)
    return open || !pkg.needsCreatives ? pkg : { ...pkg, pastServing: [...pkg.pastServing, { from: now.toISOString() }] }
  })
  return { ...buy, packages }
}

function released(buy: MediaBuy): MediaBuy {
  return { ...buy, packages: buy.packages.map((pkg) => ({ ...pkg, reservedImpressions: 0 })) }
}

/** Moves the flight; packages keep their own bounds as far as they lie inside it. */
function withFlight(buy: MediaBuy, start: number, end: number): MediaBuy {
  const [startsAt, endsAt] = [new Date(start).toISOString(), new Date(end).toISOString()]
  const packages = buy.packages.map((pkg): Package => {
    if (pkg.cancellation) return pkg
    const first = pkg.terms.startsAt === buy.startsAt ? start : Math.max(Date.parse(pkg.terms.startsAt), start)
    const last = pkg.terms.endsAt === buy.endsAt ? end : Math.min(Date.parse(pkg.terms.endsAt), end)
    const bounds = first < last ? [first, last] : [start, end]
    const [from = start, until = end] = bounds
    return { ...pkg, terms: { ...pkg.terms, startsAt: new Date(from).toISOString(), endsAt: new Date(until).toISOString() } }
  })
  return { ...buy, startsAt, endsAt, packages }
}
