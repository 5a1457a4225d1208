/** A flight, ISO 8601 UTC with milliseconds, `startsAt` < `endsAt`. */
export interface Flight {
  readonly startsAt: string
  readonly endsAt: string
}
