import { withinCaps } from './frequency.ts'
import type { AssignedCreative, Cap, Size } from './line.ts'
import { capsAt, isOpen, type PlaceRules, sizesAt } from './placement.ts'
import { fitKey, type PlaceKind, type PlacePlan, type ReadyLine } from './plan.ts'
import type { Visitor } from './visitor.ts'

/** A place of a page that asks for an ad. */
export interface Slot {
  /** Id of a placement, or of a product that has none. */
  readonly place: string
  readonly kind: PlaceKind
  /** Sizes that it takes, with `display` only. */
  readonly sizes: readonly Size[]
  /** Packages that may serve here, as the page matched them; absent: all. Lines of no package are not restricted. */
  readonly packages?: readonly string[]
}

export interface Choice {
  readonly ready: ReadyLine
  readonly creative: AssignedCreative
}

export interface DecideInput {
  readonly plan: PlacePlan
  readonly slot: Slot
  /** What people set for the place; absent: nothing. */
  readonly rules?: PlaceRules | undefined
  readonly visitor: Visitor
  /** Milliseconds. */
  readonly now: number
  /** From 0 up to 1, for the rotation of creatives. */
  readonly chance: () => number
  /** Times (milliseconds) at which the visitor had an ad of the line; undefined where nobody knows. */
  readonly exposures: (lineId: string) => readonly number[] | undefined
  /**
   * How often the page shows each line already. It shows a line once, but for creatives that are assigned to a placement: a takeover fills all of its places. What has a
   * frequency cap is shown once all the same.
   */
  readonly shown: ReadonlyMap<string, number>
  /** The order that has each label on the page so far. */
  readonly labels: PageLabels
}

/** Orders by the labels of competitors that their lines have on a page: see {@link holderOf}. */
export type PageLabels = ReadonlyMap<string, string>

/**
 * The first line of a plan that may serve, and one of its creatives by weight; none where the place is closed. A line with a frequency cap is served only where the visitor's
 * exposures are known: a cap that cannot be counted would not hold. Takes nothing: see {@link take}.
 */
export function decide({ plan, slot, rules, visitor, now, chance, exposures, shown, labels }: DecideInput): Choice | undefined {
  if (rules && !isOpen(rules, slot, visitor, now)) return undefined
  const keys = keysOf(slot, rules)
  for (const ready of plan) {
    const before = shown.get(ready.line.lineId) ?? 0
    const caps = capsAt(ready.line.terms, rules)
    if (ready.allowance <= before || (before > 0 && caps.length > 0)) continue
    const fitting = fittingOf(ready, keys, slot.place)
    const creatives = before > 0 ? fitting.filter(({ places }) => places !== undefined) : fitting
    if (creatives.length === 0 || !isMatched(slot, ready) || !ready.matches(visitor, now)) continue
    if (!isApart(ready, labels, rules)) continue
    if (caps.length > 0) {
      const seen = exposures(ready.line.lineId)
      if (seen === undefined || !withinCaps(caps, seen, now)) continue
    }
    const creative = byWeight(creatives, chance())
    if (creative) return { ready, creative }
  }
  return undefined
}

/** A line that may serve a slot, as far as what the visitor has had allows it. */
export interface Candidate {
  readonly ready: ReadyLine
  readonly creatives: readonly AssignedCreative[]
  /** How often the page may show the line, this slot included. */
  readonly most: number
  readonly caps: readonly Cap[]
}

/**
 * The lines that {@link decide} tries, in its order, up to the first that needs nothing but a look at the page: one without a frequency cap that no earlier slot may show.
 * `earlier`: lines that earlier slots of the page may show. At most `most` lines.
 */
export function candidatesOf(
  { plan, slot, rules, visitor, now, labels }: Omit<DecideInput, 'chance' | 'exposures' | 'shown'>,
  earlier: ReadonlySet<string>,
  most: number,
): readonly Candidate[] {
  if (rules && !isOpen(rules, slot, visitor, now)) return []
  const keys = keysOf(slot, rules)
  const found: Candidate[] = []
  for (const ready of plan) {
    if (ready.allowance <= 0 || !isMatched(slot, ready)) continue
    const creatives = fittingOf(ready, keys, slot.place)
    if (creatives.length === 0 || !ready.matches(visitor, now) || !isApart(ready, labels, rules)) continue
    const caps = capsAt(ready.line.terms, rules)
    const isRepeated = caps.length === 0 && creatives.some(({ places }) => places !== undefined)
    found.push({ ready, creatives, caps, most: isRepeated ? ready.allowance : 1 })
    if (found.length >= most || (caps.length === 0 && !earlier.has(ready.line.lineId))) break
  }
  return found
}

/** What is shown of a candidate: one of its creatives by weight. `before`: how often the page shows the line already. */
export function choiceOf({ ready, creatives }: Candidate, before: number, chance: () => number): Choice | undefined {
  const own = before > 0 ? creatives.filter(({ places }) => places !== undefined) : creatives
  const creative = byWeight(own, chance())
  return creative && { ready, creative }
}

function isMatched({ packages }: Slot, { line: { terms } }: ReadyLine): boolean {
  return packages === undefined || terms.packageId === undefined || packages.includes(terms.packageId)
}

/** Whether no other order on the page has a label of this line, and the place shows lines with its labels. */
function isApart(ready: ReadyLine, onPage: PageLabels, rules: PlaceRules | undefined): boolean {
  if (onPage.size === 0 && !rules?.labels.size) return true
  const holder = holderOf(ready)
  return ready.labels.every((label) => (onPage.get(label) ?? holder) === holder && !rules?.labels.has(label))
}

/** Who has the labels of a line that is shown: its order, so that lines of one order are shown together. */
export function holderOf({ line: { order, lineId } }: ReadyLine): string {
  return order ?? lineId
}

/** Takes one impression of what the line may still serve before the next plan. */
export function take({ ready }: Choice): void {
  ready.allowance -= 1
}

/** Gives an impression back that was taken for an ad which is not shown after all. */
export function giveBack({ ready }: Choice): void {
  ready.allowance += 1
}

function keysOf(slot: Slot, rules: PlaceRules | undefined): readonly string[] {
  if (slot.kind !== 'display') return [fitKey(slot.kind)]
  return sizesAt(slot, rules).map((size) => fitKey('display', size))
}

const NONE: readonly AssignedCreative[] = []

function fittingOf({ fitting }: ReadyLine, keys: readonly string[], place: string): readonly AssignedCreative[] {
  let found = NONE
  for (const key of keys) {
    const some = fitting.get(key)
    if (some === undefined) continue
    const here = some.every(({ places }) => places === undefined)
      ? some
      : some.filter(({ places }) => places === undefined || places.includes(place))
    found = found.length === 0 ? here : [...found, ...here]
  }
  return found
}

/** One of several, each with the chance that its weight is of all. `chance` is from 0 up to 1. */
function byWeight(creatives: readonly AssignedCreative[], chance: number): AssignedCreative | undefined {
  const total = creatives.reduce((sum, { weight }) => sum + weight, 0)
  let rest = chance * total
  for (const creative of creatives) {
    rest -= creative.weight
    if (rest < 0) return creative
  }
  return creatives.at(-1)
}
