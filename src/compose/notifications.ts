import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { startNotificationDispatcher } from '../features/notifications/dispatcher.ts'
import { createSendNotification } from '../features/notifications/send-notification.ts'
import { SEALED } from '../features/webhooks/service.ts'
import { addressMessage } from '../operator/notifications/address-message.ts'
import { CHECKS } from '../operator/notifications/find-conditions.ts'
import { noticeConditions } from '../operator/notifications/notice-conditions.ts'
import type { OperatorContext } from '../operator/operator-context.ts'
import { sendDueReport } from '../operator/reports/send-due-report.ts'
import { createSafePost } from '../platform/net/safe-post.ts'
import { type BackgroundJob, startBackgroundJob } from '../platform/scheduler/background-job.ts'
import type { SecretSource } from '../security/secrets/deployment-secrets.ts'
import { createSecretBox } from '../security/secrets/secret-box.ts'
import { ensureSigningKey, storedKeys } from '../security/signing/stored-keys.ts'
import type { Store } from '../store/database.ts'
import { tenantsWithChannels } from '../store/notification/notification-channels.ts'

/** What a test may replace. */
export interface NotificationTuning {
  /** Takes the place of the intervals of every check. */
  readonly everyMs?: number
  /** How often both jobs look by themselves. */
  readonly pollMs?: number
  readonly random?: () => number
}

export interface NotificationJobs {
  /** Finds the conditions that people are notified of. */
  readonly watch: BackgroundJob
  /** Makes messages of it and sends them. */
  readonly dispatcher: BackgroundJob
  /** Makes the saved reports that are due. */
  readonly reports: BackgroundJob
  stop(): Promise<void>
}

interface NotificationParts {
  readonly operator: OperatorContext
  readonly horizonMs: number
  readonly log: Logger
  readonly tuning?: NotificationTuning | undefined
}

const USER_AGENT = 'adcp-sales-agent notifications'

/** What notifications are sent with, in the server and at the command line alike. */
export async function notificationServices(store: Store, config: Config, secret: SecretSource, clock: () => Date) {
  const keyBox = createSecretBox(secret, SEALED.signingKeys)
  await store.transaction((tx) => ensureSigningKey(tx, keyBox, 'webhook-signing', clock()))
  return {
    box: createSecretBox(secret, 'notification-addresses'),
    send: createSendNotification({
      post: createSafePost({ userAgent: USER_AGENT }),
      keys: storedKeys(store, keyBox, clock),
      smtp: config.notifications.smtp,
      loopback: config.mode === 'development',
      clock,
    }),
  }
}

/** Starts the jobs behind notifications, scheduled reports included. Nothing is examined for publishers whose people want none. */
export function startNotifications({ operator, horizonMs, log, tuning = {} }: NotificationParts): NotificationJobs {
  const { store, clock } = operator
  const services = once(() => operator.services.notifications())
  const context = { ...operator, services: { ...operator.services, notifications: services } }
  const dispatcher = startNotificationDispatcher({
    store,
    clock,
    log,
    horizonMs,
    address: (message) => addressMessage(context, message),
    send: async (message, signal) => (await services()).send(message, signal),
    ...(tuning.random && { random: tuning.random }),
    ...(tuning.pollMs !== undefined && { pollMs: tuning.pollMs }),
  })
  const watch = startWatch(context, { log, wake: dispatcher.wake, ...tuning })
  const reports = startScheduledReports(context, { log, wake: dispatcher.wake, ...tuning })
  return {
    watch,
    dispatcher,
    reports,
    async stop() {
      await watch.stop()
      await reports.stop()
      await dispatcher.stop()
    },
  }
}

interface WatchParts {
  readonly log: Logger
  readonly wake: () => void
  readonly everyMs?: number
  readonly pollMs?: number
}

/** Examines every publisher whose people want notifications, each check at its own intervals. A check that fails is tried again the next time. */
function startWatch(context: OperatorContext, { log, wake, everyMs, pollMs }: WatchParts): BackgroundJob {
  const lastRuns = new Map<string, number>()
  const isDue = (key: string, interval: number) => {
    const now = performance.now()
    const last = lastRuns.get(key)
    if (last !== undefined && now - last < interval) return false
    lastRuns.set(key, now)
    return true
  }
  const look = async () => {
    const tenants = await tenantsWithChannels(context.store.read)
    for (const tenantId of tenants)
      for (const check of CHECKS) {
        if (!isDue(JSON.stringify([tenantId, check.kinds]), everyMs ?? check.everyMs)) continue
        await noticeConditions(context, tenantId, check)
          .then((count) => count > 0 && wake())
          .catch((error: unknown) =>
            log.error({ err: error, tenant: tenantId, kinds: check.kinds }, 'a check for notifications failed'),
          )
      }
    return false
  }
  const interval = pollMs ?? Math.min(...CHECKS.map((check) => check.everyMs))
  return startBackgroundJob(look, interval, (error) => log.error({ err: error }, 'looking for notifications failed'))
}

/** A report may come this much later than at its hour. */
const REPORTS_MS = 10_000

/** Makes saved reports at their hours, one at a time. */
function startScheduledReports(
  context: OperatorContext,
  { log, wake, pollMs, random = Math.random }: WatchParts & Pick<NotificationTuning, 'random'>,
): BackgroundJob {
  const look = async () => {
    const isMade = await sendDueReport(context, {
      chance: random(),
      onFailure: ({ tenantId, report, attempts }, error) =>
        log.warn({ err: error, tenant: tenantId, report, attempt: attempts + 1 }, 'a scheduled report was not made'),
    })
    if (isMade) wake()
    return isMade
  }
  return startBackgroundJob(look, pollMs ?? REPORTS_MS, (error) => log.error({ err: error }, 'sending scheduled reports failed'))
}

/** The result of the first call that succeeded. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}
