import type { Logger } from 'pino'
import { type BackgroundJob, startBackgroundJob } from '../../platform/scheduler/background-job.ts'
import type { Store } from '../../store/database.ts'
import type { ScheduledKind } from '../../store/webhook/rows.ts'
import { dueEvents, reschedule, type ScheduledEvent } from '../../store/webhook/scheduled-events.ts'
import { tellAccount } from './account-events.ts'
import { settleActivation } from './activation-events.ts'
import type { DueEvent, MediaBuyView, ResolveList, SettleActivation } from './due-event.ts'
import { tellList } from './list-events.ts'
import { tellReport } from './report-events.ts'
import { tellReview } from './review-events.ts'
import { tellStatus } from './status-events.ts'

export interface SchedulerOptions {
  readonly store: Store
  readonly mediaBuys: MediaBuyView
  readonly settle: SettleActivation
  readonly lists: ResolveList
  readonly clock: () => Date
  readonly log: Logger
  /** Called after a commit that wrote webhooks. */
  readonly wake: () => void
  readonly pollMs?: number
}

const TELL: Readonly<Record<ScheduledKind, (due: DueEvent) => Promise<void>>> = {
  status: tellStatus,
  report: tellReport,
  creative: tellReview,
  account: tellAccount,
  list: tellList,
  activation: settleActivation,
}

/** A flight that begins is noticed within this time. */
const POLL_MS = 500
/** An event that failed, for whatever reason, is tried again after this time. */
const POSTPONE_MS = 60_000
/** Events of one look. They share few commits, and a look at a thousand buys that begin together takes about a second. */
const BATCH = 200

/**
 * Wakes when the clock makes something worth telling: a flight that begins or ends, a delivery report that is due. Reads only rows whose time
 * has come. Several processes may run it: each event is sent by the one whose change of its row commits first.
 */
export function startScheduler({
  store,
  mediaBuys,
  settle,
  lists,
  clock,
  log,
  wake,
  pollMs = POLL_MS,
}: SchedulerOptions): BackgroundJob {
  /** What fails must not stand in the way of what is due after it. */
  const postpone = async (event: ScheduledEvent, error: unknown) => {
    log.error({ err: error, event: event.eventId, kind: event.kind, subject: event.subjectId }, 'a scheduled event failed')
    const later = new Date(clock().getTime() + POSTPONE_MS)
    await store.transaction((tx) => reschedule(tx, event, later, event.state))
  }
  const look = async () => {
    const now = clock()
    const events = await dueEvents(store.read, now, BATCH)
    if (events.length === 0) return false
    const results = await Promise.allSettled(
      [...byOwner(events).values()].map(async (own) => {
        const [first] = own
        if (!first) return
        const ids = own.filter(({ kind }) => kind === 'status' || kind === 'report').map(({ subjectId }) => subjectId)
        const view = await mediaBuys.find(first, [...new Set(ids)])
        const buys = new Map(view.buys.map((buy) => [buy.mediaBuyId, buy]))
        await Promise.all(
          own.map((event) => {
            const context = {
              store,
              mediaBuys,
              settle,
              lists,
              now,
              event,
              buy: buys.get(event.subjectId),
              creatives: view.creatives,
            }
            return TELL[event.kind](context).catch((error: unknown) => postpone(event, error))
          }),
        )
      }),
    )
    wake()
    const failures = results.filter((result) => result.status === 'rejected')
    for (const { reason } of failures) log.error({ err: reason }, 'looking at scheduled events failed')
    return events.length === BATCH && failures.length === 0
  }
  return startBackgroundJob(look, pollMs, (error) => log.error({ err: error }, 'looking for scheduled events failed'))
}

function byOwner(events: readonly ScheduledEvent[]): ReadonlyMap<string, readonly ScheduledEvent[]> {
  const groups = new Map<string, ScheduledEvent[]>()
  for (const event of events) {
    const key = JSON.stringify([event.tenantId, event.principalId])
    groups.set(key, [...(groups.get(key) ?? []), event])
  }
  return groups
}
