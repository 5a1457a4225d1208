import { impressionsFor } from '../../domain/media-buy/planned-impressions.ts'
import type { PricingModel } from '../../domain/product/pricing-option.ts'
import type { EventKind } from './line.ts'

/**
 * The event that a price is charged for. A view is half of the video; `cpp` and `cpa` are counted by others (a panel, the buyer's events), so that
 * lines at such a price are not booked here. `flat_rate` is charged by the flight, and so is `time`, which comes as one.
 */
const BILLED: { readonly [Model in PricingModel]: EventKind | undefined } = {
  cpm: 'impression',
  vcpm: 'viewable',
  cpc: 'click',
  cpv: 'midpoint',
  cpcv: 'complete',
  cpp: undefined,
  cpa: undefined,
  flat_rate: undefined,
  time: undefined,
}

/** The kind of event that a line is charged by; undefined where it is charged by its flight. */
export function billedKind(model: PricingModel): EventKind | undefined {
  return BILLED[model]
}

/**
 * Prices that are kept. Rating points and conversions are counted by others; a price by time comes as the flat price of its flight.
 */
export const KEPT_PRICING = ['cpm', 'vcpm', 'cpc', 'cpv', 'cpcv', 'flat_rate'] as const satisfies readonly PricingModel[]

const SAMPLE = 1_000_000

/** Impressions that one billed unit is expected to take, for pacing what is paid by the click or the view. */
export function impressionsPerUnit(model: PricingModel): number {
  const kind = BILLED[model]
  return kind === undefined || kind === 'impression' ? 1 : impressionsFor(model, SAMPLE) / SAMPLE
}
