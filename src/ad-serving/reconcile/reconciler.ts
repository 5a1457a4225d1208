import type { ObservedOrder } from '../../domain/ad-serving/observed-order.ts'
import { reasonOf } from '../../domain/ad-serving/reason-of.ts'
import { isForGood, refusedForGood } from '../../domain/ad-serving/refused-order.ts'
import type { RefusedCreative, Review } from '../../domain/ad-serving/review.ts'
import type { Step } from '../../domain/ad-serving/step.ts'
import { type BackgroundJob, startBackgroundJob } from '../../platform/scheduler/background-job.ts'
import { noteMissing } from '../../store/ad-serving/ad-server-drift.ts'
import { type LeasedOrder, leaseOrders, type OrderChange, releaseOrder } from '../../store/ad-serving/ad-server-leases.ts'
import type { Store } from '../../store/database.ts'
import { MissingThere } from '../missing-there.ts'
import type { ReconciledBackends } from '../reconciled-backends.ts'
import { type Refusal, refusalOf } from '../refusal.ts'
import { LeaseLost } from './held-lease.ts'
import { importDelivery } from './import-delivery.ts'
import { importOrders } from './import-orders.ts'
import { lookTogether } from './look-together.ts'
import { type Reconciled, reconcileOrder, type SealToken } from './reconcile-order.ts'
import { withTimeLimit } from './timed-backend.ts'

export interface ReconcilerLog {
  info(facts: Readonly<Record<string, unknown>>, message: string): void
  warn(facts: Readonly<Record<string, unknown>>, message: string): void
  error(facts: Readonly<Record<string, unknown>>, message: string): void
}

/**
 * Takes note of what the people at an ad server decided on an order; `undefined`: the order has ended, so nothing is left to decide. May be called
 * again with the same decision.
 */
export type SettleReview = (order: LeasedOrder, review: Review | undefined) => Promise<void>

/** Takes note of creatives of an order that the ad server does not take. May be called again with the same ones. */
export type SettleCreatives = (order: LeasedOrder, refused: readonly RefusedCreative[]) => Promise<void>

/**
 * Takes note of what an ad server was seen to have: everything that was asked for until the order was leased, or not, with the reason for the buyer. May be called again
 * with the same.
 */
export type SettleChanges = (order: LeasedOrder, lacks: string | undefined) => Promise<void>

export interface ReconcilerParts {
  readonly store: Store
  readonly clock: () => Date
  readonly log: ReconcilerLog
  readonly backends: ReconciledBackends
  /** Absent: decisions of people at ad servers are left alone. */
  readonly settleReview?: SettleReview | undefined
  /** Absent: the same. */
  readonly settleCreatives?: SettleCreatives | undefined
  /** Absent: tasks of changes are left alone. */
  readonly settleChanges?: SettleChanges | undefined
  readonly sealToken?: SealToken | undefined
  readonly timing?: Partial<ReconcilerTiming> | undefined
  /** Called before each step; what it throws ends the attempt as a crash would. For tests of crashes. */
  readonly beforeStep?: ((step: Step) => void) | undefined
}

/** All in milliseconds. */
export interface ReconcilerTiming {
  /** How often the store is asked for orders that are due; a change that is committed is looked at within a fifth of it. */
  readonly everyMs: number
  /** Longest call to an ad server. */
  readonly callMs: number
  /** How long an order belongs to one process; longer than a call. */
  readonly leaseMs: number
  /** How often an ad server is asked for drift. */
  readonly checkMs: number
  /** How often an order is looked at that waits for a person at the ad server. */
  readonly reviewMs: number
  /** Pause after the first failure; each further one doubles it. */
  readonly retryMs: number
  readonly mostRetryMs: number
  /** How often delivery is imported: progress is read about every quarter of an hour. */
  readonly reportMs: number
}

const TIMING: ReconcilerTiming = {
  everyMs: 1_000,
  callMs: 20_000,
  leaseMs: 60_000,
  checkMs: 15 * 60_000,
  reviewMs: 30_000,
  retryMs: 2_000,
  mostRetryMs: 5 * 60_000,
  reportMs: 15 * 60_000,
}

/** Orders of one look, and how many of them at once: ad servers limit the calls of a client. */
const BATCH = 50
const AT_ONCE = 8

/** Starts the background job that keeps ad servers in step with the store, in each process: leases see to it that an order has one at a time. */
export function startReconciler(parts: ReconcilerParts): BackgroundJob {
  const { everyMs } = { ...TIMING, ...parts.timing }
  const onError = (error: unknown) => parts.log.error({ err: error }, 'reconciling with ad servers failed')
  const job = startBackgroundJob(
    async () => {
      const orders = await reconcileDue(parts)
      const timing = { ...TIMING, ...parts.timing }
      const reports = await importDelivery(parts, timing)
      const others = await importOrders(parts, timing)
      return orders || reports || others
    },
    everyMs,
    onError,
  )
  return wokenByChanges(job, parts.store, everyMs / LOOKS)
}

/** How often the store is asked within an interval whether anything was committed: far less than a query, and none follows while nothing was. */
const LOOKS = 5

/** The same job, which also runs when something was committed since: a change of an order need not wait for the interval. */
function wokenByChanges(job: BackgroundJob, store: Pick<Store, 'dataVersion'>, everyMs: number): BackgroundJob {
  let seen = store.dataVersion()
  const look = startBackgroundJob(
    async () => {
      const version = store.dataVersion()
      if (version !== seen) job.wake()
      seen = version
      return false
    },
    everyMs,
    // What is wrong with the store is logged by the job itself, at its next run.
    () => {},
  )
  return {
    ...job,
    async stop() {
      await look.stop()
      await job.stop()
    },
  }
}

/** Reconciles the orders that are due. True when there may be more. */
export async function reconcileDue(parts: ReconcilerParts): Promise<boolean> {
  const timing = { ...TIMING, ...parts.timing }
  const leased = await leaseOrders(parts.store, { now: parts.clock(), leaseMs: timing.leaseMs, limit: BATCH })
  const seen = lookTogether(parts.backends, leased, timing.callMs)
  // What a buyer changed does not wait for what is only looked at.
  const queue = [...leased.filter((order) => !seen.has(order)), ...seen.keys()]
  const work = async () => {
    for (let order = queue.shift(); order; order = queue.shift()) await settleOrder(parts, timing, order, seen.get(order))
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, leased.length) }, work))
  return leased.length === BATCH
}

async function settleOrder(
  parts: ReconcilerParts,
  timing: ReconcilerTiming,
  order: LeasedOrder,
  seen: Promise<ObservedOrder | undefined> | undefined,
): Promise<void> {
  const { store, clock, log } = parts
  const { mediaBuyId, adServer, tenantId } = order
  const facts = { tenant: tenantId, mediaBuy: mediaBuyId, adServer }
  const release = (inMs: number | undefined, change: OrderChange) => {
    const dueAt = inMs === undefined ? undefined : new Date(clock().getTime() + inMs)
    // What a crash of the machine forgets is found out again: the order is reconciled once more.
    return store.transaction((tx) => releaseOrder(tx, order, dueAt, change), { durability: 'lazy' })
  }
  try {
    const used = parts.backends(tenantId).get(adServer)
    if (!used) throw new Error(`the configuration names no ad server "${adServer}" that is reconciled; name it again`)
    const backend = withTimeLimit(used.backend, timing.callMs)
    const { drift } = used
    const { leaseMs } = timing
    const done = await reconcileOrder(
      { store, clock, backend, drift, leaseMs, sealToken: parts.sealToken, beforeStep: parts.beforeStep, seen: await seen },
      order,
    )
    if (done.refused.length > 0) await parts.settleCreatives?.(order, done.refused)
    if (isNews(order, done.review)) await parts.settleReview?.(order, done.review)
    await parts.settleChanges?.(order, done.lacks)
    const change = {
      ...(done.lacks === undefined && { applied: order.requested }),
      attempts: 0,
      reason: done.reason ?? null,
      refused_since: null,
      refusal: null,
      written: done.written ? JSON.stringify(done.written) : null,
      attempted: null,
      observed_at: clock().toISOString(),
    }
    await release(nextLookMs(done, timing), change)
    if (done.steps.length > 0) log.info({ ...facts, steps: done.steps.length }, 'an order was brought to its ad server')
  } catch (error) {
    if (error instanceof LeaseLost) return
    if (error instanceof MissingThere) await store.transaction((tx) => noteMissing(tx, order, error.subject, clock()))
    const attempts = order.attempts + 1
    const refusal = refusalOf(error)
    const pause = refusal ? timing.mostRetryMs : Math.min(timing.mostRetryMs, timing.retryMs * 2 ** Math.min(attempts - 1, 20))
    log.warn({ ...facts, err: error, attempts }, 'an order waits for its ad server')
    const now = clock()
    const isFinal = refusal !== undefined && isForGood(order, refusal, now)
    if (isFinal) await parts.settleReview?.(order, refusedForGood(reasonOf(refusal.reason)))
    // An order that was rejected has nothing left to mend.
    if (refusal?.of === 'order') await parts.settleChanges?.(order, refusedChange(refusal.reason))
    const isOpen = refusal?.of === 'order' && order.review !== 'rejected' && !isFinal
    const refused = {
      refused_since: isOpen ? (order.refusedSince ?? now.toISOString()) : null,
      refusal: isOpen ? reasonOf(refusal.reason) : null,
    }
    await release(pause, { attempts, reason: whyNot(error, refusal), ...refused })
  }
}

/** Undefined: never again. */
function nextLookMs({ over, lacks, reason }: Reconciled, timing: ReconcilerTiming): number | undefined {
  if (over) return undefined
  if (lacks !== undefined) return timing.mostRetryMs
  return reason === undefined ? timing.checkMs : timing.reviewMs
}

/** Whether the buyer does not know of a decision yet. */
function isNews({ review: known }: LeasedOrder, review: Review | undefined): boolean {
  if (known === 'waiting') return review?.state !== 'waiting'
  return review?.state === 'rejected' && known !== 'rejected'
}

/** For the buyer of a change that was refused: it is tried again, and the publisher's people were told. */
function refusedChange(reason: string): string {
  return `waiting: the ad server of the publisher refuses the change: ${reasonOf(reason)}`
}

function whyNot(error: unknown, refusal: Refusal | undefined): string {
  const reason = reasonOf(error)
  return refusal ? `refused by the ad server: ${reason}` : reason
}
