import type { DeliveryRow } from '../../domain/ad-serving/delivery-row.ts'
import { localCalendar } from '../../domain/calendar/local-time.ts'
import { groupBy } from '../../domain/group-by.ts'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import { deliveryZone } from '../../store/ad-serving/delivery-sums.ts'
import type { Db } from '../../store/database.ts'
import { listEmbeddedCreatives } from '../../store/embedded/creatives.ts'
import { findEmbeddedOrderByAnchor, listEmbeddedLines } from '../../store/embedded/orders.ts'
import { countEmbeddedHours, endedLines, listEmbeddedHours } from '../../store/embedded/reports.ts'
import { partsOfSize } from '../../store/page-size.ts'
import { type CountedHour, chargedHours } from './charged-hours.ts'
import { withinDays } from './day-limits.ts'
import type { LineDocument } from './stored-documents.ts'

/** Delivery of orders (by our ids), by hour and creative; one order after the other, between which others are served. */
export async function reportHours(
  db: Db,
  tenantId: string,
  orderExternalIds: readonly string[],
  now: number,
): Promise<DeliveryRow[]> {
  const rows: DeliveryRow[] = []
  for (const externalId of orderExternalIds) {
    const order = await findEmbeddedOrderByAnchor(db, tenantId, externalId)
    if (order) for (const row of await hoursOfOrder(db, tenantId, order.orderId, now)) rows.push(row)
    await yieldToEventLoop()
  }
  return rows
}

/** Bytes of memory that a counted hour takes. */
const HOUR_BYTES = 250

async function hoursOfOrder(db: Db, tenantId: string, orderId: string, now: number): Promise<readonly DeliveryRow[]> {
  const stored = await listEmbeddedLines(db, tenantId, orderId)
  const ids = stored.map(({ lineId }) => lineId)
  const counts = await countEmbeddedHours(db, tenantId, ids)
  if (counts.size === 0) return []
  const creatives = new Map(
    (await listEmbeddedCreatives(db, tenantId, orderId)).map(({ creativeId, anchor }) => [creativeId, anchor]),
  )
  const lines = stored.map(({ lineId, anchor, document }) => ({ lineId, anchor, ...(JSON.parse(document) as LineDocument) }))
  // Only a price that is earned by time asks when.
  const flat = lines.filter(({ terms }) => terms.pricing.model === 'flat_rate').map(({ lineId }) => lineId)
  const ended = await endedLines(db, tenantId, flat)
  const calendar = localCalendar(flat.length === 0 ? 'UTC' : await deliveryZone(db, tenantId))
  const counted = lines.filter(({ lineId }) => counts.has(lineId))
  const rows: DeliveryRow[] = []
  for (const part of partsOfSize(counted, ({ lineId }) => HOUR_BYTES * (counts.get(lineId) ?? 0))) {
    const own = part.map(({ lineId }) => lineId)
    const hours = groupBy(await listEmbeddedHours(db, tenantId, own), ({ lineId }) => lineId)
    for (const { lineId, anchor, settings, terms, committedMicros, dayLimits } of part) {
      const events = (hours.get(lineId) ?? []).map(
        ({ creativeId, ...hour }): CountedHour => ({ ...hour, creativeExternalId: creatives.get(creativeId) ?? creativeId }),
      )
      const { model } = terms.pricing
      const { startsAt, endsAt } = settings
      const sold = { lineExternalId: anchor, model, committedMicros, startsAt, endsAt, endedAt: ended.get(lineId) }
      const charged = chargedHours(sold, events, { now, calendar })
      for (const row of dayLimits ? withinDays(charged, dayLimits, 'ownMicros') : charged) rows.push(row)
    }
    await yieldToEventLoop()
  }
  // Lines of an order are written together, and have the limit of their order alike.
  const dayLimits = lines.map((line) => line.dayLimits ?? []).reduce((a, b) => (b.length > a.length ? b : a), [])
  return dayLimits.length > 0 ? withinDays(rows, dayLimits, 'sharedMicros') : rows
}
