import { DAY_MS } from '../../domain/calendar/instant.ts'
import { deliveredSince } from '../../store/ad-serving/delivery-sums.ts'
import { listAudit } from '../../store/audit/audit.ts'
import type { OperatorContext } from '../operator-context.ts'

/** Ad servers correct what they reported for about a month. */
const WATCHED_MS = 35 * DAY_MS

/** A mark that differs whenever somebody changed something of a publisher, or an ad server reported delivery of the last weeks. Digits and dots. */
export async function newestChange({ store, clock, services }: OperatorContext, tenantId: string): Promise<string> {
  const firstDay = new Date(clock().getTime() - WATCHED_MS).toISOString().slice(0, 10)
  const { importOnRead } = await services.adServers()
  await importOnRead(tenantId)
  const [entries, delivered] = await Promise.all([
    listAudit(store.read, tenantId, { limit: 1 }),
    deliveredSince(store.read, tenantId, firstDay),
  ])
  return `${entries[0]?.seq ?? 0}.${delivered}`
}
