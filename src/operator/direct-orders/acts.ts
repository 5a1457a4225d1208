import type { Act } from '../act.ts'
import { changeDirectOrder, listDirectOrders, showDirectOrder } from './direct-orders.ts'
import { enterDirectOrder, previewDirectOrder } from './enter-direct-order.ts'

/** What can be done with orders that the publisher's people sold, in the order of the help. */
export const directOrderActs: readonly Act[] = [
  enterDirectOrder,
  previewDirectOrder,
  listDirectOrders,
  showDirectOrder,
  changeDirectOrder,
]
