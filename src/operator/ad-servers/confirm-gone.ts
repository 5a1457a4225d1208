import { ORDER } from '../../domain/ad-serving/drift.ts'
import { isMissing, withoutLine } from '../../domain/ad-serving/missing.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { type StoredDrift, settleDrift } from '../../store/ad-serving/ad-server-drift.ts'
import { forgetIds } from '../../store/ad-serving/ad-server-ids.ts'
import { forgetWritten } from '../../store/ad-serving/ad-server-leases.ts'
import { makeDue } from '../../store/ad-serving/ad-server-orders.ts'
import type { Db } from '../../store/database.ts'
import { defineAct } from '../act.ts'
import { SELLERS } from '../roles.ts'
import { object, string, word } from '../shape.ts'
import { DRIFT } from './ad-server-shapes.ts'
import { openDrift, watchedDrift } from './watched-drift.ts'

/**
 * A person has looked at the ad server, and says that an order or line that was missing is not there any more: what is still wanted of it is booked anew, and what the buyer ended
 * is over. Throws REFERENCE_NOT_FOUND, INVALID_STATE for drift that is settled or that something is there for.
 */
export const confirmGone = defineAct({
  name: 'adservers.gone',
  route: 'POST /ad-servers/drift/{drift}/gone',
  id: 'confirmGone',
  roles: SELLERS,
  summary: 'Confirms that what is missing at the ad server is gone. What is still wanted of it is booked anew.',
  fields: { drift: DRIFT },
  answer: object({ drift_id: string, state: word('gone'), media_buy_id: string, subject: string }),
  command: {
    text: (done) => [`${done.subject} of ${done.media_buy_id} is gone; what is still wanted of it is booked anew`],
  },
  watch: watchedDrift,
  run: ({ store, clock, tenantId }, { drift: driftId }) =>
    store.transaction(async (tx) => {
      const drift = await openDrift(tx, tenantId, driftId)
      if (!isMissing(drift)) {
        const message = `${drift.field} of ${drift.subject} is not missing; adopt it, or take it back at the ad server`
        throw new AdcpError('INVALID_STATE', message, { field: 'drift_id' })
      }
      await forget(tx, drift)
      await settleDrift(tx, [drift], 'gone', clock())
      await makeDue(tx, tenantId, { adServer: drift.adServer, mediaBuyId: drift.mediaBuyId }, clock())
      return { drift_id: driftId, state: 'gone' as const, media_buy_id: drift.mediaBuyId, subject: drift.subject }
    }),
})

async function forget(tx: Db, drift: StoredDrift): Promise<void> {
  const { subject } = drift
  const isOrder = subject === ORDER
  await forgetIds(tx, drift, isOrder ? undefined : subject.slice(subject.indexOf(' ') + 1))
  await forgetWritten(tx, drift, (order) => (isOrder ? undefined : withoutLine(order, subject)))
}
