import type { Logger } from 'pino'
import { carryOutMakeGoodPolicy } from '../operator/make-goods/carry-out-policy.ts'
import type { OperatorContext } from '../operator/operator-context.ts'
import { type BackgroundJob, startBackgroundJob } from '../platform/scheduler/background-job.ts'
import { tenantsThatOffer } from '../store/identity/tenants.ts'

/** How often lines that ended short are looked for: their ad servers are asked for delivery. */
const EVERY_MS = 3_600_000

/** Offers make-goods of publishers whose policy says so. What cannot be offered is logged, and tried again with the next look. */
export function startMakeGoods({ operator, log }: { readonly operator: OperatorContext; readonly log: Logger }): BackgroundJob {
  const look = async () => {
    for (const tenant of await tenantsThatOffer(operator.store.read))
      await carryOutMakeGoodPolicy(operator, tenant, ({ order_id: order, line_id: line }, { code, message }) =>
        log.warn({ tenant, order, line, code, reason: message }, 'the policy of make-goods cannot offer one'),
      ).catch((error: unknown) => log.error({ err: error, tenant }, 'offering make-goods failed'))
    return false
  }
  return startBackgroundJob(look, EVERY_MS, (error) => log.error({ err: error }, 'looking for lines that ended short failed'))
}
