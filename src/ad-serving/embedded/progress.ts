import { DAY_MS } from '../../domain/calendar/instant.ts'
import type { Delivered } from './pacing.ts'

/** How long a decision counts as an impression that may still come: a page shows its ads within seconds, or not at all. */
const PENDING_MS = 30_000

/** Counts of one line. */
interface Counts {
  units: number
  impressions: number
  pending: number
}

/**
 * What each line has delivered, in memory: sums that were read from the store, and what this process has seen since. Decisions are pending until
 * their impression comes or {@link PENDING_MS} have passed.
 */
export class Progress {
  readonly #stored = new Map<string, Counts>()
  /** Line and end of each pending decision, oldest first. */
  readonly #open = new Map<string, { readonly lineId: string; readonly until: number; readonly held?: Held | undefined }>()
  /** What lines have cost on the day that `#day` counts since the epoch, and all lines of orders together, in micros. */
  #day = Number.NaN
  readonly #lineDay = new Map<string, number>()
  readonly #orderDay = new Map<string, number>()
  /** What the pending decisions of orders are expected to cost. */
  readonly #orderPending = new Map<string, number>()

  /** Sums of the store take the place of the counts; pending decisions stay. */
  load(lineId: string, { units, impressions }: Omit<Delivered, 'pending'>): void {
    const counts = this.#counts(lineId)
    counts.units = units
    counts.impressions = impressions
  }

  decided(decisionId: string, lineId: string, now: number, held?: Held): void {
    this.#open.set(decisionId, { lineId, until: now + PENDING_MS, held })
    if (held) add(this.#orderPending, held.order, held.micros)
    this.#counts(lineId).pending += 1
  }

  /** An event that was counted; `billed` when it is of the kind that the line is billed by. */
  counted(
    lineId: string,
    event: { readonly decisionId: string; readonly isImpression: boolean; readonly billed: boolean },
  ): void {
    const counts = this.#counts(lineId)
    if (event.billed) counts.units += 1
    if (!event.isImpression) return
    counts.impressions += 1
    this.#settle(event.decisionId)
  }

  /** Replaces the known costs by those of a UTC day so far; `day` counts since the epoch. */
  loadDay(day: number, costs: Iterable<{ readonly lineId: string; readonly order: string; readonly micros: number }>): void {
    this.#begin(day)
    for (const { lineId, order, micros } of costs) this.cost(lineId, order, micros)
  }

  /** A unit of a line was billed today. */
  cost(lineId: string, order: string, micros: number): void {
    add(this.#lineDay, lineId, micros)
    add(this.#orderDay, order, micros)
  }

  /** Micros of today: of a line, and of its order with what is pending there. */
  costsOf(lineId: string, order: string): { readonly line: number; readonly order: number } {
    const pending = this.#orderPending.get(order) ?? 0
    return { line: this.#lineDay.get(lineId) ?? 0, order: (this.#orderDay.get(order) ?? 0) + pending }
  }

  #begin(day: number): void {
    this.#day = day
    this.#lineDay.clear()
    this.#orderDay.clear()
  }

  /** Decisions whose impression did not come give their place back; with a new day nothing has been spent. */
  expire(now: number): void {
    const day = Math.floor(now / DAY_MS)
    if (day !== this.#day) this.#begin(day)
    for (const [decisionId, { until }] of this.#open) {
      if (until > now) return
      this.#settle(decisionId)
    }
  }

  of(lineId: string): Delivered {
    return this.#stored.get(lineId) ?? NONE
  }

  /** Forgets lines that are no longer served. */
  retain(isServed: (lineId: string) => boolean): void {
    for (const lineId of this.#stored.keys()) if (!isServed(lineId)) this.#stored.delete(lineId)
  }

  #settle(decisionId: string): void {
    const open = this.#open.get(decisionId)
    if (!open) return
    this.#open.delete(decisionId)
    if (open.held) add(this.#orderPending, open.held.order, -open.held.micros)
    const counts = this.#stored.get(open.lineId)
    if (counts) counts.pending = Math.max(0, counts.pending - 1)
  }

  #counts(lineId: string): Counts {
    const known = this.#stored.get(lineId)
    if (known) return known
    const counts: Counts = { units: 0, impressions: 0, pending: 0 }
    this.#stored.set(lineId, counts)
    return counts
  }
}

/** What a pending decision is expected to cost its order. */
interface Held {
  readonly order: string
  readonly micros: number
}

function add(sums: Map<string, number>, key: string, micros: number): void {
  sums.set(key, (sums.get(key) ?? 0) + micros)
}

const NONE: Delivered = { units: 0, impressions: 0, pending: 0 }
