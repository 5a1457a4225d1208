import { instead, type NameSearch, quoted } from '../../protocol/nearest-name.ts'
import { withoutMarks } from '../normal-text.ts'
import type { Product } from './product.ts'

/** A name is normalised, which costs as much as a few comparisons of ids. */
const STEPS_FOR_NAME = 5

/** The end of a sentence that refuses the id of a product: the id of the one that has this name, or that is near. */
export function insteadOfProduct(sent: string, offered: () => readonly Product[], names?: NameSearch): string {
  const all = offered()
  const wanted = withoutMarks(sent)
  const isLooked = names?.isWithin(all.length * STEPS_FOR_NAME) ?? true
  const named = isLooked ? all.find(({ offer }) => withoutMarks(offer.name) === wanted) : undefined
  return named
    ? `: this is the name of ${quoted(named.id)}, send that`
    : instead(sent, () => all.map(({ id }) => id), 'get_products lists what is offered', names)
}
