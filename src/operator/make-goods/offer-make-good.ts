import { randomUUID } from 'node:crypto'
import { endOfLastDay } from '../../domain/calendar/flight-days.ts'
import { DAY_MS } from '../../domain/calendar/instant.ts'
import { proposedMakeGoods } from '../../domain/media-buy/make-good.ts'
import type { MakeGood, MakeGoodTerms } from '../../domain/media-buy/make-good-terms.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { type ActContext, defineAct } from '../act.ts'
import { NET, numberText, readAmount } from '../amount.ts'
import { chargedOfLines } from '../billing/charged-lines.ts'
import { givingBack, requireLeftOfCharge } from '../billing/give-back.ts'
import { between, count, day, required } from '../fields.ts'
import { publisherCalendar } from '../flight.ts'
import { makeGoodShape, presentMakeGood, type ShownMakeGood } from '../orders/make-good-shape.ts'
import { ORDER } from '../orders/show-order.ts'
import { billedReasonField } from '../reasons.ts'
import { ACCOUNTANTS, SELLERS } from '../roles.ts'
import { idText } from '../text-form.ts'
import { agreeOnAdopted } from './agree-adopted.ts'
import { agreeWithPeople } from './agree-direct.ts'
import type { Writing } from './charge-make-good.ts'
import { makeGoodLines, whatText } from './list-make-goods.ts'
import { offerToBuyer } from './offer-to-buyer.ts'
import { type OfferableLine, offerableLine } from './short-line.ts'

// Several acts in one file: the same decision or change in its directions, such as approve and reject.

/** How long a buyer has to answer when nobody says otherwise, in days. */
export const ANSWER_DAYS = 14

const OFFER = {
  order: ORDER,
  line: required(idText('the line or package that fell short')),
  reason: required(billedReasonField('why, for the buyer, the history and the invoice')),
  days: between(1, 90, count(`days that the buyer has to answer; default ${ANSWER_DAYS}`)),
}

interface Asked {
  readonly order: string
  readonly line: string
  readonly reason: string
  readonly days?: number
}

/**
 * Offers to deliver what a line missed. Orders of buyers: the buyer accepts or declines; orders of the publisher's people: it is agreed with them, and carried out. Throws REFERENCE_NOT_FOUND, INVALID_STATE for a
 * line that did not fall short or has an offer, INVALID_REQUEST for days that are past.
 */
export const offerDelivery = defineAct({
  name: 'make-goods.offer',
  route: 'POST /orders/{order}/make-goods/deliveries',
  id: 'offerMakeGoodDelivery',
  roles: SELLERS,
  summary: 'Offers to deliver what a line missed, at no more cost, in a flight of its own; a direct order gets the line at once.',
  fields: {
    ...OFFER,
    first: day('the first day of the flight, YYYY-MM-DD; default: at once'),
    last: day(
      'its last day; default: after the time that the flight took for that much; with first, after the length of the whole flight',
    ),
  },
  answer: makeGoodShape,
  command: { args: ['order', 'line'], text: makeGoodLines },
  async run(context, { first, last, ...asked }) {
    const found = await offerableLine(context, asked.order, asked.line)
    return offer(context, asked, found, await deliveryOf(context, found, first, last))
  },
})

/**
 * Offers a credit for a line that fell short: a charge of less than nothing on the invoice of the month in which it is agreed. Throws as {@link offerDelivery} does, and INVALID_REQUEST for more than was charged.
 */
export const offerCredit = defineAct({
  name: 'make-goods.credit',
  route: 'POST /orders/{order}/make-goods/credits',
  id: 'offerMakeGoodCredit',
  roles: ACCOUNTANTS,
  summary: 'Offers a credit for a line that fell short; of a direct order it is on the next invoice at once.',
  fields: {
    ...OFFER,
    amount: numberText(`e.g. 150.00, ${NET}; default: of a flat price, what was charged of the share that was not delivered`),
  },
  answer: makeGoodShape,
  command: { args: ['order', 'line'], text: makeGoodLines },
  async run(context, { amount, ...asked }) {
    const found = await offerableLine(context, asked.order, asked.line)
    const of = { orderId: asked.order, lineId: found.chargedAs }
    const terms = await creditOf(context, found, of.orderId, amount)
    const { currency } = found.line
    const left = () => requireLeftOfCharge(context, of, { micros: terms.micros, currency })
    return offer(context, asked, found, terms, (write) => givingBack(context, left, write))
  },
})

async function offer(
  context: ActContext,
  asked: Asked,
  found: OfferableLine,
  terms: MakeGoodTerms,
  writing: Writing = (write) => context.store.transaction((tx) => write(tx, '')),
): Promise<ShownMakeGood> {
  const { clock, actor, tenantId } = context
  requireAgreed(found, terms)
  const now = clock()
  const until = new Date(now.getTime() + (asked.days ?? ANSWER_DAYS) * DAY_MS).toISOString()
  const makeGood: MakeGood = {
    ...{ makeGoodId: `mg_${randomUUID()}`, lineId: found.lineId, ...terms, reason: asked.reason },
    ...{ offeredAt: now.toISOString(), offeredBy: actor.credential, state: 'offered' },
    expiresAt: terms.endsAt !== undefined && terms.endsAt < until ? terms.endsAt : until,
  }
  const shown = { currency: found.line.currency, now, zone: await publisherCalendar(context, tenantId) }
  context.noteChanges({
    make_good: [null, makeGood.makeGoodId],
    [`${found.lineId}.make_good`]: [null, whatText(presentMakeGood(makeGood, shown))],
  })
  const made = found.order
    ? await offerToBuyer(context, tenantId, found.order, makeGood, { person: actor.credential, now, writing })
    : await (found.origin === 'adopted' ? agreeOnAdopted : agreeWithPeople)(context, asked.order, found, makeGood, writing)
  return presentMakeGood(made, shown)
}

async function deliveryOf(
  context: ActContext,
  { line }: OfferableLine,
  first: string | undefined,
  last: string | undefined,
): Promise<MakeGoodTerms> {
  const now = context.clock()
  const [soon, later] = proposedMakeGoods(line, undefined, now)
  const { calendar } = await publisherCalendar(context, context.tenantId)
  const startsAt = first === undefined ? now : calendar.startOf(first)
  const length = Date.parse(later?.endsAt ?? '') - Date.parse(later?.startsAt ?? '')
  const proposed = first === undefined ? new Date(soon?.endsAt ?? now) : new Date(startsAt.getTime() + length)
  const endsAt = last === undefined ? proposed : endOfLastDay(last, calendar)
  if (endsAt <= startsAt)
    throw new AdcpError('INVALID_REQUEST', 'last must not be before first, or before today', { field: 'last' })
  if (startsAt.getTime() < now.getTime() - DAY_MS)
    throw new AdcpError('INVALID_REQUEST', 'first is past; leave it out to begin at once', { field: 'first' })
  const goal = line.missed.unit === 'impressions' && { impressions: line.missed.ordered - line.missed.delivered }
  return { remedy: 'additional_delivery', ...goal, startsAt: startsAt.toISOString(), endsAt: endsAt.toISOString() }
}

/** A credit: what people said, else what is proposed. Micros after discount and commission, as they are given back. */
async function creditOf(context: ActContext, found: OfferableLine, orderId: string, amount: string | undefined) {
  const micros = amount === undefined ? await proposedCredit(context, found, orderId) : readAmount(amount, found.line.currency)
  if (micros === undefined)
    throw new AdcpError('INVALID_REQUEST', 'amount is required: of this line is paid what was delivered, and no more', {
      field: 'amount',
    })
  return { remedy: 'credit' as const, micros }
}

async function proposedCredit(context: ActContext, { line, chargedAs: lineId, days }: OfferableLine, orderId: string) {
  if (line.flatMicros === undefined) return undefined
  const charged = await chargedOfLines(context, context.tenantId, [{ orderId, lineId, days }])
  return proposedMakeGoods(line, charged.get(lineId), context.clock()).find(({ remedy }) => remedy === 'credit')?.micros
}

/** Throws INVALID_STATE for a remedy that is none of those that were agreed with the buyer. A credit is given on an invoice either way. */
function requireAgreed({ agreed }: OfferableLine, { remedy }: MakeGoodTerms): void {
  const allowed = agreed?.map((each) => (each === 'invoice_adjustment' ? 'credit' : each))
  if (!allowed || allowed.includes(remedy)) return
  throw new AdcpError('INVALID_STATE', `with the buyer are agreed: ${agreed?.join(', ')}; not ${remedy}`, { field: 'line' })
}
