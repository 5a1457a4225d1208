import { AdcpError } from '../../protocol/errors.ts'
import { onConditions } from './approval-conditions.ts'
import type { MediaBuy, Package } from './media-buy.ts'

/** Under which texts an order was approved, and by whom. */
interface Approval {
  readonly conditions: readonly string[]
  readonly decidedBy: string | undefined
}

/**
 * A planned buy on the day it is approved: what should have begun meanwhile begins now, since nothing can be delivered in the past. Throws
 * INVALID_REQUEST when the flight, or that of a package, is over.
 */
export function asOfApproval(buy: MediaBuy, { conditions, decidedBy }: Approval, now: Date): MediaBuy {
  const at = now.toISOString()
  requireAhead(buy.endsAt, at, 'end_time')
  const later = (startsAt: string) => (startsAt < at ? at : startsAt)
  const packages = buy.packages.map((pkg, index): Package => {
    requireAhead(pkg.terms.endsAt, at, `packages[${index}].end_time`)
    return { ...pkg, terms: { ...pkg.terms, from: at, startsAt: later(pkg.terms.startsAt) } }
  })
  const on = conditions.length > 0 ? ` on condition: ${conditions.join('; ')}` : ''
  const approved = { action: 'approved', summary: `Approved by the seller${on}` }
  const person = decidedBy === undefined ? {} : { person: decidedBy }
  const entry = { revision: buy.revision, at, actor: 'seller', ...person, ...approved }
  return {
    ...onConditions(buy, conditions),
    startsAt: later(buy.startsAt),
    packages,
    confirmedAt: at,
    updatedAt: at,
    history: [...buy.history, entry],
  }
}

function requireAhead(endsAt: string, at: string, field: string): void {
  if (endsAt <= at) throw new AdcpError('INVALID_REQUEST', `${field} has passed while the order was pending approval`, { field })
}
