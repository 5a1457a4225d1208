import type { Ask } from './ask.ts'
import { partRefusals } from './ask-of-parts.ts'
import type { Subject } from './ask-subject.ts'
import { limitRefusals, noneMeets, type Wish } from './ask-wishes.ts'
import { UNCAPPED } from './asked-cap.ts'
import { readBrief } from './brief.ts'
import { synonymsOf } from './brief-synonyms.ts'
import { unclearDates } from './figure-dates.ts'
import { orderTermRefusal } from './order-terms.ts'
import type { TakesTargeting } from './overlay-support.ts'
import { placeSharesRefusal } from './place-shares.ts'
import { asFound, isAbout, nameOf } from './plan-draft.ts'
import type { Product } from './product.ts'
import type { ProductIndex } from './product-index.ts'
import { type Verdict, verdictOf } from './refine-verdict.ts'

interface Selecting {
  readonly reserve: () => readonly Product[]
  /** Conditions of earlier asks; those that are met here are added. */
  readonly met: Wish[]
  /** How many more conditions and changes of the request are carried out. */
  readonly left: { wishes: number }
  readonly ask: Ask
  readonly index: ProductIndex
  /** What orders of products may name of targeting. */
  readonly takes: TakesTargeting
  /** Whether the selection is of proposals, which keep their products. */
  readonly fixed: boolean
  /** Whether it is what the words of the asks found among all products, with no brief and none named. */
  readonly isOpen?: boolean
}

/** Conditions and changes of all asks of request scope that are carried out: a later one may look at every product and every earlier one. */
export const MOST_WISHES = 50
const TOO_MANY = `one request carries out no more than ${MOST_WISHES} conditions and changes`

/** Conditions are held against the selection first; one that nothing in it fulfils, with those `met` before, against the reserve. */
export function applyToSelection(
  selection: readonly Product[],
  { reserve, met, left, ask, index, takes, fixed, isOpen = false }: Selecting,
): { products: readonly Product[]; verdict: Verdict } {
  const done: string[] = []
  const failed: string[] = []
  let products = selection
  for (const wish of ask.wishes) {
    if (--left.wishes < 0) {
      failed.push(`${wish.label}: ${TOO_MANY}`)
      continue
    }
    const own = products.filter((product) => wish.satisfies(product, takes))
    if (fixed && own.length < products.length) {
      const without = products.filter((product) => !wish.satisfies(product, takes)).map(({ id }) => id)
      failed.push(`${wish.label}: not so for ${without.join(', ')}; ask this of the proposal to drop them`)
      continue
    }
    const kept =
      own.length > 0 ? own : reserve().filter((product) => [wish, ...met].every(({ satisfies }) => satisfies(product, takes)))
    if (kept.length > 0) {
      products = kept
      met.push(wish)
      done.push(wish.label)
    } else failed.push(noneMeets(wish, 'here'))
  }
  // What is to be less joins the selection where that has none of it, and comes after the rest.
  const isLess = ({ kind }: { readonly kind: string }) => (kind === 'less' ? 0 : 1)
  for (const change of isOpen ? ask.changes.toSorted((a, b) => isLess(a) - isLess(b)) : ask.changes) {
    if (change.kind === 'keep') continue
    if (--left.wishes < 0) failed.push(`${'text' in change ? `"${change.text}"` : 'a change'}: ${TOO_MANY}`)
    else if (change.kind === 'scale') failed.push('a change of the total budget is asked of a proposal')
    else if (change.kind === 'drop') continueDrop(change)
    else if ((change.kind === 'more' || change.kind === 'less') && change.points === undefined)
      prefer(change, change.kind === 'less' ? -1 : 1)
    else failed.push(`"${change.text}": a change of shares is asked of the proposal, by its id`)
  }
  for (const { text } of ask.prices) failed.push(`"${text}": a lower price is asked of a product or a proposal, by its id`)
  failed.push(...placeSharesRefusal(ask.placeShares), ...unclearDates(ask.unclearDates))
  if (ask.uncapped && fixed) failed.push('no frequency cap: this is asked of a proposal, by its id')
  else if (ask.uncapped) done.push(UNCAPPED)
  for (const text of ask.unread) {
    const known = readBrief(text).terms.some((term) => [term, ...synonymsOf(term)].some((word) => index.postings.has(word)))
    if (known && !fixed) done.push(`ranked by "${text}"`)
    else failed.push(`"${text}" names nothing that can be applied`)
  }
  failed.push(...limitRefusals(ask.wishes, products, takes), ...partRefusals(ask, products, takes))
  failed.push(...ask.ordered.map((term) => orderTermRefusal(term, products, takes)))
  if (ask.budget && fixed) failed.push('a budget is asked of a proposal, by its id')
  else if (ask.budget && ask.budget.currencies?.length !== 1)
    failed.push(`a budget of ${ask.budget.amount} names no currency: write it beside the amount`)
  else if (ask.budget && (ask.budget.of || ask.budget.change))
    failed.push(`"${ask.budget.text}": this is asked of a proposal, by its id`)
  else if (ask.budget) done.push(`ranked for ${ask.budget.amount} ${ask.budget.currencies?.[0]}`)
  return { products, verdict: verdictOf(done, failed, 'it names no condition') }

  /** What no condition left out yet. */
  function continueDrop(change: Subject): void {
    if (change.channels.length > 0 && change.terms.length === 0) return
    const kept = products.filter((product) => !isAbout(product, change))
    if (kept.length === 0 || kept.length === products.length || fixed) failed.push(`"${change.text}" leaves out nothing here`)
    else {
      products = kept
      done.push(`without ${nameOf(change)}`)
    }
  }

  function prefer(change: Subject, sign: 1 | -1): void {
    const isMeant = (product: Product) => isAbout(product, change) && met.every(({ satisfies }) => satisfies(product, takes))
    if (isOpen && sign < 0 && !products.some(isMeant)) products = [...products, ...reserve().filter(isMeant)]
    const meant = products.filter((product) => isAbout(product, change))
    const rank = (product: Product) => (isAbout(product, change) ? -sign : 0)
    if (fixed) failed.push(`"${change.text}": a change of shares is asked of the proposal, by its id`)
    else if (meant.length === 0) failed.push(`nothing here is ${nameOf(change)}`)
    else if (meant.length === products.length && products.length > 1)
      failed.push(`"${change.text}": all here are ${nameOf(asFound(change, meant))}; a brief or filters.channels brings others`)
    else {
      products = products.toSorted((a, b) => rank(a) - rank(b))
      done.push(`${nameOf(asFound(change, meant))} ${sign > 0 ? 'first' : 'last'}`)
    }
  }
}
