import { AdcpError } from '../../protocol/errors.ts'
import { microsToAmount } from '../money.ts'
import { type Bids, bidOf } from './bid.ts'
import type { Package } from './media-buy.ts'

type Request = Bids | undefined

/**
 * The bids of a request that have no effect, as paths: those on fixed prices, which are charged whatever is bid above them. `packages` are those of the request,
 * in its order.
 */
export function unusedBids(
  requests: readonly Request[] | undefined,
  packages: readonly (Package | undefined)[],
  field: string,
): string[] {
  return (requests ?? []).flatMap((request, index) => {
    const bid = bidOf(request ?? {})
    return bid && packages[index]?.pricing.basis === 'fixed' ? [`${field}[${index}].${bid.member}`] : []
  })
}

/** Throws INVALID_REQUEST for the first bid below the fixed price of its package, which would be charged nevertheless. Arguments as of {@link unusedBids}. */
export function requireBids(
  requests: readonly Request[] | undefined,
  packages: readonly (Package | undefined)[],
  field: string,
): void {
  for (const [index, request] of (requests ?? []).entries()) {
    const { fixedMicros, currency } = packages[index]?.pricing ?? {}
    const price = fixedMicros === undefined ? undefined : microsToAmount(fixedMicros)
    const bid = bidOf(request ?? {})
    if (price === undefined || bid === undefined || bid.amount >= price) continue
    const at = `${field}[${index}].${bid.member}`
    const message = `${at} is ${bid.amount}, below the fixed price of ${price} ${currency}, which is charged whatever is bid: leave it out to buy at that price, or choose a pricing option without fixed_price`
    throw new AdcpError('INVALID_REQUEST', message, { field: at, details: { fixed_price: price } })
  }
}

/** An answer that lists members of its request which had no effect (`ext.ignored_members`). */
export function withIgnored<T extends { ext?: object }>(answer: T, ignored: readonly string[]): T {
  return ignored.length === 0 ? answer : { ...answer, ext: { ...answer.ext, ignored_members: ignored } }
}
