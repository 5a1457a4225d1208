import { AdcpError } from '../../protocol/errors.ts'

/** How a package is bid for (AdCP 3.2 core/bidding-policy.json). Amounts are in major units, per unit of its pricing option. */
export interface Bidding {
  /** The seller bids. */
  readonly automatic?: true
  readonly bid_amount?: number
  readonly max_bid?: number
}

/** What a request says of the bid of a package: the amount alone, or, from 3.2 on, with its kind. A change takes it away by `bidding: null`. */
export interface Bids {
  readonly bid_price?: number
  readonly bidding?: Bidding | null
}

/** The bid of a package as its buyer wrote it, in one of the two forms. */
export type WrittenBid = { readonly bid_price: number } | { readonly bidding: Bidding }

/** What a buyer wrote of a bid that counts; undefined where it wrote none, or one on a fixed price. */
export function writtenBid(
  { bid_price: price, bidding }: Bids,
  { fixedMicros }: { readonly fixedMicros?: number },
): WrittenBid | undefined {
  if (fixedMicros !== undefined) return undefined
  if (bidding) return { bidding }
  return price === undefined ? undefined : { bid_price: price }
}

/** A bid as it was sent: `member` is where in its package the amount stands. */
export interface Bid {
  readonly amount: number
  readonly member: 'bid_price' | 'bidding.bid_amount' | 'bidding.max_bid'
}

/** The bid of a package; undefined where its request makes none. */
export function bidOf({ bid_price: price, bidding }: Bids): Bid | undefined {
  if (bidding?.bid_amount !== undefined) return { amount: bidding.bid_amount, member: 'bidding.bid_amount' }
  if (bidding?.max_bid !== undefined) return { amount: bidding.max_bid, member: 'bidding.max_bid' }
  return price === undefined ? undefined : { amount: price, member: 'bid_price' }
}

/** A member of a request below a path; `''` is its root. */
export function memberAt(path: string, member: string): string {
  return path === '' ? member : `${path}.${member}`
}

/**
 * Checks how a package is bid for: in an auction a bid is a ceiling or the exact price, as its pricing option says. Throws UNSUPPORTED_FEATURE for a bid of the other
 * kind, and for what is no bid: a goal for costs or for returns; BIDDING_PLACEMENT_CONFLICT where the bid is that of the media buy (`inheritedBy`: the package that has it).
 */
export function requireKindOfBid(
  { bidding }: Bids,
  { maxBid, fixedMicros }: { readonly maxBid: boolean; readonly fixedMicros?: number },
  path: string,
  inheritedBy?: string,
): void {
  if (!bidding || bidding.automatic) return
  const field = memberAt(path, 'bidding')
  const [wrong, right] = maxBid ? (['bid_amount', 'max_bid'] as const) : (['max_bid', 'bid_amount'] as const)
  const other = Object.keys(bidding).find((name) => name !== right && name !== wrong)
  if (other !== undefined)
    throw new AdcpError(
      'UNSUPPORTED_FEATURE',
      `${field}.${other} is not carried out here: send bidding.${right} alone, or bidding.automatic and the seller bids`,
      { field: `${field}.${other}` },
    )
  const meaning = fixedMicros !== undefined ? 'the price is fixed' : maxBid ? 'a bid is a ceiling' : 'a bid is the exact price'
  if (inheritedBy !== undefined) {
    if (bidding[wrong] === undefined && fixedMicros === undefined) return
    const [member] = Object.keys(bidding)
    const message = `${field}.${member} does not fit ${inheritedBy}, which has no bidding of its own: ${meaning} there; send bidding of each package instead`
    throw new AdcpError('BIDDING_PLACEMENT_CONFLICT', message, { field: `${field}.${member}` })
  }
  if (bidding[wrong] === undefined) return
  const instead = fixedMicros !== undefined ? 'leave bidding out' : `send bidding.${right}`
  throw new AdcpError('UNSUPPORTED_FEATURE', `${field}.${wrong} is not kept for this offer: ${meaning} there; ${instead}`, {
    field: `${field}.${wrong}`,
  })
}
