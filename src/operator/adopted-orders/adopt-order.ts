import { importReport } from '../../ad-serving/reconcile/import-report.ts'
import { reasonOf } from '../../domain/ad-serving/reason-of.ts'
import { microsToAmount } from '../../domain/money.ts'
import { type AdoptedLine, wholeOf } from '../../domain/order/adopted-line.ts'
import { adoptedKey } from '../../store/order/adopted-orders.ts'
import { type ActContext, defineAct } from '../act.ts'
import { NAME, ONLY_ONE } from '../ad-servers/named-ad-server.ts'
import { exactText } from '../amount.ts'
import { tryOut } from '../audited-store.ts'
import { changedMembers } from '../changed-members.ts'
import { atMost, exact, month, required, text } from '../fields.ts'
import { READERS, SELLERS } from '../roles.ts'
import { idText, newOrderId } from '../text-form.ts'
import { adoptedOrderLines, adoptedOrderShape, adoptionLines, adoptionShape, type ShownAdoption } from './adopted-order-shapes.ts'
import { readAdoptedOrder } from './present-adopted-order.ts'
import { type Adoption, readAdoption } from './read-adoption.ts'
import { type WrittenAdoption, writeAdoption } from './write-adoption.ts'

// Several acts in one file: they list, change and remove the same thing.

const ADOPTED = {
  name: NAME,
  there: required(atMost(100, exact(text('the id that the order has at the ad server; adservers existing lists them')))),
  order_id: newOrderId('id of the order here, of a new one; default: AD_SERVER-ID'),
  billed_party: atMost(
    200,
    text('who it is billed to, as direct orders name the advertiser; default: as the ad server names it'),
  ),
  billed_from: month('the first month that is billed here, YYYY-MM; default: the one in which it is adopted'),
}

/** What adopting an order would come to; nothing is stored. Throws what {@link adoptOrder} throws. */
export const previewAdoption = defineAct({
  name: 'adopted-orders.preview',
  route: 'POST /adopted-orders/preview',
  id: 'previewAdoption',
  roles: SELLERS,
  changes: false,
  summary: 'What adopting an order of an ad server would come to; nothing is stored.',
  fields: ADOPTED,
  answer: adoptionShape,
  command: { args: ['there'], flags: { name: 'ad-server' }, fill: ONLY_ONE, text: adoptionLines },
  async run(context, asked) {
    const adoption = await readAdoption(context, asked)
    return tryOut(context, async (tx) => {
      const written = await writeAdoption(tx, context, adoption)
      const order = await readAdoptedOrder(context, written.orderId, tx)
      return { ...shown(adoption, written), order, delivery: { rows: 0, reason: null } }
    })
  },
})

/**
 * Takes an order that people booked in an ad server into the book: its delivery is imported from then on, and reports, pacing, findings and invoices have it as any other. Nothing is changed at the ad server. Adopting it again reads what people changed there. Throws
 * REFERENCE_NOT_FOUND, INVALID_STATE, INVALID_REQUEST, and what the ad server throws.
 */
export const adoptOrder = defineAct({
  name: 'adopted-orders.adopt',
  route: 'POST /adopted-orders',
  id: 'adoptOrder',
  roles: SELLERS,
  summary: 'Takes an order that people booked in an ad server into the book, or reads it again.',
  fields: ADOPTED,
  answer: adoptionShape,
  command: { args: ['there'], flags: { name: 'ad-server' }, fill: ONLY_ONE, text: adoptionLines },
  async run(context, asked) {
    const { store, noteChanges, noteSubject } = context
    const adoption = await readAdoption(context, asked)
    const written = await store.transaction(async (tx) => {
      const done = await writeAdoption(tx, context, adoption)
      noteSubject(done.orderId)
      noteChanges(changedMembers(done.before ?? {}, done.after))
      // What cannot be shown is not stored.
      await readAdoptedOrder(context, done.orderId, tx)
      return done
    })
    const delivery = await importNow(context, adoption)
    return { ...shown(adoption, written), order: await readAdoptedOrder(context, written.orderId), delivery }
  },
})

/** Throws REFERENCE_NOT_FOUND. */
export const showAdoptedOrder = defineAct({
  name: 'adopted-orders.show',
  route: 'GET /adopted-orders/{order}',
  id: 'showAdoptedOrder',
  roles: READERS,
  summary: 'One adopted order with its lines and what they delivered.',
  fields: { order: required(idText('id of the adopted order')) },
  answer: adoptedOrderShape,
  command: { text: adoptedOrderLines },
  run: (context, { order }) => readAdoptedOrder(context, order),
})

/** Longest call, in milliseconds. */
const CALL_MS = 30_000

/** The delivery of an order from its first day on. What the ad server does not report now is imported when it is due. */
async function importNow(context: ActContext, { adServer, there, lines }: Adoption): Promise<ShownAdoption['delivery']> {
  const { store, clock, services, tenantId } = context
  const { backends } = await services.adServers()
  const asked = {
    tenantId,
    adServer,
    mediaBuyIds: [adoptedKey(adServer, there)],
    since: wholeOf(lines).startsAt.slice(0, 10),
    callMs: CALL_MS,
    areAdopted: true,
  }
  try {
    const { added, refused } = await importReport({ store, clock, backends }, asked)
    return { rows: added, reason: refused ?? null }
  } catch (error) {
    return { rows: 0, reason: reasonOf(error) }
  }
}

function shown({ currency, leftOut }: Adoption, { isNew, prices }: WrittenAdoption) {
  const price = ({ model, rateMicros, dayRateMicros, flight }: AdoptedLine) => {
    const amount = `${exactText(microsToAmount(dayRateMicros ?? rateMicros), currency)} ${currency}`
    return dayRateMicros === undefined ? `${amount} ${model}` : `${amount} a day, ${flight?.startsAt} – ${flight?.endsAt}`
  }
  return {
    is_new: isNew,
    left_out: leftOut.map(({ id, name, reason }) => ({ line_id: id, name, reason })),
    price_there: prices.map(({ id, adopted, there }) => ({ line_id: id, adopted: price(adopted), there: price(there) })),
  }
}
