import type { ManualOrder } from '../../domain/ad-serving/manual-order.ts'
import { addMetrics, type Metrics, NOTHING } from '../../domain/media-buy/delivery.ts'
import { microsToAmount } from '../../domain/money.ts'
import { findManualOrder, listManualDelivery, type ManualDay } from '../../store/ad-serving/manual-orders.ts'
import type { Db } from '../../store/database.ts'
import type { Change } from '../act.ts'
import { changedMembers } from '../changed-members.ts'

/** Packages that an entry of the audit log has one by one; of more it has how many. */
const MOST_NAMED = 50
/** Orders of one query: a sheet may have tens of thousands. */
const ORDERS_READ = 100

type Changes = Readonly<Record<string, Change>>

/** What a sheet of delivery changes, for the audit log: of each package what was reported of its days before and is now. */
export async function changedDelivery(
  tx: Db,
  { tenantId, adServer }: { readonly tenantId: string; readonly adServer: string },
  days: readonly ManualDay[],
): Promise<Changes> {
  const orderIds = [...new Set(days.map(({ order }) => order.externalId))]
  const since = days.map(({ day }) => day).sort()[0] ?? ''
  const about = new Set(days.map(({ lineId, day }) => `${lineId} ${day}`))
  const reported: { readonly lineId: string; readonly metrics: Metrics }[] = []
  for (let at = 0; at < orderIds.length; at += ORDERS_READ) {
    const of = { tenantId, adServer, orderIds: orderIds.slice(at, at + ORDERS_READ), since }
    for (const { lineExternalId: lineId, period, ...metrics } of await listManualDelivery(tx, of))
      if (about.has(`${lineId} ${period}`)) reported.push({ lineId, metrics })
  }
  const before = sums(reported)
  const shown = (metrics: Metrics | undefined) =>
    metrics ? { impressions: metrics.impressions, clicks: metrics.clicks, spend: microsToAmount(metrics.spendMicros) } : {}
  const changes = [...sums(days)].map(([id, after]) => [id, changedMembers(shown(before.get(id)), shown(after))] as const)
  return named(changes.filter(([, change]) => Object.keys(change).length > 0))
}

/** Orders that a sheet of orders or creatives changes. */
export async function changedOrders(tx: Db, adServer: string, orders: readonly ManualOrder[]): Promise<Changes> {
  const changes: [string, Changes][] = []
  for (const order of orders) {
    const before = await findManualOrder(tx, adServer, order.key)
    if (JSON.stringify(before) !== JSON.stringify(order)) changes.push([order.key.externalId, { sheet: [null, 'entered'] }])
  }
  return named(changes)
}

function sums(rows: readonly { readonly lineId: string; readonly metrics: Metrics }[]): ReadonlyMap<string, Metrics> {
  const of = new Map<string, Metrics>()
  for (const { lineId, metrics } of rows) of.set(lineId, addMetrics(of.get(lineId) ?? NOTHING, metrics))
  return of
}

function named(changes: readonly (readonly [string, Changes])[]): Changes {
  const shown = changes
    .slice(0, MOST_NAMED)
    .flatMap(([id, change]) => Object.entries(change).map(([name, value]) => [`${id}.${name}`, value] as const))
  const rest = changes.length - MOST_NAMED
  return { ...Object.fromEntries(shown), ...(rest > 0 && { other_packages: [null, rest] as const }) }
}
