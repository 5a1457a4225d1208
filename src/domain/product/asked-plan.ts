import type { Allowed } from './allowed-products.ts'
import { type Ask, readAsk } from './ask.ts'
import { askExamples } from './ask-examples.ts'
import { budgetAsked, type WhatIsLeft, withinLeft } from './ask-of-budget.ts'
import { partRefusals, partTexts, targetingAsked } from './ask-of-parts.ts'
import type { Subject } from './ask-subject.ts'
import { uncapWords } from './asked-cap.ts'
import { flightOfDays } from './asked-days.ts'
import type { Share } from './draft-id.ts'
import { unclearDates } from './figure-dates.ts'
import { flightOfProposal } from './flight-id.ts'
import { keptOf, targetedTo, targetingOf, targetingWords, withoutCap } from './limited-plan.ts'
import { capTold, withPartsTold } from './missed-cap.ts'
import { type AskedBy, orderTermRefusal } from './order-terms.ts'
import { takesOf } from './overlay-support.ts'
import { placeSharesRefusal } from './place-shares.ts'
import { isAbout } from './plan-draft.ts'
import type { Product } from './product.ts'
import type { OfferedProducts } from './product-list.ts'
import type { NamesIn } from './product-names.ts'
import type { DatedProposal } from './proposal.ts'
import { draftProposal, sharesOf } from './proposals.ts'
import { limitFaults } from './refine-places.ts'
import { refinePlan } from './refine-plan.ts'
import { repricePlan } from './reprice-plan.ts'

/** What an ask of a proposal is carried out with. */
export interface AskContext {
  /** Products that the caller may buy, by id. */
  readonly offered: OfferedProducts
  /** What the filters of the request leave of them. */
  readonly allowed: Allowed
  /** Products that a text names and that may join a plan, best first. */
  readonly search: (text: string) => readonly Product[]
  /** The products that a text names; absent: none is known by its name. */
  readonly names?: NamesIn
  readonly now: Date
  /** What is left of the products of the plan, for which it is made at most; absent: no limit is known. */
  readonly left?: WhatIsLeft
}

/** A proposal after an ask, under the same id; undefined where the ask changes nothing of it. With what was done, and what was not, in words. */
export interface AskedPlan {
  readonly planned: DatedProposal | undefined
  readonly applied: readonly string[]
  readonly refused: readonly string[]
  /** Whether a part of the ask was not understood. */
  readonly isUnread: boolean
}

export const UNASKED: AskedPlan = { planned: undefined, applied: [], refused: [], isUnread: false }

/** Applies the words of an ask of a task to a proposal. */
export function askedPlan(current: DatedProposal, text: string, context: AskContext, by: AskedBy = 'get_products'): AskedPlan {
  const { offered, search, allowed } = context
  const ask = readAsk(text, context.names)
  const guidance = current.total_budget_guidance
  const isAllOf = (subject: Subject) =>
    current.allocations.every(({ product_id }) => isAbout(offered.get(product_id), { ...subject, terms: [] }))
  const budget = withinLeft(budgetAsked(ask, guidance, isAllOf), guidance?.currency, context.left)
  const plan = refinePlan(sharesOf(current.allocations), ask, {
    products: offered,
    allowed: allowed.products,
    search,
    buyer: allowed.buyer,
    keepsOf: allowed.keepsOf,
    days: flightOfProposal(current),
    carried: targetingOf(current),
    ...(guidance?.currency !== undefined && { total: { amount: budget.target, currency: guidance.currency } }),
  })
  const { shares, done, failed, only, not } = repricePlan(plan, ask.prices, { ...context, total: budget.target })
  const planProducts = shares.flatMap(({ productId }) => offered.get(productId) ?? [])
  const takes = takesOf(allowed.keepsOf)
  const wanted = targetingAsked(ask, planProducts)
  const carried = keptOf(wanted, planProducts, allowed.keepsOf)
  const ofParts = partRefusals(ask, planProducts, takes)
  const isCapOfPart =
    ask.carried.frequency_cap === undefined && ask.ofParts.some(({ dimension }) => dimension === 'frequency_cap')
  const ordered = ask.ordered
    .filter((term) => term !== 'frequency cap' || (carried.frequency_cap === undefined && !(isCapOfPart && ofParts.length > 0)))
    .map((term) => orderTermRefusal(term, planProducts, takes, by))
  const { language } = wanted
  if (language && !carried.language)
    ordered.push(`language ${language.join(', ')}: not every product of the plan is targeted by language`)
  const isUncapped = ask.uncapped && carried.frequency_cap === undefined
  const words = [
    ...targetingWords(carried).map((word) => `${word}, in the packages of its order`),
    ...(isUncapped ? [uncapWords(targetingOf(current).frequency_cap)] : []),
  ]
  const isCarried = words.length > 0
  const refused = [
    ...failed,
    ...budget.failed,
    ...ofParts,
    ...ordered,
    ...placeSharesRefusal(ask.placeShares),
    ...unclearDates(ask.unclearDates),
    ...unreadOf(ask, askExamples(planProducts, guidance?.currency)),
    ...limitFaults(
      [...ask.wishes, ...ask.changes.flatMap((change) => (change.kind === 'more' ? { countries: change.countries ?? [] } : []))],
      current,
    ),
  ]
  const isAsked = done.length + budget.done.length > 0 || isCarried
  const first = isAsked ? redrafted(current, shares, budget.target, context) : undefined
  const { recommended = 0, currency } = first?.total_budget_guidance ?? {}
  const isShort = recommended > budget.target
  if (isShort) refused.push(`these shares for ${Math.round(budget.target)} ${currency}: they need ${recommended} ${currency}`)
  // A budget that the shares cannot be bought for is not planned for: they stay within that of the plan, or the plan stays.
  const before = guidance?.recommended ?? 0
  const kept = isShort && (done.length > 0 || isCarried) ? redrafted(current, shares, before, context) : undefined
  const isKept = kept !== undefined && (kept.total_budget_guidance?.recommended ?? 0) <= before
  const shortened = isKept ? kept : undefined
  const planned = isShort ? shortened : first
  const changed = isShort ? done : [...done, ...budget.done]
  const applied = planned === undefined ? [] : [...changed, ...words]
  const places = { ...(only && { geo_countries: only }), ...(not && { geo_countries_exclude: not }) }
  const isMissed = ask.ordered.includes('frequency cap') && !isCapOfPart
  const told = planned && capTold(planned, { isCapped: isUncapped || carried.frequency_cap !== undefined, isMissed })
  const said = told && withPartsTold(told, partTexts(ask, planProducts))
  const limited = said && targetedTo(isUncapped ? withoutCap(said) : said, { ...carried, ...places })
  return { planned: applied.length === 0 ? undefined : limited, applied, refused, isUnread: ask.unread.length > 0 }
}

/** Clauses that name no change, with words that would. */
function unreadOf({ unread }: Ask, examples: string): string[] {
  const [first, ...more] = unread.map((clause) => `"${clause}"`)
  if (first === undefined) return []
  return [
    `${[first, ...more].join(', ')} ${more.length > 0 ? 'name' : 'names'} no change that can be made; ask for example ${examples}`,
  ]
}

/** The proposal over other shares or for another budget, as a draft under the same id, for the days that it has. */
export function redrafted(
  {
    proposal_id: id,
    name,
    description,
    brief_alignment: briefAlignment,
    allocations,
    total_budget_guidance: guidance,
    ext,
  }: DatedProposal,
  shares: readonly Share[],
  target: number,
  { offered, allowed, now }: Pick<AskContext, 'offered' | 'allowed' | 'now'>,
): DatedProposal | undefined {
  const rationales = new Map(
    allocations.flatMap(({ product_id, rationale }) => (rationale === undefined ? [] : [[product_id, rationale]])),
  )
  const frame = {
    id,
    name,
    ...(description !== undefined && { description }),
    ...(briefAlignment !== undefined && { briefAlignment }),
    rationales,
    buyer: allowed.buyer,
    flight: flightOfDays(flightOfProposal({ ...(ext && { ext }) })),
    ...(guidance?.currency !== undefined && { budget: { target, currency: guidance.currency } }),
  }
  const draft = draftProposal(shares, offered, frame, now)
  return draft && { ...draft, ...(ext && { ext }) }
}
