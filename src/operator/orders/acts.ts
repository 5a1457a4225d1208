import type { Act } from '../act.ts'
import { cancelOrder, extendOrder, pauseOrder, previewOrderChange, resumeOrder } from './change-order.ts'
import { copyOrder } from './copy-order.ts'
import { listNotes, noteOrder } from './note-order.ts'
import { showOrderRecords } from './order-records.ts'
import { orderHistory, showOrder } from './show-order.ts'

/** What can be done with one order, in the order of the help. */
export const singleOrderActs: readonly Act[] = [
  showOrder,
  orderHistory,
  copyOrder,
  showOrderRecords,
  listNotes,
  noteOrder,
  previewOrderChange,
  pauseOrder,
  resumeOrder,
  extendOrder,
  cancelOrder,
]
