import type { PricingModel } from '../product/pricing-option.ts'

/** What a line is charged by: the price of the units of its model, or of its flight. */
export interface LinePricing {
  readonly model: PricingModel
  readonly rateMicros: number
  /** The most that a line costs that is sold by units; absent: it is not limited, or was written by an earlier version. */
  readonly budgetMicros?: number
  /** Of a flat price: the flight that it is of, ISO 8601. */
  readonly flight?: { readonly startsAt: string; readonly endsAt: string }
  /** What a day costs, of a line that is sold by the day. */
  readonly dayRateMicros?: number
  /** IANA time zone whose days an adopted line counts, which is sold by the day; absent: it was adopted by an earlier version, and keeps the days of UTC that its invoiced months were cut at. */
  readonly timeZone?: string
}
