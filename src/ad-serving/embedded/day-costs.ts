import { unitsChargedMicros } from '../../domain/ad-serving/charged.ts'
import { DAY_MS } from '../../domain/calendar/instant.ts'
import type { Db } from '../../store/database.ts'
import { listEventsSince } from '../../store/embedded/reports.ts'
import { billedKind } from './billing.ts'
import type { LineDocument } from './stored-documents.ts'

/** What the lines of orders have cost on the UTC day of `now`, in micros; undefined where there are no orders. `day` counts since the epoch. */
export async function costsOfDay(db: Db, tenantId: string, orders: readonly string[], now: Date) {
  if (orders.length === 0) return undefined
  const day = Math.floor(now.getTime() / DAY_MS)
  const rows = await listEventsSince(db, tenantId, orders, new Date(day * DAY_MS).toISOString())
  const costs = rows.flatMap(({ lineId, order, document, kind, rateMicros, events }) => {
    const { terms }: LineDocument = JSON.parse(document)
    const { model } = terms.pricing
    return kind === billedKind(model) ? [{ lineId, order, micros: unitsChargedMicros(model, events, rateMicros) }] : []
  })
  return { day, costs }
}
