import { accountScopeOf } from '../../domain/account/account.ts'
import { libraryProvenanceFault, type ProvenancePolicy } from '../../domain/creative/check-provenance.ts'
import type { Creative } from '../../domain/creative/creative.ts'
import { assignmentFault } from '../../domain/creative/lifecycle.ts'
import type { ActingPrincipal } from '../../domain/identity/principal.ts'
import type { CreativeFacts, MediaBuy, Package } from '../../domain/media-buy/media-buy.ts'
import type { OrderChange } from '../../domain/media-buy/order-request.ts'
import type { Product } from '../../domain/product/product.ts'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { quoted } from '../../protocol/nearest-name.ts'
import { assignmentsOf } from '../../store/creative/creative-assignments.ts'
import { findCreative } from '../../store/creative/creatives.ts'
import type { Db } from '../../store/database.ts'
import { creativeRefusal, type PackageContext } from '../creative/creative-refusal.ts'
import { policyOf } from '../creative/provenance-policies.ts'
import type { PlacedOrder } from './placed-order.ts'

/** What the creative library says of the creatives of media buys, by package id. */
export function creativeFactsOf(db: Db, agent: ActingPrincipal, buys: readonly MediaBuy[]): Promise<CreativeFacts> {
  return assignmentsOf(
    db,
    agent,
    buys.flatMap((buy) => buy.packages.map((pkg) => pkg.packageId)),
  )
}

/** The same of a media buy that was recorded just now: it has the assignments that it came with, and no others. */
export async function creativesOfNew(
  tx: Db,
  agent: ActingPrincipal,
  { buy, assignments }: { readonly buy: MediaBuy; readonly assignments: readonly unknown[] },
): Promise<CreativeFacts> {
  return assignments.length === 0 ? new Map() : creativeFactsOf(tx, agent, [buy])
}

/**
 * Checks the creatives that an update assigns: in the library (or uploaded with the update), and of a format that the package takes. A new order
 * may be ahead of its creatives; a running one gets ads that can run. Throws CREATIVE_NOT_FOUND, CREATIVE_REJECTED, UNSUPPORTED_FEATURE or PROVENANCE_….
 */
export async function requireCreatives(
  context: PackageContext,
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
      if (!creative)
        throw new AdcpError(
          'CREATIVE_NOT_FOUND',
          `${field} ${quoted(id)} is not in your library; list_creatives lists it, sync_creatives adds to it`,
          { field },
        )
      const fault = await faultOf(context, { creative, pkg, policy, field })
      if (fault) throw fault
    }
  }
}

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
