import { instead, type NameSearch, quoted } from '../../protocol/nearest-name.ts'
import { withoutMarks } from '../normal-text.ts'
import type { Product } from './product.ts'

/** The end of a sentence that refuses the id of a product: the id of the one that has this name, or that is near. */
export function insteadOfProduct(sent: string, offered: () => readonly Product[], names?: NameSearch): string {
  const wanted = withoutMarks(sent)
  const named = offered().find(({ offer }) => withoutMarks(offer.name) === wanted)
  return named
    ? `: this is the name of ${quoted(named.id)}, send that`
    : instead(sent, () => offered().map(({ id }) => id), 'get_products lists what is offered', names)
}
