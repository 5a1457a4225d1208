import { daysIn, type Period, periodsAround } from './calendar-period.ts'

/** Impressions that are held of a product on each day of a period. What is held on a day is the sum over the periods that it lies in. */
export type HeldByPeriod = ReadonlyMap<Period, number>

/** What is held of a product in the periods of a flight and around it, to look up by period. */
export class HeldInventory {
  readonly #held: HeldByPeriod
  /** The periods with something held in them, by the next longer one. */
  readonly #parts = new Map<Period, Set<Period>>()

  constructor(held: HeldByPeriod) {
    this.#held = held
    for (const period of held.keys()) {
      let whole: Period | undefined
      for (const part of [...periodsAround(period), period]) {
        if (whole !== undefined) this.#add(whole, part)
        whole = part
      }
    }
  }

  #add(whole: Period, part: Period): void {
    const parts = this.#parts.get(whole)
    if (parts) parts.add(part)
    else this.#parts.set(whole, new Set([part]))
  }

  /** The most that is held on any day of a period. */
  mostIn(period: Period): number {
    return this.#around(period) + this.#most(period)
  }

  /** What the days of a period have left of a daily capacity, together; `shown`: as each day's part of it is shown. */
  leftIn(period: Period, dailyCapacity: number, shown = (impressions: number) => impressions): number {
    return this.#left(period, dailyCapacity - this.#around(period), shown)
  }

  #around(period: Period): number {
    let sum = 0
    for (const each of periodsAround(period)) sum += this.#held.get(each) ?? 0
    return sum
  }

  #most(period: Period): number {
    let most = 0
    for (const part of this.#parts.get(period) ?? []) most = Math.max(most, this.#most(part))
    return (this.#held.get(period) ?? 0) + most
  }

  #left(period: Period, capacity: number, shown: (impressions: number) => number): number {
    const own = capacity - (this.#held.get(period) ?? 0)
    let days = daysIn(period)
    let left = 0
    for (const part of this.#parts.get(period) ?? []) {
      days -= daysIn(part)
      left += this.#left(part, own, shown)
    }
    return left + days * shown(Math.max(0, own))
  }
}
