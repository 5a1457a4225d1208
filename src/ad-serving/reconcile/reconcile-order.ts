import type { BackendCapabilities } from '../../domain/ad-serving/capabilities.ts'
import type { DesiredOrder } from '../../domain/ad-serving/desired-order.ts'
import { diff } from '../../domain/ad-serving/diff.ts'
import { type DriftPolicy, findDrift, isAdoptable, isSameDrift, openAttempts, withDrift } from '../../domain/ad-serving/drift.ts'
import { isLeft, leaveDrift, withoutLeft } from '../../domain/ad-serving/leave-drift.ts'
import { isMissing, missingForBuyer, missingReason, stillMissing, writtenWithout } from '../../domain/ad-serving/missing.ts'
import type { ObservedOrder } from '../../domain/ad-serving/observed-order.ts'
import { type RefusedCreative, type Review, refusedCreatives, reviewOf } from '../../domain/ad-serving/review.ts'
import { describeStep, type Step } from '../../domain/ad-serving/step.ts'
import { traffickedOf } from '../../domain/ad-serving/trafficking.ts'
import { sameValue } from '../../domain/same-value.ts'
import { driftOf, recordDrift, type StoredDrift, settleDrift } from '../../store/ad-serving/ad-server-drift.ts'
import type { LeasedOrder } from '../../store/ad-serving/ad-server-leases.ts'
import type { Store } from '../../store/database.ts'
import type { AdServerBackend } from '../backend.ts'
import { orderWithListTokens } from '../with-list-tokens.ts'
import { heldLease } from './held-lease.ts'
import { loadDesiredOrder } from './load-desired-order.ts'
import { runStep } from './run-step.ts'

/** Takes a token that may be sealed, and gives it sealed under the current secret. */
export type SealToken = (tenantId: string, token: string) => string

/** What reconciling one order works with. */
export interface ReconcileParts {
  readonly store: Store
  readonly clock: () => Date
  readonly backend: AdServerBackend
  readonly drift: DriftPolicy
  /** How long a lease lasts after each step, in milliseconds. */
  readonly leaseMs: number
  /** Seals a token of a buyer's list under the current secret, whatever it was sealed under; absent: they are compared as they are. */
  readonly sealToken?: SealToken | undefined
  /** Called before each step; what it throws ends the attempt as a crash would. For tests of crashes. */
  readonly beforeStep?: ((step: Step) => void) | undefined
  /** What the ad server had of the order a moment ago. It counts where it is what was written: anything else is read again, and then acted on. */
  readonly seen?: ObservedOrder | undefined
}

/** What one attempt led to. */
export interface Reconciled {
  /** What the ad server has now, as we wrote it; undefined: the media buy is gone, or nothing of it was ever there whole. */
  readonly written: DesiredOrder | undefined
  readonly steps: readonly Step[]
  /** What a person at the ad server has to do, or has decided; undefined: nothing. */
  readonly reason: string | undefined
  /** Why the ad server does not have what is wanted, for the buyer: something cannot be found there. Undefined: it has. */
  readonly lacks: string | undefined
  /** What the people at the ad server decided; undefined: there is nothing to decide on. */
  readonly review?: Review
  /** Creatives that the ad server does not take. */
  readonly refused: readonly RefusedCreative[]
  /** Nothing is left to be done, ever. */
  readonly over: boolean
}

/** The ad server took a change and does not show it. */
export class NotConfirmed extends Error {}

/**
 * Brings one order to its ad server: reads what is wanted and what is there, records what changed without us, takes the steps in between, and looks
 * again whether the ad server did what it accepted. May end at any point, by a crash too: the next attempt starts from what is there. Throws
 * {@link LeaseLost}, {@link NotConfirmed} and what the ad server throws.
 */
export async function reconcileOrder(parts: ReconcileParts, leased: LeasedOrder): Promise<Reconciled> {
  const { store, backend } = parts
  const sealed = sealing(parts, leased)
  const order = { ...leased, written: sealed(leased.written), attempted: leased.attempted.map(sealed) }
  const wanted = sealed(await loadDesiredOrder(store.read, order))
  if (!wanted) return { written: undefined, steps: [], reason: undefined, lacks: undefined, refused: [], over: true }
  const seen = sealed(parts.seen)
  const isAsWritten = seen && isInStep(order, wanted, seen, backend.capabilities)
  const observed = isAsWritten ? seen : sealed(await backend.observe(wanted.key))
  const { written, target, drift, left, attempts } = await settleBeforehand(parts, order, wanted, observed)
  const lost = left.filter(isMissing)
  const remaining = (has: ObservedOrder | undefined) =>
    leaveDrift(diff(target, withoutLeft(has, left), backend.capabilities), left)
  const steps = remaining(observed)
  const hold = heldLease(parts, order)
  // Stored before the first step: whatever a process brings there before it dies is then known as ours.
  const attempted = [...attempts.filter((earlier) => !sameValue(earlier, target)), target]
  await hold(steps.length > 0 ? { attempted: JSON.stringify(attempted) } : undefined)
  for (const step of steps) {
    await hold()
    parts.beforeStep?.(step)
    await runStep(backend, wanted.key, step)
  }
  const after = steps.length > 0 ? sealed(await backend.observe(wanted.key)) : observed
  const [unconfirmed] = steps.length > 0 ? remaining(after) : []
  if (unconfirmed) throw new NotConfirmed(`the ad server accepted "${describeStep(unconfirmed)}", but does not show it`)
  // What is still there has not been healed: no step of ours touches what someone added.
  const still = drift.length > 0 ? findDrift(target, [], after, backend.capabilities) : []
  const healed = drift.filter((one) => !left.includes(one) && !still.some((other) => isSameDrift(one, other)))
  if (healed.length > 0) await store.transaction((tx) => settleDrift(tx, healed, 'healed', parts.clock()))
  return {
    // What cannot be found is not brought to what the buyer wants now.
    written: writtenWithout(written, order.written, lost),
    steps,
    lacks: missingForBuyer(lost),
    reason: missingReason(lost) ?? reasonOf(target, after) ?? toTraffic(target, after, backend.capabilities),
    ...(target.state !== 'ended' && {
      review: reviewOf(target, after, { isPending: order.review === 'waiting', now: parts.clock() }),
    }),
    refused: target.state === 'ended' ? [] : refusedCreatives(target, after),
    // An order that someone ended there, and that is left so, is still wanted: it may be taken back, or healed later.
    over: written.state === 'ended' && lost.length === 0,
  }
}

/** Whether nothing is wanted of an order but what was written, and that is all that is there. */
function isInStep(
  { written, attempted }: LeasedOrder,
  wanted: DesiredOrder,
  seen: ObservedOrder,
  keeps: BackendCapabilities,
): boolean {
  return (
    written !== undefined &&
    sameValue(written, wanted) &&
    diff(wanted, seen, keeps).length === 0 &&
    findDrift(written, attempted, seen, keeps).length === 0
  )
}

/** Brings the list tokens of orders under one secret, so that a rotation makes no difference between them. */
function sealing({ sealToken }: ReconcileParts, { tenantId }: LeasedOrder) {
  return <O extends DesiredOrder | ObservedOrder | undefined>(order: O): O =>
    order && sealToken ? orderWithListTokens(order, (token) => sealToken(tenantId, token)) : order
}

interface Beforehand {
  /** What is wanted, adopted values included. */
  readonly written: DesiredOrder
  /** What the ad server is brought to: like `written`, but for drift that is left. */
  readonly target: DesiredOrder
  /** Drift that is open. */
  readonly drift: readonly StoredDrift[]
  /** Of it, what nothing is done about. */
  readonly left: readonly StoredDrift[]
  /** Earlier attempts that were not completed, and left something there. */
  readonly attempts: readonly DesiredOrder[]
}

/** Finds drift, stores it before anything is changed, and decides what becomes of it. */
async function settleBeforehand(
  parts: ReconcileParts,
  order: LeasedOrder,
  wanted: DesiredOrder,
  observed: ObservedOrder | undefined,
): Promise<Beforehand> {
  const { store, clock } = parts
  const keeps = parts.backend.capabilities
  return store.transaction(async (tx) => {
    const before = await driftOf(tx, order, 'adopted')
    // What a person adopted since the last look is no drift any more.
    const known = order.written && withAdopted(order.written, before).order
    const knownOpen = await driftOf(tx, order, 'open')
    const changes = known ? findDrift(known, order.attempted, observed, keeps) : []
    const found = [...changes, ...stillMissing(knownOpen, changes, observed)]
    const attempts = known ? openAttempts(known, order.attempted, observed, keeps) : []
    const open = await recordDrift(tx, order, found, clock())
    const adopting = parts.drift === 'adopt' ? open.filter(isAdoptable) : []
    await settleDrift(tx, adopting, 'adopted', clock())
    const adopted = await driftOf(tx, order, 'adopted')
    const { order: written, stale } = withAdopted(wanted, adopted)
    await settleDrift(tx, stale, 'superseded', clock())
    const rest = open.filter((one) => !adopting.includes(one))
    // What the buyer has changed since it was written is brought there, whatever became of it meanwhile.
    const left = rest.filter((one) => isMissing(one) || (parts.drift !== 'heal' && isLeft(one, written)))
    return { written, target: withDrift(written, left), drift: rest, left, attempts }
  })
}

/** The order with every adopted value, and those which the buyer has changed since. A value that was adopted twice builds on the first. */
function withAdopted(wanted: DesiredOrder, adopted: readonly StoredDrift[]) {
  const stale: StoredDrift[] = []
  let order = wanted
  for (const one of adopted) {
    const changed = withDrift(order, [one])
    if (sameValue(changed, order)) stale.push(one)
    order = changed
  }
  return { order, stale }
}

/** Creatives named in one reason. */
const MOST_NAMED = 10

/** Creatives that someone has to put on lines by hand, where the ad server cannot be given any. */
function toTraffic(target: DesiredOrder, observed: ObservedOrder | undefined, keeps: BackendCapabilities): string | undefined {
  if (keeps.creatives) return undefined
  const missing = traffickedOf(target, observed).filter(({ isLive }) => !isLive)
  if (missing.length === 0) return undefined
  const named = missing.slice(0, MOST_NAMED).map(({ creative, lineExternalId }) => `${creative.externalId} on ${lineExternalId}`)
  const rest = missing.length > named.length ? ` and ${missing.length - named.length} more` : ''
  return `creatives to traffic by hand (sales-agent adservers sheet): ${named.join(', ')}${rest}`
}

/** What a person at the ad server has to do before the order serves. */
function reasonOf(target: DesiredOrder, observed: ObservedOrder | undefined): string | undefined {
  if (!observed || target.state === 'ended') return undefined
  if (observed.state === 'waiting') return observed.reason ?? 'waits for approval at the ad server'
  if (observed.state === 'rejected') return `rejected at the ad server: ${observed.reason ?? 'no reason given'}`
  const lines = observed.lines.filter(
    ({ externalId, state }) => externalId !== undefined && (state === 'waiting' || state === 'rejected'),
  )
  if (lines.length > 0)
    return observed.reason ?? lines.map(({ externalId, state }) => `line ${externalId} is ${state} at the ad server`).join('; ')
  const refused = observed.creatives.filter(({ review }) => review?.state === 'rejected')
  if (refused.length === 0) return observed.reason
  return refused
    .map(
      ({ externalId, review }) => `creative ${externalId} was rejected at the ad server: ${review?.reason ?? 'no reason given'}`,
    )
    .join('; ')
}
