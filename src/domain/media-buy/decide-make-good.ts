import { AdcpError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'
import { quoted } from '../../protocol/nearest-name.ts'
import { MAX_PACKAGES, packageIdOf } from './create.ts'
import { deliveredInAddition, lastMakeGood, makeGoodState } from './make-good.ts'
import type { MakeGood } from './make-good-terms.ts'
import type { Assignment, CreativeFacts, MediaBuy } from './media-buy.ts'
import type { Counted } from './progress.ts'
import { revise } from './revise.ts'
import type { Update } from './update.ts'

/** What becomes of an offer. */
export const DECISIONS = ['accept', 'decline', 'withdraw'] as const

/** The answer to an offer, as `ext.make_good` of update_media_buy has it; only the publisher withdraws. */
export interface MakeGoodDecision {
  readonly make_good_id: string
  readonly decision: (typeof DECISIONS)[number]
}

const FIELD = 'ext.make_good'
/** Members of an update that may come with an answer to an offer: they change nothing of the order. */
const BESIDE = new Set([
  'account',
  'media_buy_id',
  'revision',
  'reporting_webhook',
  'push_notification_config',
  'idempotency_key',
])
const ENVELOPE = new Set(['context', 'ext', 'adcp_version', 'adcp_major_version', 'governance_context'])

/** The answer that an update gives to an offer of a make-good; undefined: it gives none. Throws INVALID_REQUEST for one that is malformed, or that comes with other changes. */
export function makeGoodDecisionIn(update: object): MakeGoodDecision | undefined {
  const { ext, ...request }: { readonly ext?: unknown } = update
  const given = isObject(ext) ? ext.make_good : undefined
  if (given === undefined) return undefined
  const decision = isObject(given) ? DECISIONS.find((each) => each === given.decision) : undefined
  if (!isObject(given) || typeof given.make_good_id !== 'string' || decision === undefined)
    throw new AdcpError(
      'INVALID_REQUEST',
      `${FIELD} has to be { make_good_id, decision } with decision accept or decline; get_media_buys shows what is offered`,
      { field: FIELD },
    )
  const other = Object.keys(request).find((name) => !BESIDE.has(name) && !ENVELOPE.has(name))
  if (other !== undefined)
    throw new AdcpError('INVALID_REQUEST', `${FIELD} is answered alone: send ${other} in another call`, { field: other })
  return { make_good_id: given.make_good_id, decision }
}

export interface MakeGoodContext {
  readonly actor: string
  /** The person at the publisher who decides in the buyer's place, or withdraws. */
  readonly person?: string | undefined
  readonly reason?: string | undefined
  readonly creatives: CreativeFacts
  /** Counted so far by package id. */
  readonly spent: ReadonlyMap<string, Counted>
  readonly now: Date
}

/**
 * Applies the answer to an offer of a make-good, also to an order that is completed. Throws REFERENCE_NOT_FOUND for an offer that is not there, INVALID_STATE for one that was answered, is too old or whose order
 * was canceled.
 */
export function decideMakeGood(
  buy: MediaBuy,
  { make_good_id: id, decision }: MakeGoodDecision,
  context: MakeGoodContext,
): Update {
  const { actor, person, reason, now } = context
  const found = openOffer(buy, id, now)
  if (decision === 'withdraw' && person === undefined)
    throw new AdcpError('INVALID_REQUEST', `${FIELD}.decision must be accept or decline`, { field: `${FIELD}.decision` })
  const state = ({ accept: 'accepted', decline: 'declined', withdraw: 'withdrawn' } as const)[decision]
  const decided = decidedAs(state, found, { by: person ?? actor, now })
  const accepted =
    decision === 'accept' && found.remedy === 'additional_delivery' ? withDelivery(buy, decided, context) : undefined
  const { makeGood = decided, buy: next = buy, assignments = new Map() } = accepted ?? {}
  const makeGoods = (buy.makeGoods ?? []).map((each) => (each.makeGoodId === id ? makeGood : each))
  const who = person === undefined ? '' : ` by the publisher${reason === undefined ? '' : `: ${reason}`}`
  const change = { action: `make_good_${state}`, summary: `Make-good ${state}${who}`, packageId: found.lineId }
  return { ...revise(buy, { ...next, makeGoods }, [change], { actor, person, now }), assignments, additions: new Map() }
}

/** An offer as somebody decided on it. */
export function decidedAs(
  state: 'accepted' | 'declined' | 'withdrawn',
  offered: MakeGood,
  { by, now }: { readonly by: string; readonly now: Date },
): MakeGood {
  return { ...offered, state, decidedAt: now.toISOString(), decidedBy: by }
}

function openOffer(buy: MediaBuy, id: string, now: Date): MakeGood {
  const found = buy.makeGoods?.find(({ makeGoodId }) => makeGoodId === id)
  const field = `${FIELD}.make_good_id`
  if (!found) throw new AdcpError('REFERENCE_NOT_FOUND', `${field} ${quoted(id)} is not offered for this media buy`, { field })
  const state = makeGoodState(found, now)
  if (state === 'offered' && !buy.cancellation && !buy.rejection) return found
  const why = state === 'offered' ? 'its media buy was canceled' : `it is ${state}`
  throw new AdcpError('INVALID_STATE', `make-good ${id} can no longer be answered: ${why}`, { field })
}

/** The order with the package that delivers what was missing; it serves what the other one served. */
function withDelivery(buy: MediaBuy, makeGood: MakeGood, { creatives, spent, now }: MakeGoodContext) {
  if (buy.packages.length >= MAX_PACKAGES)
    throw new AdcpError('INVALID_STATE', `the media buy has ${MAX_PACKAGES} packages, which is the most`, { field: FIELD })
  const { lineId } = makeGood
  const index = buy.packages.findIndex(({ packageId }) => packageId === lineId)
  const pkg = buy.packages[index]
  if (!pkg || pkg.cancellation) throw new AdcpError('INVALID_STATE', 'its package was canceled', { field: FIELD })
  const packageId = packageIdOf(buy.mediaBuyId, buy.packages.length)
  const counted = spent.get(lineId) ?? { spendMicros: 0, impressions: 0 }
  const { old, added } = deliveredInAddition(pkg, makeGood, { packageId, spent: counted, now })
  const served = (creatives.get(lineId) ?? []).map(
    ({ creativeId, weight, placementIds }): Assignment => ({
      creativeId,
      ...(weight !== undefined && { weight }),
      ...(placementIds && { placementIds }),
    }),
  )
  const endsAt = added.terms.endsAt > buy.endsAt ? added.terms.endsAt : buy.endsAt
  return {
    makeGood: { ...makeGood, newLineId: packageId },
    buy: { ...buy, endsAt, packages: [...buy.packages.with(index, old), added] },
    assignments: new Map([[packageId, served]]),
  }
}

/** Offers of an order that one person or another keeps in sight. */
const MOST_OFFERS = 50

/**
 * The order with an offer for one of its packages. Throws INVALID_STATE for a package with an offer that waits or was accepted, and for an order with 50 offers; field `line`.
 */
export function offerMakeGood(
  buy: MediaBuy,
  makeGood: MakeGood,
  { actor, person, now }: { readonly actor: string; readonly person: string; readonly now: Date },
): MediaBuy {
  requireOfferable(buy.makeGoods ?? [], makeGood.lineId, now)
  const makeGoods = [...(buy.makeGoods ?? []), makeGood]
  const change = { action: 'make_good_offered', summary: `Make-good offered: ${makeGood.reason}`, packageId: makeGood.lineId }
  return revise(buy, { ...buy, makeGoods }, [change], { actor, person, now }).buy
}

/** Throws INVALID_STATE, field `line`, for a line that cannot be offered a make-good again. */
export function requireOfferable(makeGoods: readonly MakeGood[], lineId: string, now: Date): void {
  const refuse = (message: string) => {
    throw new AdcpError('INVALID_STATE', message, { field: 'line' })
  }
  const last = lastMakeGood(makeGoods, lineId)
  const state = last && makeGoodState(last, now)
  if (last && (state === 'offered' || state === 'accepted'))
    refuse(`line ${lineId} has the make-good ${last.makeGoodId}, which is ${state}`)
  if (makeGoods.length >= MOST_OFFERS) refuse(`the order has ${MOST_OFFERS} make-goods, which is the most`)
}
