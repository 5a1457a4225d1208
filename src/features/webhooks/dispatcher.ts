import type { Logger } from 'pino'
import { type AttemptResult, verdictOf } from '../../domain/webhook/retry.ts'
import { startBackgroundJob } from '../../platform/scheduler/background-job.ts'
import type { Store } from '../../store/database.ts'
import { type LeasedDelivery, leaseDue } from '../../store/webhook/outbox-leases.ts'
import { giveBack, settle } from '../../store/webhook/outbox-results.ts'
import { findEndpoint } from '../../store/webhook/webhook-endpoints.ts'
import type { Deliver } from './deliver.ts'
import { recordAttempt } from './record-attempt.ts'

/** Hears of webhooks that are not tried any more: what the receiver answered is final, the retry horizon is over, its endpoint was unreachable for all of it, or too many waited for their buyer. */
export type OnGivenUp = (reason: 'refused' | 'horizon' | 'unreachable' | 'too_many', webhooks: number) => void

export interface DispatcherOptions {
  readonly store: Store
  readonly deliver: Deliver
  readonly clock: () => Date
  readonly log: Logger
  /** How long a delivery is tried. */
  readonly horizonMs: number
  readonly onGivenUp?: OnGivenUp | undefined
  readonly limits?: Partial<DispatcherLimits>
  /** Uniform in [0, 1): the jitter of pauses. */
  readonly random?: () => number
}

export interface DispatcherLimits {
  /** How long a process may be busy with a delivery before another takes it over: more than an attempt can last. */
  readonly leaseMs: number
  /** How often it looks for deliveries that other processes wrote and for pauses that are over. */
  readonly pollMs: number
  /** Attempts at the same time. */
  readonly concurrency: number
  /** Attempts at the same time to one endpoint, so that a hanging one leaves room for the others. */
  readonly perEndpoint: number
  /** Attempts at the same time for one buyer, whatever endpoints it names, so that many that hang leave room for other buyers. */
  readonly perBuyer: number
  /** How long `stop` waits for attempts before it cuts them off. */
  readonly graceMs: number
}

const LIMITS: DispatcherLimits = {
  leaseMs: 30_000,
  pollMs: 500,
  concurrency: 32,
  perEndpoint: 8,
  perBuyer: 24,
  graceMs: 1_000,
}

export interface Dispatcher {
  /** Looks for deliveries now. */
  wake(): void
  /** Resolves when nothing is due that could be sent now, and nothing is being sent. */
  idle(): Promise<void>
  /** Sends nothing new, waits a little for what is being sent and gives the rest back. */
  stop(): Promise<void>
}

/**
 * Sends the deliveries in the outbox: at least once, in order within an ordering key, from as many processes as there are. A process that dies
 * loses nothing: its leases end, and others send the same bytes with the same key again.
 */
export function startDispatcher(options: DispatcherOptions): Dispatcher {
  const { store, deliver, clock, log, horizonMs, random = Math.random } = options
  const limits = { ...LIMITS, ...options.limits }
  const running = new Map<string, { readonly endpointKey: string; readonly buyer: string; readonly done: Promise<void> }>()
  const cutOff = new AbortController()
  let stopping = false
  // Where the next look begins: with more endpoints than one look goes through, the others are looked at one poll later.
  let from = ''

  const busy = (of: 'endpointKey' | 'buyer', key: string) => [...running.values()].filter((one) => one[of] === key).length
  const fullOf = (of: 'endpointKey' | 'buyer', most: number) =>
    [...new Set([...running.values()].map((one) => one[of]))].filter((key) => busy(of, key) >= most)

  async function look(): Promise<boolean> {
    const limit = limits.concurrency - running.size
    if (stopping || limit <= 0) return false
    const { leased, next } = await leaseDue(store, {
      now: clock(),
      leaseMs: limits.leaseMs,
      room: (key) => limits.perEndpoint - busy('endpointKey', key),
      full: fullOf('endpointKey', limits.perEndpoint),
      roomOfBuyer: (buyer) => limits.perBuyer - busy('buyer', buyer),
      fullBuyers: fullOf('buyer', limits.perBuyer),
      limit,
      from,
    })
    from = next
    for (const delivery of leased) {
      const done = attempt(delivery)
        .catch((error: unknown) => log.error({ err: error, delivery: delivery.deliveryId }, 'webhook attempt was not recorded'))
        .finally(() => {
          running.delete(delivery.lease)
          job.wake()
        })
      running.set(delivery.lease, { endpointKey: delivery.endpointKey, buyer: delivery.buyer, done })
    }
    return leased.length > 0
  }

  async function attempt(delivery: LeasedDelivery): Promise<void> {
    const endpoint = await findEndpoint(store.read, delivery.endpointId)
    const firedAt = clock()
    const result: AttemptResult = endpoint
      ? await deliver(endpoint, delivery.body, cutOff.signal)
      : { hopeless: true, error: 'its endpoint is gone' }
    if (cutOff.signal.aborted && result.status === undefined) {
      await store.transaction((tx) => giveBack(tx, delivery, clock()))
      return
    }
    const state = await store.transaction(async (tx) => {
      if (endpoint) await recordAttempt(tx, endpoint, delivery, { result, firedAt, completedAt: clock() })
      return settle(tx, delivery, result, { now: clock(), horizonMs, chance: random() })
    })
    const { deliveryId, event, attempt: count } = delivery
    const entry = { delivery: deliveryId, event, attempt: count, status: result.status, reason: result.error }
    if (state === 'dead') options.onGivenUp?.(verdictOf(result) === 'retry' ? 'horizon' : 'refused', 1)
    if (state === undefined) log.warn(entry, 'webhook lease was lost; another process delivers it')
    else if (state === 'dead') log.error(entry, 'webhook given up; redeliver it with "sales-agent webhooks redeliver"')
    else log.info(entry, state === 'delivered' ? 'webhook delivered' : 'webhook not delivered; trying again later')
  }

  const job = startBackgroundJob(look, limits.pollMs, (error) => log.error({ err: error }, 'looking for webhooks failed'))
  const settled = async () => {
    while (running.size > 0) await Promise.all([...running.values()].map(({ done }) => done))
  }
  return {
    wake: job.wake,
    async idle() {
      do {
        await job.idle()
        await settled()
        await job.idle()
      } while (running.size > 0)
    },
    async stop() {
      stopping = true
      await job.stop()
      const grace = setTimeout(() => cutOff.abort(), limits.graceMs)
      await settled()
      clearTimeout(grace)
    },
  }
}
