import type { Act } from '../act.ts'
import { confirmGone } from './confirm-gone.ts'
import { listServers, testConnections, testOrder } from './connection-acts.ts'
import { listExistingLines, listUnits, suggestFromAdServer } from './inventory-acts.ts'
import { bringOrders, forecastDelivery, importDelivery, listChangesThere, listOrdersThere } from './order-acts.ts'
import { saveDrafts } from './save-drafts.ts'
import { changeAdServer, dropAdServer, dropCredentials, setUpAdServer, storeCredentials } from './setting-acts.ts'
import { importSheet, showOrderSheet, showTraffickingSheet } from './sheet-acts.ts'
import { adoptDrift } from './sync-orders.ts'

/** What can be done with ad servers, in the order of the help. */
export const adServerActs: readonly Act[] = [
  setUpAdServer,
  changeAdServer,
  dropAdServer,
  storeCredentials,
  dropCredentials,
  listServers,
  testConnections,
  testOrder,
  listUnits,
  listExistingLines,
  suggestFromAdServer,
  saveDrafts,
  listOrdersThere,
  forecastDelivery,
  bringOrders,
  listChangesThere,
  adoptDrift,
  confirmGone,
  showTraffickingSheet,
  showOrderSheet,
  importSheet,
  importDelivery,
]
