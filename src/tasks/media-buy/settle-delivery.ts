import type { AdServers } from '../../ad-serving/ad-servers.ts'
import { readIds } from '../../ad-serving/external-id.ts'
import { type SettledOrder, settleOrders } from '../../store/ad-serving/delivery-sources.ts'
import type { AddedDay } from '../../store/ad-serving/delivery-sums.ts'
import { daysOfPackages, deliveryZone } from '../../store/ad-serving/delivery-sums.ts'
import { beginRebuild, finishRebuild, isRebuilding } from '../../store/ad-serving/rebuild-sums.ts'
import { zoneToCount } from '../../store/billing/counted-zone.ts'
import type { Store } from '../../store/database.ts'
import { type DeliveryRow, orderPages, rowsOf } from './delivery-rows.ts'
import { type OrderInStatus, observeOrders, statusesOfOrders } from './observe-orders.ts'

export interface SettleParts {
  readonly store: Store
  readonly adServers: AdServers
  readonly conformance: boolean
}

/** Ad servers correct their figures for some time after a flight; the simulator never does. */
const CORRECTIONS_MS = 30 * 86_400_000

/**
 * Adds orders of a publisher that are over to its daily sums, so that reports need not ask an ad server of them again. Orders that are booked in reconciled ad
 * servers alone are in the sums from the start; `open` looks for those among all that are still asked for, as after an update of this program.
 * Gives the number of orders that changed. Throws SERVICE_UNAVAILABLE when an ad server does not report.
 */
export async function settleDelivery(
  parts: SettleParts,
  tenantId: string,
  { now, open }: { readonly now: Date; readonly open: boolean },
): Promise<number> {
  const { store, adServers } = parts
  const isSimulated = adServers.of(tenantId, { sandbox: false }).simulated
  const over = new Date(now.getTime() - (isSimulated ? 0 : CORRECTIONS_MS)).toISOString()
  const endsBefore = open ? undefined : over
  let changed = 0
  for await (const page of orderPages(store.read, { tenantId, endsBefore, sources: ['live'], now })) {
    const orders = await statusesOfOrders(store.read, { tenantId, now, conformance: parts.conformance }, page)
    const settled = await settledOrders(parts, tenantId, now, orders, over)
    if (settled.length > 0) changed += await store.transaction((tx) => settleOrders(tx, tenantId, settled))
  }
  return changed
}

/**
 * Counts the days of a publisher in its time zone from now on, unless it has closed months in another, and makes sums again that somebody began to. True when sums were made
 * again.
 */
export async function countInZone(
  { store, clock }: { readonly store: Store; readonly clock: () => Date },
  tenantId: string,
  wanted: string,
): Promise<boolean> {
  const isLeft = await isRebuilding(store.read, tenantId, clock())
  if (!isLeft && (await deliveryZone(store.read, tenantId)) === wanted) return false
  const isOther = await store.transaction(async (tx) => {
    const timeZone = await zoneToCount(tx, tenantId, wanted)
    if ((await deliveryZone(tx, tenantId)) === timeZone) return false
    await beginRebuild(tx, tenantId, timeZone, clock())
    return true
  })
  if (isLeft || isOther) await finishRebuild(store, tenantId, clock)
  return isLeft || isOther
}

async function settledOrders(
  { store, adServers }: SettleParts,
  tenantId: string,
  now: Date,
  orders: readonly OrderInStatus[],
  over: string,
): Promise<SettledOrder[]> {
  const backends = adServers.backends(tenantId)
  const isReconciled = ({ buy }: OrderInStatus) => {
    const booked = readIds(buy.orderId)
    return booked.length > 0 && booked.every(({ adServer }) => backends.has(adServer))
  }
  const settled: SettledOrder[] = []
  const rest: OrderInStatus[] = []
  for (const order of orders) {
    const { mediaBuyId, revision, endsAt } = order.buy
    if (isReconciled(order)) settled.push({ mediaBuyId, revision, source: 'ledger', days: [] })
    else if (endsAt <= over && order.sandbox) settled.push({ mediaBuyId, revision, source: 'sandbox', days: [] })
    else if (endsAt <= over) rest.push(order)
  }
  // What a ledger has is in the sums already.
  const packages = rest.flatMap(({ buy }) => buy.packages.map(({ packageId }) => packageId))
  const known = await daysOfPackages(store.read, tenantId, packages)
  for (const order of await observeOrders({ db: store.read, adServers }, { tenantId, now }, rest)) {
    const rows = [...rowsOf(order, adServers.of(tenantId, order).simulated)]
    const days = rows.filter(({ packageId }) => !known.has(packageId)).map(addedDay)
    settled.push({ mediaBuyId: order.buy.mediaBuyId, revision: order.buy.revision, source: 'settled', days })
  }
  return settled
}

function addedDay({ packageId, day, creativeId, metrics }: DeliveryRow): AddedDay {
  return { ...metrics, packageId, day, creativeId }
}
