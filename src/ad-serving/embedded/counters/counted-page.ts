import type { CappedInput } from '../choose-capped.ts'
import { type Candidate, type Choice, giveBack, holderOf, take } from '../decide.ts'
import type { Engine } from '../engine.ts'
import type { CountedCandidate, ReserveRequest } from './cap-counters.ts'

/** Asks the counters for slots of the page; gives the candidate of each by its place in the list, or -1. */
export type Reserve = (slots: ReserveRequest['slots'], shown: ReserveRequest['shown']) => Promise<readonly number[]>

/** Something that was reserved for the page. */
export interface PageReservation {
  readonly decisionId: string
  readonly lineId: string
}

/** Candidates of a slot that are asked for at once; more only when the visitor may see none of them. */
const FIRST = 8
const MORE = 120
/** How often slots are filled again whose line another page took the last impression of meanwhile. */
const ATTEMPTS = 3

/** A page whose slots are filled as the counters allow: once, with what lines have left at that moment. */
export class CountedPage {
  readonly choices: (Choice | undefined)[]
  /** What is shown of lines with a cap. */
  readonly reserved: PageReservation[] = []
  /** What was reserved and cannot be shown, because the line has no impression left. */
  readonly lost: PageReservation[] = []
  readonly #input: CappedInput
  readonly #engine: Engine
  readonly #shown = new Map<string, number>()
  /** The order that has each label of competitors. */
  readonly #labels = new Map<string, string>()

  constructor(input: CappedInput, engine: Engine) {
    this.#input = input
    this.#engine = engine
    this.choices = input.slots.map(() => undefined)
  }

  /** Takes an impression of each line that is shown. Rejects as `reserve` does. */
  async fill(reserve: Reserve): Promise<void> {
    let open = this.choices.map((_, index) => index)
    for (let attempt = 0; attempt < ATTEMPTS && open.length > 0; attempt++) open = await this.#fillAll(open, reserve)
  }

  /** Slots are asked for together; where lines have labels, one after the other, so that each knows what those before it show. */
  async #fillAll(open: readonly number[], reserve: Reserve): Promise<number[]> {
    if (!this.#engine.snapshot.hasLabels) return this.#fillOnce(open, reserve)
    const again: number[] = []
    for (const index of open) again.push(...(await this.#fillOnce([index], reserve)))
    return again
  }

  /** Gives back what was taken of lines. */
  giveBack(): void {
    for (const choice of this.choices) if (choice && !this.#input.visitor.isBot) giveBack(choice)
    this.choices.fill(undefined)
  }

  /** Gives the slots whose line had no impression left when it was to be taken. */
  async #fillOnce(open: readonly number[], reserve: Reserve): Promise<number[]> {
    const { slots, visitor, ids, now } = this.#input
    const again: number[] = []
    let asked = open
    for (let [from, most] = [0, FIRST]; asked.length > 0; [from, most] = [most, most + MORE]) {
      const own = asked.flatMap((index) => slots[index] ?? [])
      const lists = this.#engine.candidates(own, visitor, now.getTime(), {
        shown: this.#shown.keys(),
        labels: this.#labels,
        most,
      })
      const parts = lists.map((list) => list.slice(from))
      const picks = parts.some(isCounted)
        ? await reserve(
            asked.map((index, place) => ({
              decisionId: ids[index] ?? '',
              candidates: (parts[place] ?? []).map(countedCandidate),
            })),
            Object.fromEntries(this.#shown),
          )
        : this.#firsts(parts)
      const next: number[] = []
      for (const [place, index] of asked.entries()) {
        const candidate = parts[place]?.[picks[place] ?? -1]
        if (!candidate) {
          if (lists[place]?.length === most) next.push(index)
        } else if (!this.#take(index, candidate)) again.push(index)
      }
      asked = next
    }
    return again
  }

  /** The same choice as the counters make, where no line has a cap. */
  #firsts(parts: readonly (readonly Candidate[])[]): number[] {
    const shown = new Map(this.#shown)
    return parts.map((candidates) => {
      const found = candidates.findIndex(({ ready, most }) => (shown.get(ready.line.lineId) ?? 0) < most)
      const lineId = candidates[found]?.ready.line.lineId
      if (lineId !== undefined) shown.set(lineId, (shown.get(lineId) ?? 0) + 1)
      return found
    })
  }

  #take(index: number, candidate: Candidate): boolean {
    const { visitor, ids } = this.#input
    const { ready, caps } = candidate
    const { lineId } = ready.line
    const before = this.#shown.get(lineId) ?? 0
    const isLeft = ready.allowance > (visitor.isBot ? before : 0)
    const choice = isLeft ? this.#engine.pick(candidate, before) : undefined
    const reservation = { decisionId: ids[index] ?? '', lineId }
    if (caps.length > 0) (choice ? this.reserved : this.lost).push(reservation)
    if (!choice) return false
    if (!visitor.isBot) take(choice)
    this.choices[index] = choice
    this.#shown.set(lineId, before + 1)
    for (const label of ready.labels) this.#labels.set(label, holderOf(ready))
    return true
  }
}

function isCounted(candidates: readonly Candidate[]): boolean {
  return candidates.some(({ caps }) => caps.length > 0)
}

function countedCandidate({ ready, most, caps }: Candidate): CountedCandidate {
  return { lineId: ready.line.lineId, most, limits: caps }
}
