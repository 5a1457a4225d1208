import type { UpdateMediaBuyRequest } from '@adcp/sdk/types'
import { AdcpError } from '../../errors.ts'
import type { Approval } from '../../store/approvals.ts'
import type { CarriedOut, CarryOutContext } from '../approvals/carry-out.ts'
import { changeOrder, planUpdate, presentChange, recordUpdate, restoreOrder } from './plan-update.ts'

/** What an approval of an update keeps: the request, which is planned anew against the buy as it is then. */
export interface UpdateDocument {
  readonly request: UpdateMediaBuyRequest
}

/**
 * Carries out an approved update on the media buy as it is now. Throws what update_media_buy throws: CONFLICT when the request named a revision that
 * has passed, INVALID_STATE when the buy is over, PRODUCT_UNAVAILABLE, and the codes of dates and budgets.
 */
export async function changeApproved({ document }: Approval, context: CarryOutContext): Promise<CarriedOut> {
  const { request }: UpdateDocument = JSON.parse(document)
  const planned = await changeOrder(context, context.anchor, await planUpdate(request, context).catch(asFinal))
  return {
    async write(tx) {
      await recordUpdate(tx, context, planned)
      return presentChange(tx, context, planned)
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
