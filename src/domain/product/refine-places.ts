import { limitRefusals, onlyCountries, type Wish } from './ask-wishes.ts'
import { keepsOut } from './hard-targeting.ts'
import { limitOf, unlimitable } from './limited-plan.ts'
import { type KeepsTargeting, takesOf } from './overlay-support.ts'
import { isAbout } from './plan-draft.ts'
import type { Product } from './product.ts'
import type { Proposal } from './proposal.ts'

/** How an ask changes the countries of a plan. */
export interface PlanPlaces {
  /** Countries (ISO 3166-1 alpha-2) that the packages are limited to now; absent: unchanged. */
  readonly only?: readonly string[]
  /** Countries that they exclude now; absent: unchanged. */
  readonly not?: readonly string[]
  /** What was applied, and what was not, in words for the buyer. */
  readonly done: readonly string[]
  readonly failed: readonly string[]
}

/** Whether a wish is about countries. */
export function isOfPlaces({ countries, not }: Wish): boolean {
  return countries !== undefined || not !== undefined
}

/** Applies the countries that an ask wants or excludes to a plan, if the packages of all its products can be targeted so. */
export function placesOfPlan(
  wishes: readonly Wish[],
  planned: readonly Product[],
  keepsOf: KeepsTargeting = () => undefined,
): PlanPlaces {
  // What is wanted of a part alone is no targeting of the whole plan, unless it is all of it.
  const ofAll = wishes.map((wish) =>
    wish.of && planned.every((product) => isAbout(product, wish.of)) ? { ...wish, of: undefined } : wish,
  )
  const only = onlyCountries(ofAll)
  const not = [...new Set(ofAll.flatMap((wish) => (wish.of ? [] : (wish.not ?? []))))]
  const isLimited = only !== undefined && unlimitable(planned, only, keepsOf).length === 0
  const isKeptOut = not.length > 0 && planned.every((product) => keepsOut(product, not, keepsOf))
  const kept = (wish: Wish) => !wish.of && ((wish.only !== undefined && isLimited) || (wish.not !== undefined && isKeptOut))
  return {
    ...(isLimited && { only }),
    ...(isKeptOut && { not }),
    done: [
      ...(isLimited ? [`delivery in ${only.join(', ')} alone: packages of its order are limited to it`] : []),
      ...(isKeptOut ? [`no delivery in ${not.join(', ')}: packages of its order are kept out of it`] : []),
    ],
    failed: limitRefusals(
      ofAll.filter((wish) => !kept(wish)),
      planned,
      takesOf(keepsOf),
    ),
  }
}

/** Says which countries an ask wants beyond those that the plan is limited to. */
export function limitFaults(wishes: readonly Pick<Wish, 'countries' | 'only'>[], current: Proposal): string[] {
  const limit = limitOf(current)
  const asked = wishes.flatMap(({ countries = [], only }) => (only ? [] : countries))
  const outside = asked.filter((country) => !limit.includes(country))
  if (limit.length === 0 || outside.length === 0) return []
  return [
    `delivery in ${outside.join(', ')}: the plan is limited to ${limit.join(', ')}; name all of its places: "only ${[...limit, ...outside].join(', ')}"`,
  ]
}
