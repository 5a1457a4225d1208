import type { Logger } from 'pino'
import type { AdServers } from '../ad-serving/ad-servers.ts'
import type { Config } from '../config/config.ts'
import { timeZoneOf } from '../domain/identity/publisher-settings.ts'
import { type BackgroundJob, startBackgroundJob } from '../platform/scheduler/background-job.ts'
import type { Store } from '../store/database.ts'
import { listTenants } from '../store/identity/tenants.ts'
import { countInZone, settleDelivery } from '../tasks/media-buy/settle-delivery.ts'

interface SumsParts {
  readonly store: Store
  readonly adServers: AdServers
  readonly config: Config
  readonly clock: () => Date
  readonly log: Logger
}

/** A report asks the ad server of what is not settled yet, so that this may wait. */
const EVERY_MS = 60_000

/** Starts the background job that keeps the daily sums of delivery: orders that are over are added to them, and a changed time zone is taken over. */
export function startDeliverySums(parts: SumsParts): BackgroundJob {
  const { log } = parts
  const opened = new Set<string>()
  return startBackgroundJob(
    async () => {
      for (const { tenantId, settings } of await listTenants(parts.store.read)) {
        const timeZone = timeZoneOf(settings, parts.config.ads.timeZone)
        try {
          const again = await countInZone(parts, tenantId, timeZone)
          if (again) log.info({ tenant: tenantId, timeZone }, 'daily sums of delivery were made again')
          await settleDelivery({ ...parts, conformance: parts.config.conformance }, tenantId, {
            now: parts.clock(),
            open: !opened.has(tenantId),
          })
          opened.add(tenantId)
        } catch (error) {
          log.warn({ tenant: tenantId, err: error }, 'daily sums of delivery were not completed; trying again later')
        }
      }
      return false
    },
    EVERY_MS,
    (error) => log.error({ err: error }, 'keeping daily sums of delivery failed'),
  )
}
