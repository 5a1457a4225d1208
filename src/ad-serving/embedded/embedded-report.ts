import type { DeliveryRow } from '../../domain/ad-serving/delivery-row.ts'
import { groupBy } from '../../domain/group-by.ts'
import type { Db } from '../../store/database.ts'
import { listEmbeddedCreatives } from '../../store/embedded/creatives.ts'
import { type EmbeddedLineRow, findEmbeddedOrderByAnchor, listEmbeddedLines } from '../../store/embedded/orders.ts'
import { endedLines, listEmbeddedHours } from '../../store/embedded/reports.ts'
import { type CountedHour, chargedHours } from './charged-hours.ts'
import { withinDays } from './day-limits.ts'
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
  const hours = groupBy(await listEmbeddedHours(db, tenantId, ids), ({ lineId }) => lineId)
  // Only a price that is earned by time asks when.
  const flat = lines.filter(({ document }) => (JSON.parse(document) as LineDocument).terms.pricing.model === 'flat_rate')
  const ended = await endedLines(
    db,
    tenantId,
    flat.map(({ lineId }) => lineId),
  )
  const charged = lines.map((line) => {
    const { settings, terms, committedMicros, dayLimits }: LineDocument = JSON.parse(line.document)
    const counted = (hours.get(line.lineId) ?? []).map(
      ({ creativeId, ...hour }): CountedHour => ({ ...hour, creativeExternalId: creatives.get(creativeId) ?? creativeId }),
    )
    const { model } = terms.pricing
    const { startsAt, endsAt } = settings
    const sold = { lineExternalId: line.anchor, model, committedMicros, startsAt, endsAt, endedAt: ended.get(line.lineId) }
    const rows = chargedHours(sold, counted, now)
    return { orderId: line.orderId, dayLimits, rows: dayLimits ? withinDays(rows, dayLimits, 'ownMicros') : rows }
  })
  return [...groupBy(charged, ({ orderId }) => orderId).values()].flatMap((own) => {
    const rows = own.flatMap((line) => line.rows)
    // Lines of an order are written together, and have the limit of their order alike.
    const dayLimits = own.map((line) => line.dayLimits ?? []).reduce((a, b) => (b.length > a.length ? b : a), [])
    return dayLimits.length > 0 ? withinDays(rows, dayLimits, 'sharedMicros') : rows
  })
}

async function linesOfOrders(db: Db, tenantId: string, externalIds: readonly string[]): Promise<EmbeddedLineRow[]> {
  const lines: EmbeddedLineRow[] = []
  for (const externalId of externalIds) {
    const order = await findEmbeddedOrderByAnchor(db, tenantId, externalId)
    if (order) lines.push(...(await listEmbeddedLines(db, tenantId, order.orderId)))
  }
  return lines
}

async function creativeNames(db: Db, tenantId: string, lines: readonly EmbeddedLineRow[]): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>()
  for (const orderId of new Set(lines.map((line) => line.orderId)))
    for (const { creativeId, anchor } of await listEmbeddedCreatives(db, tenantId, orderId)) names.set(creativeId, anchor)
  return names
}
