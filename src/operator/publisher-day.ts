import { localDay } from '../domain/calendar/local-time.ts'
import { deliveryZone } from '../store/ad-serving/delivery-sums.ts'
import type { Db } from '../store/database.ts'
import type { ActContext } from './act.ts'

/** The day that a moment is for a publisher, `YYYY-MM-DD`; without one, today. */
export async function publisherDay(
  db: Db,
  { tenantId, clock }: Pick<ActContext, 'tenantId' | 'clock'>,
  moment: Date = clock(),
): Promise<string> {
  return localDay(moment, await deliveryZone(db, tenantId))
}
