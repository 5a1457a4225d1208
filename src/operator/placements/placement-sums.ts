import { addCounts } from '../../domain/add-counts.ts'
import type { LocalCalendar } from '../../domain/calendar/local-time.ts'
import { NO_PLACE_COUNTS, type PlaceCounts, type PlaceHour } from '../../store/embedded/place-hours.ts'

/** What a report of placements can be split by. */
export const PLACEMENT_DIMENSIONS = ['placement', 'hour', 'day', 'month'] as const
export type PlacementDimension = (typeof PLACEMENT_DIMENSIONS)[number]

/** What was counted, by the values of the dimensions that were asked for. */
export interface PlacementSum {
  readonly values: readonly string[]
  readonly counts: PlaceCounts
}

/** Counts of placements by some dimensions, in the time zone of a calendar. */
export class PlacementSums {
  readonly #by: readonly PlacementDimension[]
  readonly #calendar: LocalCalendar
  readonly #times = new Map<string, string>()
  readonly #sums = new Map<string, PlacementSum>()
  #totals = NO_PLACE_COUNTS

  constructor(by: readonly PlacementDimension[], calendar: LocalCalendar) {
    this.#by = by
    this.#calendar = calendar
  }

  get size(): number {
    return this.#sums.size
  }

  /** Of all that was added. */
  get totals(): PlaceCounts {
    return this.#totals
  }

  add(counted: PlaceHour): void {
    const values = this.#by.map((name) => this.#valueOf(name, counted))
    const key = JSON.stringify(values)
    const counts = addCounts(NO_PLACE_COUNTS, this.#sums.get(key)?.counts ?? NO_PLACE_COUNTS, counted)
    this.#sums.set(key, { values, counts })
    this.#totals = addCounts(NO_PLACE_COUNTS, this.#totals, counted)
  }

  /** Times in their order, placements by what they were asked for. */
  rows(): readonly PlacementSum[] {
    const timed = this.#by.findIndex((name) => name !== 'placement')
    return [...this.#sums.values()].sort((a, b) => {
      const [earlier = '', later = ''] = timed < 0 ? [] : [a.values[timed], b.values[timed]]
      if (earlier !== later) return earlier < later ? -1 : 1
      return b.counts.requests - a.counts.requests || b.counts.impressions - a.counts.impressions
    })
  }

  #valueOf(name: PlacementDimension, { place, hour }: PlaceHour): string {
    if (name === 'placement') return place
    const time = this.#timeOf(hour)
    return name === 'hour' ? time : time.slice(0, name === 'day' ? 10 : 7)
  }

  /** An hour belongs to the day on which it begins. */
  #timeOf(hour: string): string {
    const known = this.#times.get(hour)
    if (known !== undefined) return known
    const at = new Date(hour)
    const time = `${this.#calendar.dayOf(at)}T${this.#calendar.timeOf(at)}`
    this.#times.set(hour, time)
    return time
  }
}
