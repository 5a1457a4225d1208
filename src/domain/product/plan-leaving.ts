import type { ShareChange } from './ask-changes.ts'
import { limitRefusals, noneMeets, type Wish } from './ask-wishes.ts'
import { withoutIds } from './brief-channels.ts'
import { wordsOf } from './brief-terms.ts'
import type { Share } from './draft-id.ts'
import { onSaleThere, type PlanContext } from './joining-products.ts'
import { takesOf } from './overlay-support.ts'
import { type Draft, done, fail, isAbout, nameOf, refit } from './plan-draft.ts'
import type { ProductsById } from './product-list.ts'

/** Takes out of a plan what a change names. */
export function drop(plan: Draft, change: Extract<ShareChange, { kind: 'drop' }>, { products }: PlanContext): Draft {
  const { shares } = plan
  const isMeant = (share: Share) =>
    (change.channels.length + change.terms.length + change.ids.length > 0 && isAbout(products.get(share.productId), change)) ||
    isNamed(share, change.text, products)
  // A product that is named by its id is meant alone, whatever the words in that id.
  const named = shares.filter(({ productId }) => hasId(change.text, productId))
  const dropped = named.length > 0 && change.channels.length === 0 ? named : shares.filter(isMeant)
  const isGone = plan.before.some(isMeant) || (change.channels.length > 0 && change.terms.length + change.ids.length === 0)
  // What another part of the ask dropped, and a channel that the plan does not have, is out of it as asked.
  if (dropped.length === 0 && isGone) return done(plan, shares, () => `all of the plan: without ${nameOf(change)}`)
  if (dropped.length === 0) return fail(plan, `nothing in the plan matches what should be dropped: "${change.text}"`)
  if (dropped.length === shares.length) return fail(plan, `dropping ${nameOf(change)} would leave no product in the plan`)
  const kept = refit(
    plan,
    shares.filter((share) => !dropped.includes(share)),
  )
  return done(plan, kept, () => droppedWords(dropped))
}

function droppedWords(dropped: readonly Share[]): string {
  return `dropped ${dropped.map(({ productId }) => productId).join(', ')}`
}

/** The wishes that are carried out: what is to be replaced by countries in which nothing of the plan runs stays. */
export function carriedOut(wishes: readonly Wish[], shares: readonly Share[], { products }: PlanContext): readonly Wish[] {
  const isThere = (countries: readonly string[]) =>
    shares.some(({ productId }) => {
      const own = products.get(productId)?.selling.coverage.countries
      return own === undefined || countries.every((country) => own.includes(country))
    })
  return wishes.filter(({ instead }) => instead === undefined || isThere(instead))
}

/** A condition holds for every product of a plan: those that do not meet it leave, while others remain. */
export function applyWish(plan: Draft, wish: Wish, context: PlanContext): Draft {
  const { label, satisfies } = wish
  const { products, keepsOf } = context
  const takes = takesOf(keepsOf)
  const meets = ({ productId }: Share) => {
    const product = products.get(productId)
    return product !== undefined && satisfies(product, takes)
  }
  const kept = plan.shares.filter(meets)
  const meant = plan.shares.filter(({ productId }) => isAbout(products.get(productId), wish.of))
  // A condition that nothing of its part meets takes the part out only where it says so.
  const isOut = wish.of !== undefined && !wish.not && !wish.negated && meant.length > 0 && !meant.some(meets)
  if (kept.length === 0 || isOut) return fail(plan, `${noneMeets(wish, 'of the plan')}${onSaleThere(plan, wish, context)}`)
  const left = plan.shares.filter((share) => !meets(share))
  // What the plan has nothing of has no condition either; where it is to run chooses what joins.
  if (wish.of && meant.length === 0 && !wish.not && !wish.negated && !wish.without)
    return wish.countries ? plan : fail(plan, `no product of the plan is ${nameOf(wish.of)}`)
  if (left.length > 0) return done(plan, refit(plan, kept), () => `${label}: ${droppedWords(left)}`)
  const planned = plan.shares.flatMap(({ productId }) => products.get(productId) ?? [])
  // What targeting of packages would have to do is not done.
  const isOpen = wish.of !== undefined && limitRefusals([wish], planned, takes).length > 0
  return isOpen ? plan : done(plan, kept, () => `all of the plan: ${label}`)
}

/** Whether a clause has an id, and not as a part of another one. */
function hasId(text: string, productId: string): boolean {
  return text.split(/[\s,;:!?()"'’]+/).some((word) => word === productId || word === `${productId}.`)
}

/** Whether a clause names a product by its id, or by all words of its name. */
function isNamed({ productId }: Share, text: string, products: ProductsById): boolean {
  const words = new Set(wordsOf(withoutIds(text)))
  const name = wordsOf(products.get(productId)?.offer.name ?? '')
  return hasId(text, productId) || (name.length > 0 && name.every((word) => words.has(word)))
}
