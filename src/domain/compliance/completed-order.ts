import { isObject } from '../../protocol/is-object.ts'
import { totalBudgetMicros } from '../media-buy/create.ts'
import type { MediaBuy } from '../media-buy/media-buy.ts'
import { microsToAmount } from '../money.ts'
import type { Params } from './params.ts'

/**
 * The fixture of the media buy that a completed order names: what the result says of it, and of what it leaves out, what the order had asked for.
 * A result of 3.1 and later has the status of the media buy in `media_buy_status`, one of 3.0 in `status`.
 */
export function fixtureOfResult(result: Params, planned: MediaBuy | undefined): Params {
  const status = result.media_buy_status ?? (result.status === 'completed' ? undefined : result.status)
  const packages = Array.isArray(result.packages) ? result.packages.filter(isObject) : []
  return {
    ...(planned && {
      start_time: planned.startsAt,
      end_time: planned.endsAt,
      currency: planned.currency,
      brand: planned.brand,
      budget: microsToAmount(totalBudgetMicros(planned)),
    }),
    ...(status !== undefined && { status }),
    packages: packages.map((pkg, index) => ({ ...plannedPackage(planned, index), ...pkg })),
  }
}

function plannedPackage(planned: MediaBuy | undefined, index: number): object {
  const pkg = planned?.packages[index]
  return pkg ? { product_id: pkg.productId, budget: microsToAmount(pkg.terms.budgetMicros) } : {}
}
