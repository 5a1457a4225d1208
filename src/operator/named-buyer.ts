import { required, text } from './fields.ts'
import { about, string } from './shape.ts'

/** The field that names a buyer. */
export const BUYER = required(text('id of the buyer'))

/** The field of a list that is about one buyer. */
export const OF_BUYER = text('of one buyer')

/** Members of an answer that name a buyer by its id. `principal` is what `buyer` was called before: scripts read it. */
export const NAMED_BUYER = { buyer: about('id of the buyer', string), principal: about('the earlier name of buyer', string) }

/** What {@link NAMED_BUYER} describes. */
export function namedBuyer<B extends string | null>(buyer: B): { readonly buyer: B; readonly principal: B } {
  return { buyer, principal: buyer }
}
