import { totalBudgetMicros } from '../../domain/media-buy/create.ts'
import { microsToAmount } from '../../domain/money.ts'
import { tenantOrdersInParts } from '../../store/media-buy/order-list.ts'
import type { OperatorContext } from '../operator-context.ts'

/** Names and budget of an order, in units of `currency`. */
export interface NamedOrderFacts {
  readonly advertiser: string | undefined
  /** The buyer's label for people. */
  readonly name: string | undefined
  readonly budget: number
  readonly currency: string
}

/** Facts of the orders that exist, by id; at most 100 ids. */
export async function nameOrders(
  { store }: OperatorContext,
  tenantId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, NamedOrderFacts>> {
  const named = new Map<string, NamedOrderFacts>()
  for await (const part of tenantOrdersInParts(store.read, tenantId, [...new Set(ids)].slice(0, 100)))
    for (const { buy } of part) {
      const budget = microsToAmount(totalBudgetMicros(buy))
      named.set(buy.mediaBuyId, { advertiser: buy.brand?.domain, name: buy.name, budget, currency: buy.currency })
    }
  return named
}
