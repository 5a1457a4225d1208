import type { Approval } from '../../store/approval/approvals.ts'
import type { Db } from '../../store/database.ts'
import { releaseHold } from './held-proposals.ts'
import type { OrderDocument } from './submit-order.ts'

/** Gives back what the proposal of an order holds that will not be booked: the proposal was accepted, and no other order can use it. */
export async function giveBackHeld(tx: Db, approval: Approval): Promise<void> {
  const { buy }: OrderDocument = JSON.parse(approval.document)
  if (buy.proposalId !== undefined) await releaseHold({ tx, principal: approval }, buy.proposalId)
}
