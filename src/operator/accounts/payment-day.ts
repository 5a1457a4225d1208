import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../../store/database.ts'
import type { ActContext } from '../act.ts'
import { publisherDay } from '../publisher-day.ts'

/** The day of a payment of an invoice or into an account, `YYYY-MM-DD`; without one, today. It is a day of the publisher. Throws INVALID_REQUEST for a day to come. */
export async function paymentDay(
  db: Db,
  context: Pick<ActContext, 'tenantId' | 'clock'>,
  date: string | undefined,
): Promise<string> {
  const today = await publisherDay(db, context)
  if (date === undefined || date <= today) return date ?? today
  throw new AdcpError('INVALID_REQUEST', `date must be a day up to today, ${today}: ${date} is to come`, { field: 'date' })
}
