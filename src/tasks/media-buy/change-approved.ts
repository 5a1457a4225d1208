import type { UpdateMediaBuyRequest } from '@adcp/sdk/types'
import { onConditions } from '../../domain/media-buy/approval-conditions.ts'
import type { Package } from '../../domain/media-buy/media-buy.ts'
import { withNotes } from '../../domain/media-buy/order-notes.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Approval } from '../../store/approval/approvals.ts'
import type { CarriedOut, CarryOutContext } from '../approvals/carry-out.ts'
import { changeCommitment, withGovernance } from './governed-order.ts'
import { changeOrder, planUpdate, presentChange, recordUpdate, restoreOrder } from './plan-update.ts'
import { presentControl } from './present-placed.ts'

/** What an approval of an update stores: the request, which is planned anew against the buy as it is then. */
export interface UpdateDocument {
  readonly request: UpdateMediaBuyRequest
  /** The packages as the buyer wants them, for the person who decides; absent in older approvals. */
  readonly planned?: readonly Package[]
}

/**
 * Carries out an approved update on the media buy as it is now. Throws what update_media_buy throws: CONFLICT when the request named a revision that
 * has passed, INVALID_STATE when the buy is over, PRODUCT_UNAVAILABLE, and the codes of dates and budgets.
 */
export async function changeApproved(approval: Approval, context: CarryOutContext): Promise<CarriedOut> {
  const { document, taskType, createdAt, conditions } = approval
  const { request }: UpdateDocument = JSON.parse(document)
  const plan = await planUpdate(request, context).catch(asFinal)
  const wanted = { ...plan, update: { ...plan.update, buy: onConditions(plan.update.buy, conditions) } }
  // The token of the request was used up when it was submitted; what was agreed then is asked about again.
  const { governance_context: _used, ...terms } = Object.fromEntries(Object.entries(request))
  const commitment = changeCommitment(terms, wanted.before, wanted.update.buy)
  const governed = commitment && (await context.services.governance.check(context, commitment))
  const planned = await changeOrder(context, context.anchor, wanted)
  return {
    async write(tx) {
      if (governed && commitment) await context.services.governance.record(tx, context, commitment, governed)
      const { notes } = await recordUpdate(tx, context, planned, createdAt)
      if (taskType === 'control_media_buy') return withNotes(await presentControl(tx, context, planned, governed), notes)
      return withNotes(withGovernance(await presentChange(tx, context, planned), planned.update.buy, governed), notes)
    },
    undo: () => restoreOrder(context, `${context.anchor}:undo`, planned),
  }
}

/** A revision that has passed does not come back: to this request it is no reason to wait. */
function asFinal(error: unknown): never {
  if (error instanceof AdcpError && error.code === 'CONFLICT' && error.field === 'revision')
    throw new AdcpError('CONFLICT', error.message, { field: error.field, recovery: 'correctable' })
  throw error
}
