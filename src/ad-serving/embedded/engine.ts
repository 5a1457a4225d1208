import { billedKind } from './billing.ts'
import {
  type Candidate,
  type Choice,
  candidatesOf,
  choiceOf,
  decide,
  holderOf,
  type PageLabels,
  type Slot,
  take,
} from './decide.ts'
import { type PlacePlan, planPlace, unitMicros } from './plan.ts'
import { Progress } from './progress.ts'
import type { Snapshot } from './snapshot.ts'
import type { Visitor } from './visitor.ts'

/** How long the order of lines of a place is good for: what a line may take in the meantime is counted with each decision. */
const PLAN_MS = 250

interface TimedPlan {
  readonly plan: PlacePlan
  readonly until: number
}

/** Exposures of a visitor by line id; undefined where nobody knows them. */
export type Exposures = ReadonlyMap<string, readonly number[]> | undefined

/** Decisions of one publisher, from memory alone. */
export class Engine {
  readonly #chance: () => number
  readonly #progress = new Progress()
  #snapshot: Snapshot
  #plans = new Map<string, TimedPlan>()

  constructor(snapshot: Snapshot, chance: () => number) {
    this.#snapshot = snapshot
    this.#chance = chance
  }

  get snapshot(): Snapshot {
    return this.#snapshot
  }

  /** Whether a place is one of the publisher's: people set it up, or a line may be shown there. Made-up names are none. */
  knows(place: string): boolean {
    return this.#snapshot.rules.has(place) || this.#snapshot.byPlace.has(place)
  }

  /** Lines and creatives of a newer version; what was delivered stays known. */
  replace(snapshot: Snapshot): void {
    this.#snapshot = snapshot
    this.#plans = new Map()
    this.#progress.retain((lineId) => snapshot.lines.has(lineId))
  }

  /** What the store has counted of lines: events by kind. `uncounted`: events that it does not have in its sums yet; `today`: what lines of orders with a limit by the day cost, of a UTC day since the epoch. */
  load(
    totals: Iterable<{ readonly lineId: string; readonly kind: string; readonly events: number }>,
    uncounted: readonly { readonly lineId: string; readonly kind: string; readonly decisionId: string }[] = [],
    today?: { readonly day: number; readonly costs: Parameters<Progress['loadDay']>[1] },
  ): void {
    if (today) this.#progress.loadDay(today.day, today.costs)
    const sums = new Map<string, { units: number; impressions: number }>()
    for (const { lineId } of uncounted) sums.set(lineId, { units: 0, impressions: 0 })
    for (const { lineId, kind, events } of totals) {
      const line = this.#snapshot.lines.get(lineId)
      if (!line) continue
      const sum = sums.get(lineId) ?? { units: 0, impressions: 0 }
      if (kind === billedKind(line.line.terms.pricing.model)) sum.units = events
      if (kind === 'impression') sum.impressions = events
      sums.set(lineId, sum)
    }
    for (const [lineId, sum] of sums) this.#progress.load(lineId, sum)
    for (const { lineId, kind, decisionId } of uncounted) this.counted(lineId, kind, decisionId)
  }

  /**
   * An ad for each slot of a page, or none. A line is shown once on a page, but for creatives of its own for a placement; of orders whose lines share a label, one is. Takes nothing yet, so that it can be asked again: see {@link taken}.
   */
  choose(slots: readonly Slot[], visitor: Visitor, exposures: Exposures, now: number): (Choice | undefined)[] {
    this.#progress.expire(now)
    const shown = new Map<string, number>()
    const labels = new Map<string, string>()
    return slots.map((slot) => {
      const choice = decide({
        plan: this.#planOf(slot.place, now),
        slot,
        rules: this.#snapshot.rules.get(slot.place),
        visitor,
        now,
        chance: this.#chance,
        exposures: (lineId) => exposures && (exposures.get(lineId) ?? []),
        shown,
        labels,
      })
      if (choice) {
        const { ready } = choice
        const { lineId } = ready.line
        shown.set(lineId, (shown.get(lineId) ?? 0) + 1)
        for (const label of ready.labels) labels.set(label, holderOf(ready))
      }
      return choice
    })
  }

  /**
   * Lines that each slot of a page may show, at most `most`, in the order in which {@link choose} tries them, whatever the visitor has had. `shown`: lines that the page shows already,
   * `labels`: those that these have. Where lines have labels, one slot is asked for at a time.
   */
  candidates(
    slots: readonly Slot[],
    visitor: Visitor,
    now: number,
    { shown, labels, most }: { readonly shown: Iterable<string>; readonly labels: PageLabels; readonly most: number },
  ): (readonly Candidate[])[] {
    this.#progress.expire(now)
    const earlier = new Set(shown)
    return slots.map((slot) => {
      const rules = this.#snapshot.rules.get(slot.place)
      const found = candidatesOf({ plan: this.#planOf(slot.place, now), slot, rules, visitor, now, labels }, earlier, most)
      for (const { ready } of found) earlier.add(ready.line.lineId)
      return found
    })
  }

  /** One of a candidate's creatives. `before`: how often the page shows the line already. */
  pick(candidate: Candidate, before: number): Choice | undefined {
    return choiceOf(candidate, before, this.#chance)
  }

  /** A choice is shown: it counts as pending until its impression comes. */
  taken(choice: Choice, decisionId: string, now: number): void {
    take(choice)
    this.decided(choice, decisionId, now)
  }

  /** The same for a choice whose impression was taken when it was made. */
  decided(choice: Choice, decisionId: string, now: number): void {
    const { line, worthMicros } = choice.ready
    const held = line.terms.dailyCap && { order: line.order ?? line.lineId, micros: worthMicros / 1000 }
    this.#progress.decided(decisionId, line.lineId, now, held)
  }

  /** An event of a line was counted. */
  counted(lineId: string, kind: string, decisionId: string): void {
    const line = this.#snapshot.lines.get(lineId)
    if (!line) return
    const billed = kind === billedKind(line.line.terms.pricing.model)
    this.#progress.counted(lineId, { decisionId, isImpression: kind === 'impression', billed })
    if (billed && line.line.terms.dailyCap) this.#progress.cost(lineId, line.line.order ?? lineId, unitMicros(line))
  }

  #planOf(place: string, now: number): PlacePlan {
    const known = this.#plans.get(place)
    if (known && now < known.until && now >= known.until - PLAN_MS) return known.plan
    const lines = this.#snapshot.byPlace.get(place)
    if (lines === undefined) return NONE
    const plan = planPlace(lines, this.#progress, now)
    this.#plans.set(place, { plan, until: now + PLAN_MS })
    return plan
  }
}

const NONE: PlacePlan = []
