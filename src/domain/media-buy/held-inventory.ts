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
      const chain = [...periodsAround(period), period]
      for (const [index, part] of chain.entries()) {
        const whole = chain[index - 1]
        if (whole === undefined) continue
        const parts = this.#parts.get(whole) ?? new Set()
        this.#parts.set(whole, parts.add(part))
      }
    }
  }

  /** The most that is held on any day of a period. */
  mostIn(period: Period): number {
    return this.#around(period) + this.#most(period)
  }

  /** What the days of a period have left of a daily capacity, together. */
  leftIn(period: Period, dailyCapacity: number): number {
    return this.#left(period, dailyCapacity - this.#around(period))
  }

  #around(period: Period): number {
    return periodsAround(period).reduce((sum, each) => sum + (this.#held.get(each) ?? 0), 0)
  }

  #most(period: Period): number {
    let most = 0
    for (const part of this.#parts.get(period) ?? []) most = Math.max(most, this.#most(part))
    return (this.#held.get(period) ?? 0) + most
  }

  #left(period: Period, capacity: number): number {
    const own = capacity - (this.#held.get(period) ?? 0)
    let days = daysIn(period)
    let left = 0
    for (const part of this.#parts.get(period) ?? []) {
      days -= daysIn(part)
      left += this.#left(part, own)
    }
    return left + days * Math.max(0, own)
  }
}
