import { orderOrigin, ROW } from '../orders/order-shapes.ts'
import { about, named, number, type Of, object, orNull, string } from '../shape.ts'

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
  }),
)
export type ListedOrder = Of<typeof listedOrder>
