import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import { DAY_MS } from '../domain/calendar/instant.ts'
import { REQUERY_DAYS } from '../domain/reporting/form.ts'
import { canPublishAt } from '../domain/reporting/offering.ts'
import type { Services } from '../pipeline/services.ts'
import { type BackgroundJob, startBackgroundJob } from '../platform/scheduler/background-job.ts'
import type { Store } from '../store/database.ts'
import { findPrincipal } from '../store/identity/principals.ts'
import { listReportOwners } from '../store/reporting/generations.ts'
import { settleReporting } from '../tasks/media-buy/settle-reporting.ts'

interface Parts {
  readonly store: Store
  readonly services: Pick<Services, 'adServers' | 'wiring' | 'reporting'>
  readonly clock: () => Date
  readonly log: Logger
}

/** Reports are due by hours; one that nobody asks for is published within this time. */
const SETTLE_EVERY_MS = 10 * 60_000

/** Whoever asks again within this time gets what was published then: ad servers are not asked for every page. */
const SETTLED_MS = 5 * 60_000
/** Periods of every time zone begin and end at quarters of an hour. */
const BOUNDARY_MS = 15 * 60_000
/** Accounts that are remembered as settled; any other is settled again. */
const MOST_SETTLED = 10_000

interface Settled {
  readonly at: Date
  readonly done: Promise<void>
}

/**
 * Brings reports up to date when they are asked for: those who ask at the same moment wait for the same work, and for some minutes nothing is done again,
 * unless a period has ended in between, whose obligation has to be there at once.
 */
export function createReporting({
  store,
  services,
  clock,
}: Pick<Parts, 'store' | 'clock'> & { services: () => Services }): Services['reporting'] {
  const settled = new LRUCache<string, Settled>({ max: MOST_SETTLED })
  return {
    settle(buyer) {
      const key = JSON.stringify([buyer.tenantId, buyer.principalId, buyer.accountId])
      const now = clock()
      const known = settled.get(key)
      if (known && isRecent(known.at, now)) return known.done
      const done = settleReporting({ store, services: services(), now }, buyer).then(() => services().webhooks.wake())
      settled.set(key, { at: now, done })
      // What failed is tried again by whoever asks next.
      done.catch(() => settled.get(key)?.done === done && settled.delete(key))
      return done
    },
  }
}

function isRecent(at: Date, now: Date): boolean {
  const passed = now.getTime() - at.getTime()
  return passed >= 0 && passed < SETTLED_MS && Math.ceil(at.getTime() / BOUNDARY_MS) * BOUNDARY_MS > now.getTime()
}

/** Publishes the reports that nobody asks for. An agent without a public https address has none. */
export function startReporting({ store, services, clock, log }: Parts): BackgroundJob {
  const failed = (error: unknown) => log.error({ err: error }, 'publishing reports failed')
  const work = async () => {
    if (!canPublishAt(new URL(services.wiring.agentUrl).origin)) return false
    for (const owner of await listReportOwners(store.read, new Date(clock().getTime() - (REQUERY_DAYS + 1) * DAY_MS))) {
      const principal = await findPrincipal(store.read, owner.tenantId, owner.principalId)
      // An ad server that does not answer holds up the reports of its own buyers alone.
      await services.reporting.settle({ ...owner, sandbox: principal?.sandbox === 1 }).catch(failed)
    }
    return false
  }
  return startBackgroundJob(work, SETTLE_EVERY_MS, failed)
}
