import type { CreateMediaBuyRequest, UpdateMediaBuyRequest } from '@adcp/sdk/types'
import { type Account, accountScopeOf } from '../../domain/account/account.ts'
import { libraryProvenanceFault } from '../../domain/creative/check-provenance.ts'
import { assignmentFault } from '../../domain/creative/lifecycle.ts'
import { takesFormat } from '../../domain/creative/resolve-format.ts'
import type { ActingPrincipal } from '../../domain/identity/principal.ts'
import type { CreativeFacts, MediaBuy } from '../../domain/media-buy/media-buy.ts'
import type { Product } from '../../domain/product/product.ts'
import { yieldToEventLoop } from '../../platform/yield-to-event-loop.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { quoted } from '../../protocol/nearest-name.ts'
import { assignmentsOf } from '../../store/creative/creative-assignments.ts'
import { findCreative } from '../../store/creative/creatives.ts'
import type { Db } from '../../store/database.ts'
import { policyOf } from '../creative/provenance-policies.ts'

/** Whose creative library is looked at, and who owns its formats. */
interface LibraryContext {
  readonly db: Db
  readonly principal: ActingPrincipal
  readonly account: Account | undefined
  readonly services: { readonly wiring: { readonly agentUrl: string } }
}

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
 * may be ahead of its creatives; a running one gets ads that can run. Throws CREATIVE_NOT_FOUND, CREATIVE_REJECTED, VALIDATION_ERROR or PROVENANCE_….
 */
export async function requireCreatives(
  context: LibraryContext,
  request: UpdateMediaBuyRequest,
  buy: MediaBuy,
  products: ReadonlyMap<string, Product>,
): Promise<void> {
  const { db, principal, account, services } = context
  for (const [index, update] of (request.packages ?? []).entries()) {
    // Each package may take a hundred look-ups.
    if (index > 0) await yieldToEventLoop()
    const pkg = buy.packages.find(({ packageId }) => packageId === update.package_id)
    const formats = pkg?.formatIds ?? []
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
      const rules = { agentUrl: services.wiring.agentUrl, conformance: principal.conformance === true }
      if (!takesFormat(formats, creative.content.formatId, rules))
        throw new AdcpError('VALIDATION_ERROR', `${field} has a format that the package does not take`, { field })
      const fault = assignmentFault(creative, field) ?? libraryProvenanceFault(creative.content, policy, field)
      if (fault) throw fault
    }
  }
}

/**
 * Checks creatives of the library that a new order names: none of them was rejected, and all have the provenance that its products ask for. Ids that the
 * library does not have are left alone: an order may be ahead of its creatives, and they are checked when they come. Throws CREATIVE_REJECTED or PROVENANCE_….
 */
export async function requireAssignable(
  { db, principal, account }: LibraryContext,
  { packages }: CreateMediaBuyRequest,
  buy: MediaBuy,
  products: ReadonlyMap<string, Product>,
): Promise<void> {
  for (const [index, { productId }] of buy.packages.entries()) {
    if (index > 0) await yieldToEventLoop()
    const policy = policyOf(products.get(productId))
    const { creative_assignments: assignments = [], creatives: sent = [] } = packages?.[index] ?? {}
    for (const [position, { creative_id: id }] of assignments.entries()) {
      if (sent.some(({ creative_id }) => creative_id === id)) continue
      const creative = await findCreative(db, accountScopeOf(principal, account), id)
      const field = `packages[${index}].creative_assignments[${position}].creative_id`
      const fault = creative && (assignmentFault(creative, field) ?? libraryProvenanceFault(creative.content, policy, field))
      if (fault) throw fault
    }
  }
}
