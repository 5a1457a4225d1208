import type { Act } from '../act.ts'
import { adoptOrder, previewAdoption, showAdoptedOrder } from './adopt-order.ts'

/** What can be done with orders that people booked in an ad server, in the order of the help. */
export const adoptedOrderActs: readonly Act[] = [adoptOrder, previewAdoption, showAdoptedOrder]
