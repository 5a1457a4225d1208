import type { Act } from '../act.ts'
import { listShortfalls } from '../make-goods/list-shortfalls.ts'
import { orderTermsActs } from '../order-terms/acts.ts'
import { singleOrderActs } from '../orders/acts.ts'
import { changeOrders } from './change-several.ts'
import { listOrders } from './list-orders.ts'

/** What can be done with orders, in the order of the help. */
export const orderActs: readonly Act[] = [listOrders, listShortfalls, ...singleOrderActs, changeOrders, ...orderTermsActs]
