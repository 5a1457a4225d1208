import type { Logger } from 'pino'
import { DAY_MS } from '../../domain/calendar/instant.ts'
import { type BackgroundJob, startBackgroundJob } from '../../platform/scheduler/background-job.ts'
import type { Store } from '../../store/database.ts'
import { findChannel } from '../../store/notification/notification-channels.ts'
import { forgetConditions } from '../../store/notification/notification-conditions.ts'
import { dueChannels, takeItems } from '../../store/notification/notification-items.ts'
import {
  enqueueMessage,
  type LeasedMessage,
  leaseMessages,
  returnNotification,
  settleNotification,
  sweepMessages,
} from '../../store/notification/notification-outbox.ts'
import { sweepReportFiles } from '../../store/saved-report/report-files.ts'
import type { Outgoing, SendNotification } from './send-notification.ts'

/** Completes a message with its address and its links; undefined when its person has left, or wants no such messages any more. */
export type Address = (message: LeasedMessage) => Promise<Outgoing | undefined>

export interface NotificationDispatcherOptions {
  readonly store: Store
  readonly send: SendNotification
  readonly address: Address
  readonly clock: () => Date
  readonly log: Logger
  /** How long a message is tried. */
  readonly horizonMs: number
  /** Uniform in [0, 1): the jitter of pauses. */
  readonly random?: () => number
  readonly pollMs?: number
}

/** More than an attempt can last: see the times of mail and of posts. */
const LEASE_MS = 60_000
/** Attempts at the same time. */
const CONCURRENCY = 16
/** How often it looks for what other processes wrote and for pauses that are over. */
const POLL_MS = 1_000
/** How long `stop` waits for attempts before it cuts them off. */
const GRACE_MS = 1_000
const SWEEP_MS = 10 * 60_000
/** How long one can see what was sent. */
const KEEP_MS = 30 * DAY_MS
/** A report stays on its page; its files are made for the mails. */
const KEEP_FILES_MS = DAY_MS

/**
 * Makes messages of collected items and sends them: at least once, from as many processes as there are. A process that dies loses nothing: what
 * it had leased is sent by another, under the same id.
 */
export function startNotificationDispatcher(options: NotificationDispatcherOptions): BackgroundJob {
  const { store, send, address, clock, log, horizonMs, random = Math.random } = options
  const cutOff = new AbortController()

  const collect = async () => {
    const now = clock()
    for (const due of await dueChannels(store.read, now, CONCURRENCY))
      await store.transaction(async (tx) => {
        const taken = await takeItems(tx, due, now)
        if (!taken) return
        const channel = await findChannel(tx, due.tenantId, due.personId, due.channel)
        if (channel) await enqueueMessage(tx, due, { ...taken, isDigest: channel.digestHour !== undefined }, now)
      })
  }

  const attempt = async (message: LeasedMessage) => {
    const outgoing = await address(message)
    const result = outgoing
      ? await untilCut(send(outgoing, cutOff.signal), cutOff.signal)
      : { hopeless: true, error: 'the channel was removed, or the person has left' }
    if (!result) {
      await store.transaction((tx) => returnNotification(tx, message, clock()))
      return
    }
    const state = await store.transaction((tx) =>
      settleNotification(tx, message, result, { now: clock(), horizonMs, chance: random() }),
    )
    const entry = { delivery: message.deliveryId, channel: message.channel, attempt: message.attempts, reason: result.error }
    if (state === 'dead') log.error(entry, 'notification given up')
    else if (state === 'delivered') log.info(entry, 'notification delivered')
    else log.warn(entry, state === undefined ? 'notification lease was lost' : 'notification not delivered; trying again later')
  }

  const look = async () => {
    await collect()
    const leased = await leaseMessages(store, { now: clock(), leaseMs: LEASE_MS, limit: CONCURRENCY })
    const results = await Promise.allSettled(leased.map(attempt))
    for (const result of results)
      if (result.status === 'rejected') log.error({ err: result.reason }, 'notification attempt was not recorded')
    return leased.length === CONCURRENCY
  }
  const job = startBackgroundJob(look, options.pollMs ?? POLL_MS, (error) =>
    log.error({ err: error }, 'sending notifications failed'),
  )
  const sweeper = setInterval(() => {
    sweep(store, clock()).catch((error: unknown) => log.error({ err: error }, 'sweeping notifications failed'))
  }, SWEEP_MS).unref()
  return {
    ...job,
    async stop() {
      clearInterval(sweeper)
      const grace = setTimeout(() => cutOff.abort(), GRACE_MS)
      await job.stop()
      clearTimeout(grace)
    },
  }
}

async function sweep(store: Store, now: Date): Promise<void> {
  await store.transaction(async (tx) => {
    await sweepMessages(tx, new Date(now.getTime() - KEEP_MS))
    await sweepReportFiles(tx, new Date(now.getTime() - KEEP_FILES_MS))
    await forgetConditions(tx, new Date(now.getTime() - DAY_MS))
  })
}

/** The result, or undefined once the signal is given: a mail under way cannot be called back, and is sent again later. */
async function untilCut<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  let onAbort = () => {}
  const cut = new Promise<undefined>((resolve) => {
    onAbort = () => resolve(undefined)
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
  })
  try {
    return await Promise.race([work, cut])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
