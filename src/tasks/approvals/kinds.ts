import { grantApproved } from '../brand/grant-approved.ts'
import { bookApproved } from '../media-buy/book-approved.ts'
import { changeApproved } from '../media-buy/change-approved.ts'
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
