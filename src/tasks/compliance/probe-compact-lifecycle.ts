import { noTransition } from '../../domain/compliance/outcome.ts'
import { oneOf, requiredText } from '../../domain/compliance/params.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { findProposal, lapseProposal } from '../../store/product/proposals.ts'
import { releaseHold } from '../media-buy/held-proposals.ts'
import type { Scenario } from './scenario.ts'
import { productFor } from './seed-products.ts'

const SECOND_MS = 1000

/**
 * `compact_direct_buy_lifecycle_probe` (AdCP 3.2), operation `prepare`: offers of a sandbox agent are listed, bought and controlled at once, so a product that
 * is there is prepared. Throws PRODUCT_NOT_FOUND.
 */
export const probeDirectBuy: Scenario = async (params, context) => {
  oneOf(params.operation, ['prepare'], 'operation')
  return prepared(requiredText(params, 'product_id'), context)
}

/** `compact_product_lifecycle_probe` (AdCP 3.2): `prepare`, as {@link probeDirectBuy}, and `expire_proposal`. */
export const probeProposals: Scenario = async (params, context) => {
  const operation = oneOf(params.operation, ['prepare', 'expire_proposal'], 'operation')
  if (operation === 'prepare') return prepared(requiredText(params, 'product_id'), context)
  return expired(requiredText(params, 'proposal_id'), context)
}

async function prepared(productId: string, context: Parameters<Scenario>[1]): Promise<object> {
  const { product_id } = await productFor(context, productId)
  return { success: true, simulated: { prepared: true, product_id } }
}

/**
 * Lets the deadline of a committed proposal pass: it is as if the call came a second after it. What the proposal held is free again. `target_time` is that
 * second. Throws REFERENCE_NOT_FOUND, and INVALID_STATE for a draft and for one that was accepted or declined.
 */
async function expired(proposalId: string, context: Parameters<Scenario>[1]): Promise<object> {
  const { tx, principal, now } = context
  const stored = await findProposal(tx, principal, proposalId)
  if (!stored) throw new AdcpError('REFERENCE_NOT_FOUND', 'there is no such proposal', { field: 'params.proposal_id' })
  const { proposal, ending } = stored
  const state = ending?.outcome ?? proposal.proposal_status ?? 'committed'
  if (state !== 'committed' || proposal.expires_at === undefined) throw noTransition(state, 'expired')
  const deadline = Date.parse(proposal.expires_at)
  await lapseProposal(tx, principal, stored, new Date(Math.min(deadline, now.getTime() - SECOND_MS)))
  await releaseHold(context, proposalId)
  const target_time = new Date(deadline + SECOND_MS).toISOString()
  return { success: true, simulated: { expiry_processed: true, proposal_id: proposalId, target_time } }
}
