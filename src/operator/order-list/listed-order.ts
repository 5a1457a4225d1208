import { LIVE_STATUSES } from '../../domain/media-buy/lifecycle.ts'
import { orderOrigin, ROW } from '../orders/order-shapes.ts'
import { about, boolean, named, number, type Of, object, orNull, string } from '../shape.ts'

/** An order of any origin in a list. Money in units of `currency`. */
export const listedOrder = named(
  'ListedOrder',
  object({
    origin: orderOrigin,
    ...ROW,
    buyer: about('id of the buyer; null: it has none', orNull(string)),
    buyer_name: orNull(string),
    account: about('whom it is billed to: an account of a buyer, an advertiser or an agency; empty: nobody', string),
    budget: about('null: not limited', orNull(number)),
    changeable: about(
      'whether `orders.change-several` pauses and resumes it: it is not over, and no other ad server keeps it',
      boolean,
    ),
  }),
)
export type ListedOrder = Of<typeof listedOrder>

/** An order as it is read for the list. */
export type ReadOrder = Omit<ListedOrder, 'changeable'>

/** The order as the list shows it. */
export function presentListed(order: ReadOrder): ListedOrder {
  return { ...order, changeable: order.origin !== 'adopted' && LIVE_STATUSES.includes(order.status) }
}
