import type { PrincipalRef } from '../../domain/identity/principal.ts'
import type { MediaBuy } from '../../domain/media-buy/media-buy.ts'
import type { Negotiated } from '../../domain/proposal/negotiated.ts'
import { endedError } from '../../domain/proposal/require-open.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import type { Db } from '../../store/database.ts'
import { type Hold, holdsOf, insertHolds, releaseHoldings, takeHolds } from '../../store/media-buy/inventory-holds.ts'
import { endProposal, findProposal } from '../../store/product/proposals.ts'
import { capFault } from './hold-limits.ts'
import type { OrderContext } from './orders.ts'
import { type Capacities, type PoolNow, tryReserve } from './reservations.ts'

type Context = Pick<InTransaction<AuthenticatedContext>, 'tx' | 'principal' | 'tenant' | 'now'>

/** What a finalized proposal is to hold, until when (ISO 8601 UTC). */
export interface WantedHold {
  readonly proposalId: string
  readonly negotiated: Pick<Negotiated, 'holdings' | 'simulated' | 'terms' | 'prices'>
  readonly expiresAt: string
}

/** The inventory that a proposal holds of: nothing real for sandbox agents and accounts. */
export function poolOfTerms(
  { principal, now }: Pick<OrderContext, 'principal' | 'now'>,
  { simulated }: Pick<Negotiated, 'simulated'>,
): PoolNow {
  const { tenantId, principalId } = principal
  return { tenantId, pool: simulated || principal.sandbox ? principalId : '', now }
}

/** What the proposal of a media buy holds now; nothing where it has none. */
export function heldFor(
  db: Db,
  { principal }: { readonly principal: PrincipalRef },
  { proposalId }: Pick<MediaBuy, 'proposalId'>,
): Promise<readonly Hold[]> {
  return proposalId === undefined ? Promise.resolve([]) : holdsOf(db, principal, proposalId)
}

/** Holds inventory for a proposal that is kept. Gives why that cannot be, and holds nothing then; the transaction goes on. */
export async function holdFor(context: Context, wanted: WantedHold, products: Capacities): Promise<string | undefined> {
  const { holdings } = wanted.negotiated
  if (holdings.length === 0) return undefined
  const pool = poolOfTerms(context, wanted.negotiated)
  const fault = (await capFault(context, wanted, pool, products)) ?? (await tryReserve(context.tx, pool, holdings, products))
  if (fault !== undefined) return fault
  await insertHolds(context.tx, context.principal, wanted.proposalId, { pool: pool.pool, holdings, expiresAt: wanted.expiresAt })
  return undefined
}

/** Gives back what a proposal holds, if it still does. */
export async function releaseHold(
  { tx, principal }: { readonly tx: Db; readonly principal: PrincipalRef },
  proposalId: string,
): Promise<void> {
  const held = await takeHolds(tx, principal, proposalId)
  const [first] = held
  if (first) await releaseHoldings(tx, { tenantId: principal.tenantId, pool: first.pool }, held)
}

/** Makes a media buy the one that its proposal becomes: a committed proposal is bought once. Throws INVALID_STATE when it was accepted or declined in the meantime. */
export async function acceptOnce(
  { tx, principal, now }: Pick<Context, 'tx' | 'principal' | 'now'>,
  { proposalId, mediaBuyId }: MediaBuy,
): Promise<void> {
  if (proposalId === undefined) return
  const ending = { outcome: 'accepted', at: now.toISOString(), mediaBuyId } as const
  if (await endProposal(tx, principal, proposalId, ending)) return
  const stored = await findProposal(tx, principal, proposalId)
  if (stored?.ending) throw endedError('proposal_id', stored.ending, stored.negotiated === undefined)
}
