import { accountScopeOf } from '../../domain/account/account.ts'
import { libraryProvenanceFault, type ProvenancePolicy } from '../../domain/creative/check-provenance.ts'
import type { Creative } from '../../domain/creative/creative.ts'
import { assignmentFault } from '../../domain/creative/lifecycle.ts'
import type { MediaBuy, Package } from '../../domain/media-buy/media-buy.ts'
import type { OrderChange } from '../../domain/media-buy/order-request.ts'
import type { Product } from '../../domain/product/product.ts'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { insteadOfOwn, quoted } from '../../protocol/nearest-name.ts'
import { findCreative } from '../../store/creative/creatives.ts'
import { listCreatives } from '../../store/creative/list-creatives.ts'
import { creativeRefusal, type PackageContext } from '../creative/creative-refusal.ts'
import { policyOf } from '../creative/provenance-policies.ts'
import type { PlacedOrder } from './placed-order.ts'

type UpdateContext = PackageContext & { readonly now: Date }

/**
 * Checks the creatives that an update assigns: in the library (or uploaded with the update), and of a format that the package takes. A new order
 * may be ahead of its creatives; a running one gets ads that can run. Throws CREATIVE_NOT_FOUND, CREATIVE_REJECTED, UNSUPPORTED_FEATURE or PROVENANCE_….
 */
export async function requireCreatives(
  context: UpdateContext,
  request: Pick<OrderChange, 'packages'>,
  buy: MediaBuy,
  products: ReadonlyMap<string, Product>,
): Promise<void> {
  const { db, principal, account } = context
  for (const [index, update] of (request.packages ?? []).entries()) {
    // Each package may take a hundred look-ups.
    if (index > 0) await yieldToEventLoop()
    const pkg = buy.packages.find(({ packageId }) => packageId === update.package_id)
    const policy = policyOf(products.get(pkg?.productId ?? ''))
    for (const [position, { creative_id: id }] of (update.creative_assignments ?? []).entries()) {
      if (update.creatives?.some((creative) => creative.creative_id === id)) continue
      const field = `packages[${index}].creative_assignments[${position}].creative_id`
      const creative = await findCreative(db, accountScopeOf(principal, account), id)
      if (!creative) throw await notInLibrary(context, id, field)
      const fault = await faultOf(context, { creative, pkg, policy, field })
      if (fault) throw fault
    }
  }
}

/** The refusal of a creative that is not there, with those that may have been meant. */
async function notInLibrary({ db, principal, account, now }: UpdateContext, id: string, field: string): Promise<AdcpError> {
  const query = { accountIds: account ? [account.accountId] : undefined, now }
  const { listed } = await listCreatives(db, principal, query, NEWEST_FIRST, { after: undefined, limit: MOST_SEARCHED })
  const own = listed.map(({ creative }) => creative.creativeId)
  const elsewhere = 'list_creatives lists it, sync_creatives adds to it'
  const hint = insteadOfOwn(id, own, { label: 'the newest', elsewhere })
  return new AdcpError('CREATIVE_NOT_FOUND', `${field} ${quoted(id)} is not in your library${hint}`, { field })
}

const NEWEST_FIRST = { field: 'created_date', direction: 'desc' } as const

/** Of a library, how many creatives are compared with an id that is not in it. */
const MOST_SEARCHED = 200

/** What keeps a creative of the library off a package; undefined when nothing does. `field` names the creative in the request. */
async function faultOf(
  context: PackageContext,
  {
    creative,
    pkg,
    policy,
    field,
  }: {
    readonly creative: Creative
    readonly pkg: Package | undefined
    readonly policy: ProvenancePolicy | undefined
    readonly field: string
  },
): Promise<AdcpError | undefined> {
  const unfit = pkg && (await creativeRefusal(context, pkg, creative.content))
  if (unfit) return new AdcpError('UNSUPPORTED_FEATURE', `${field}: ${unfit.reason}`, { field })
  return assignmentFault(creative, field) ?? libraryProvenanceFault(creative.content, policy, field)
}

/**
 * Checks creatives of the library that a new order names: its packages take their formats, none of them was rejected, and all have the provenance that its products ask
 * for. Ids that the library does not have are left alone: an order may be ahead of its creatives, and they are checked when they come. Throws UNSUPPORTED_FEATURE,
 * CREATIVE_REJECTED or PROVENANCE_….
 */
export async function requireAssignable(
  context: PackageContext,
  { packages }: PlacedOrder,
  buy: MediaBuy,
  products: ReadonlyMap<string, Product>,
): Promise<void> {
  const { db, principal, account } = context
  for (const [index, pkg] of buy.packages.entries()) {
    if (index > 0) await yieldToEventLoop()
    const policy = policyOf(products.get(pkg.productId))
    const { creative_assignments: assignments = [], creatives: sent = [] } = packages?.[index] ?? {}
    for (const [position, { creative_id: id }] of assignments.entries()) {
      if (sent.some(({ creative_id }) => creative_id === id)) continue
      const creative = await findCreative(db, accountScopeOf(principal, account), id)
      const field = `packages[${index}].creative_assignments[${position}].creative_id`
      // Where the accounts count as one, an id may be that of a creative of another story, in another format.
      const taker = principal.conformance ? undefined : pkg
      const fault = creative && (await faultOf(context, { creative, pkg: taker, policy, field }))
      if (fault) throw fault
    }
  }
}
