import { AdcpError } from '../../protocol/errors.ts'
import { microsToAmount } from '../money.ts'
import { sameValue } from '../same-value.ts'
import type { Bidding, Bids } from './bid.ts'
import type { Package, Pricing } from './media-buy.ts'
import type { PackageUpdate } from './order-request.ts'

/** The bid that holds for a package, where it stands in a request (`''`: at its root), and the package that has it from the media buy. */
export interface EffectiveBid {
  readonly bids: Bids
  readonly path: string
  readonly inheritedBy?: string
}

/**
 * The bid of a package: its own, else that of the media buy, which is a default (AdCP 3.2 core/bidding-policy.json). `path`: the package in errors. Throws AMBIGUOUS_BIDDING_POLICY
 * for an amount of 3.0 beside a policy of the media buy, naming `field`.
 */
export function effectiveBid(own: Bids, shared: Bidding | undefined, path: string, field = `${path}.bid_price`): EffectiveBid {
  if (!shared || own.bidding) return { bids: own, path }
  if (own.bid_price === undefined) return { bids: { bidding: shared }, path: '', inheritedBy: path }
  throw new AdcpError(
    'AMBIGUOUS_BIDDING_POLICY',
    `${path} has a bid_price, and the media buy has bidding: send bidding of that package in its place, or bidding of the media buy as null`,
    { field },
  )
}

/**
 * The bid of a package after a change; undefined where it stays what it is. `shared` and `before`: the policy of the media buy after the change and before it.
 */
export function bidAfter(
  pkg: Package,
  update: PackageUpdate,
  { shared, before, path }: { readonly shared: Bidding | undefined; readonly before: Bidding | undefined; readonly path: string },
): EffectiveBid | undefined {
  if (update.bidding !== undefined || update.bid_price !== undefined) return effectiveBid(update, shared, path)
  if (sameValue(shared, before)) return undefined
  const own = before ? pkg.writtenBid : ownBid(pkg)
  return own && 'bidding' in own ? undefined : effectiveBid(own ?? {}, shared, pkg.packageId, 'bidding')
}

/** The bid that a package has by itself; one that is older than what buyers wrote is known by its amount, which is none that the seller bids. */
function ownBid({ writtenBid, pricing, terms: { bidMicros } }: Package): Package['writtenBid'] {
  if (writtenBid || bidMicros === undefined) return writtenBid
  const { floorMicros = 0, guideMicros = floorMicros } = pricing
  return bidMicros === Math.max(guideMicros, floorMicros) ? undefined : { bid_price: microsToAmount(bidMicros) }
}

/** Models whose unit is the same whatever is sold; of others the qualifiers of the price belong to it. */
const ONE_UNIT: ReadonlySet<Pricing['model']> = new Set(['cpm', 'vcpm', 'cpc', 'cpcv'])

/** Throws BIDDING_PLACEMENT_CONFLICT for an amount of the media buy where the packages that have it pay for different units. */
export function requireOneUnit(packages: readonly Package[], shared: Bidding | undefined): void {
  if (!shared || shared.automatic) return
  const heirs = packages.filter(({ cancellation, writtenBid }) => !cancellation && !writtenBid)
  const unitOf = ({ pricing, productId }: Package) =>
    ONE_UNIT.has(pricing.model) ? pricing.model : `${pricing.model} of ${pricing.pricingOptionId} of ${productId}`
  const units = [...new Set(heirs.map(unitOf))]
  if (units.length < 2) return
  throw new AdcpError(
    'BIDDING_PLACEMENT_CONFLICT',
    `bidding is one amount, and the packages without bidding of their own pay for different units (${units.slice(0, 5).join(', ')}): send bidding of each package instead`,
    { field: 'bidding' },
  )
}
