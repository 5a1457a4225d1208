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
  readonly #open = new Map<string, { readonly lineId: string; readonly until: number }>()

  /** Sums of the store take the place of the counts; pending decisions stay. */
  load(lineId: string, { units, impressions }: Omit<Delivered, 'pending'>): void {
    const counts = this.#counts(lineId)
    counts.units = units
    counts.impressions = impressions
  }

  decided(decisionId: string, lineId: string, now: number): void {
    this.#open.set(decisionId, { lineId, until: now + PENDING_MS })
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

  /** Decisions whose impression did not come give their place back. */
  expire(now: number): void {
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

const NONE: Delivered = { units: 0, impressions: 0, pending: 0 }
