import { addMetrics, type DayMetrics, type Metrics, NOTHING, sumDays } from '../../domain/media-buy/delivery.ts'
import type { Db } from '../database.ts'
import { currentDelivery } from './delivery-ledger.ts'
import { columnsOf, metricsIn } from './delivery-sums.ts'

/** Delivery of packages by day, as the ledger has it now. `dayOf`: the day on which a period of the ledger begins; default: of UTC. */
export async function ledgerDays(
  db: Db,
  tenantId: string,
  packageIds: readonly string[],
  dayOf: (period: string) => string = (period) => period.slice(0, 10),
): Promise<ReadonlyMap<string, readonly DayMetrics[]>> {
  const days = new Map<string, DayMetrics[]>()
  for (const row of await currentDelivery(db, tenantId, packageIds)) {
    const list = days.get(row.packageId) ?? []
    days.set(row.packageId, list)
    list.push({ ...metricsIn(columnsOf(row)), day: dayOf(row.period) })
  }
  return new Map([...days].map(([packageId, rows]) => [packageId, sumDays(rows).days]))
}

/** Delivery of packages in some hours of UTC, `YYYY-MM-DDTHH`, over all creatives, as the ledger has it now. */
export async function ledgerHours(
  db: Db,
  tenantId: string,
  packageIds: readonly string[],
  hours: readonly string[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, Metrics>>> {
  const found = new Map<string, Map<string, Metrics>>()
  const wanted = new Set(hours)
  const [first, last] = [hours.reduce((a, b) => (a < b ? a : b), '~'), hours.reduce((a, b) => (a > b ? a : b), '')]
  for (const row of await currentDelivery(db, tenantId, packageIds, { first, last })) {
    if (!wanted.has(row.period)) continue
    const own = found.get(row.packageId) ?? new Map<string, Metrics>()
    found.set(row.packageId, own)
    own.set(row.period, addMetrics(own.get(row.period) ?? NOTHING, metricsIn(columnsOf(row))))
  }
  return found
}
