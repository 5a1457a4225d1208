import { planningPrice } from '../product/forecast-budget.ts'
import type { PricingOption } from '../product/pricing-option.ts'
import { impressionsFor } from './planned-impressions.ts'

/** Units that one price of an option buys; models that are absent take no count of the inventory. */
const UNITS_A_PRICE: Partial<Readonly<Record<PricingOption['pricing_model'], number>>> = {
  cpm: 1000,
  vcpm: 1000,
  cpc: 1,
  cpv: 1,
  cpcv: 1,
}

/** Impressions that a budget (major units) is expected to take from the inventory; 0 where the option sells no count. */
export function neededImpressions(option: PricingOption, budget: number): number {
  const [price, units] = [planningPrice(option), UNITS_A_PRICE[option.pricing_model]]
  if (price === undefined || price <= 0 || units === undefined) return 0
  return impressionsFor(option.pricing_model, Math.floor((budget / price) * units))
}
