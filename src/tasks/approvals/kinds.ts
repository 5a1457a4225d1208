import type { Approval } from '../../store/approval/approvals.ts'
import type { Db } from '../../store/database.ts'
import { grantApproved } from '../brand/grant-approved.ts'
import { bookApproved } from '../media-buy/book-approved.ts'
import { changeApproved } from '../media-buy/change-approved.ts'
import { giveBackHeld } from '../media-buy/give-back-held.ts'
import type { CarryOut } from './carry-out.ts'

/** How each kind of approved work is carried out, by its task. A task that is not listed cannot be submitted for approval. */
export const CARRY_OUT: Readonly<Record<string, CarryOut>> = {
  accept_proposal: bookApproved,
  acquire_rights: grantApproved,
  buy_products: bookApproved,
  control_media_buy: changeApproved,
  create_media_buy: bookApproved,
  update_media_buy: changeApproved,
}

/** What is free again when work of a kind is not carried out: refused, withdrawn, not decided in time or no longer possible. */
export const GIVE_BACK: Readonly<Record<string, (tx: Db, approval: Approval) => Promise<void>>> = {
  accept_proposal: giveBackHeld,
  create_media_buy: giveBackHeld,
}
