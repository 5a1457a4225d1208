import { DAY_MS } from '../../domain/calendar/instant.ts'
import { DEFAULT_MAKE_GOODS, WAIT_DAYS } from '../../domain/identity/make-good-policy.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { findTenant } from '../../store/identity/tenants.ts'
import { publisherCalendar } from '../flight.ts'
import type { Actor, OperatorContext } from '../operator-context.ts'
import { SHORTFALL_DAYS } from '../orders/find-shortfalls.ts'
import { perform } from '../perform.ts'
import { findShortfalls, type Shortfall } from './list-shortfalls.ts'
import { offerCredit, offerDelivery } from './offer-make-good.ts'

/** Who offers, as the audit log, the history of an order and its charges name it. */
const POLICY: Actor = { who: 'policy', credential: 'policy:make-goods', transport: 'policy' }

/**
 * Offers make-goods for the lines of a publisher that ended short, as its policy says: each line once, unless somebody offered something before. Several processes may do so at once: a line has one
 * offer. `onRefusal` is told of what cannot be offered. Gives how many were offered. Throws SERVICE_UNAVAILABLE when an ad server does not report.
 */
export async function carryOutMakeGoodPolicy(
  context: OperatorContext,
  tenantId: string,
  onRefusal: (line: Pick<Shortfall, 'order_id' | 'line_id'>, error: AdcpError) => void,
): Promise<number> {
  const policy = (await findTenant(context.store.read, tenantId))?.settings.makeGoods ?? DEFAULT_MAKE_GOODS
  const { how, remedy, since } = policy
  if (how !== 'offer' || since === undefined) return 0
  const { calendar } = await publisherCalendar(context, tenantId)
  const first = calendar.dayOf(new Date(since))
  const last = calendar.dayOf(new Date(context.clock().getTime() - (WAIT_DAYS + 1) * DAY_MS))
  const due = (await findShortfalls(context, tenantId, SHORTFALL_DAYS)).filter(
    ({ make_good: made, proposed, flight }) =>
      made === null && proposed.some((each) => each.remedy === remedy) && flight.last.day >= first && flight.last.day <= last,
  )
  let offered = 0
  for (const line of due) {
    const members = { order: line.order_id, line: line.line_id, reason: reasonOf(line) }
    const caller = { actor: POLICY, tenantId, role: 'administrator' as const, deployment: false }
    try {
      await (remedy === 'credit'
        ? perform(context, caller, offerCredit, members)
        : perform(context, caller, offerDelivery, members))
      offered += 1
    } catch (error) {
      // What people or the buyer did meanwhile, or agreed otherwise.
      if (!(error instanceof AdcpError)) throw error
      onRefusal(line, error)
    }
  }
  return offered
}

/** Why, for the buyer, the history and the invoice. */
function reasonOf({ missing }: Shortfall): string {
  return `${Math.round(missing * 1000) / 10} % of what was ordered was not delivered`
}
