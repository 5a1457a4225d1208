import { atMost, required, text } from './fields.ts'
import { about, string } from './shape.ts'
import { inForm, type TextForm } from './text-form.ts'

/** Ids of buyers are part of paths, of lists and of command lines. The audit log writes who acts as `operator` when it is no buyer. */
const ID: TextForm = {
  pattern: '^(?!operator$)[A-Za-z0-9][A-Za-z0-9._@\\-]*$',
  words: 'letters without accents, digits and . _ @ -, beginning with a letter or a digit, and not "operator"',
}

/** A buyer that is there, by its id. */
export const buyerId = (about: string) => atMost(128, text(about))

/** The field that names a buyer. */
export const BUYER = required(buyerId('id of the buyer'))

/** The field for the id of a buyer that may be new. */
export const NEW_BUYER = required(inForm(ID, buyerId('id of the buyer')))

/** The field of a list that is about one buyer. */
export const OF_BUYER = buyerId('of one buyer')

/** Members of an answer that name a buyer by its id. `principal` is what `buyer` was called before: scripts read it. */
export const NAMED_BUYER = { buyer: about('id of the buyer', string), principal: about('the earlier name of buyer', string) }

/** What {@link NAMED_BUYER} describes. */
export function namedBuyer<B extends string | null>(buyer: B): { readonly buyer: B; readonly principal: B } {
  return { buyer, principal: buyer }
}
