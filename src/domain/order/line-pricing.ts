import type { PricingModel } from '../product/pricing-option.ts'

/** What a line is charged by: the price of the units of its model, or of its flight. */
export interface LinePricing {
  readonly model: PricingModel
  readonly rateMicros: number
  /** Of a flat price: the flight that it is of, ISO 8601. */
  readonly flight?: { readonly startsAt: string; readonly endsAt: string }
  /** What a day costs, of a line that is sold by the day. */
  readonly dayRateMicros?: number
}
