import type { DeliveryRow } from '../../domain/ad-serving/delivery-row.ts'
import { groupBy } from '../../domain/group-by.ts'
import type { Db } from '../../store/database.ts'
import { listHouseCreatives } from '../../store/house/house-creatives.ts'
import { findHouseOrderByAnchor, type HouseLineRow, listHouseLines } from '../../store/house/house-orders.ts'
import { listHouseHours } from '../../store/house/house-reports.ts'
import { type CountedHour, chargedHours } from './charged-hours.ts'
import type { LineDocument } from './stored-documents.ts'

/** Delivery of orders (by our ids), by hour and creative. */
export async function reportHours(
  db: Db,
  tenantId: string,
  orderExternalIds: readonly string[],
  now: number,
): Promise<DeliveryRow[]> {
  const lines = await linesOfOrders(db, tenantId, orderExternalIds)
  const creatives = await creativeNames(db, tenantId, lines)
  const ids = lines.map(({ lineId }) => lineId)
  const hours = groupBy(await listHouseHours(db, tenantId, ids), ({ lineId }) => lineId)
  return lines.flatMap((line) => {
    const { settings, terms, committedMicros }: LineDocument = JSON.parse(line.document)
    const counted = (hours.get(line.lineId) ?? []).map(
      ({ creativeId, ...hour }): CountedHour => ({ ...hour, creativeExternalId: creatives.get(creativeId) ?? creativeId }),
    )
    const { model, currency } = terms.pricing
    const { startsAt, endsAt } = settings
    return chargedHours({ lineExternalId: line.anchor, model, currency, committedMicros, startsAt, endsAt }, counted, now)
  })
}

async function linesOfOrders(db: Db, tenantId: string, externalIds: readonly string[]): Promise<HouseLineRow[]> {
  const lines: HouseLineRow[] = []
  for (const externalId of externalIds) {
    const order = await findHouseOrderByAnchor(db, tenantId, externalId)
    if (order) lines.push(...(await listHouseLines(db, tenantId, order.orderId)))
  }
  return lines
}

async function creativeNames(db: Db, tenantId: string, lines: readonly HouseLineRow[]): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>()
  for (const orderId of new Set(lines.map((line) => line.orderId)))
    for (const { creativeId, anchor } of await listHouseCreatives(db, tenantId, orderId)) names.set(creativeId, anchor)
  return names
}
