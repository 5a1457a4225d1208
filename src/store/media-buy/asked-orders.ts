import type { Expression, SqlBool } from 'kysely'

/**
 * What narrows the list of orders, whoever sold them: a condition on the orders of buyers (`order-filter.ts`), and one on those that people entered
 * (`entered-orders.ts`), for each. What people ask for has the name of its field in `orders.list`; moments are ISO 8601 UTC, and `until` is exclusive.
 */
export const ORDER_FILTERS = ['buyer', 'account', 'product', 'advertiser', 'from', 'until', 'endsBefore'] as const
export type OrderFilterName = (typeof ORDER_FILTERS)[number]

/** All that is given must hold. */
export type AskedOrders = { readonly [N in OrderFilterName]?: string | boolean | undefined } & {
  readonly product?: string | undefined
  /** Words in small letters that the order must all be found by. */
  readonly words?: readonly string[] | undefined
}

/** The condition of each filter, and that of a word of a search; a filter of true and false gets `true` or `false`. */
export type OrderConditions = Readonly<Record<OrderFilterName | 'word', (value: string) => Expression<SqlBool>>>

/** The conditions of what is asked for. */
export function conditionsOf(asked: AskedOrders, conditions: OrderConditions): readonly Expression<SqlBool>[] {
  const own = ORDER_FILTERS.flatMap((name) => {
    const value = asked[name]
    return value === undefined ? [] : [conditions[name](String(value))]
  })
  return [...own, ...(asked.words ?? []).map(conditions.word)]
}
