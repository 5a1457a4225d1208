import type { DirectLine, DirectOrder } from '../../ad-serving/embedded/direct-order.ts'
import { putDirectOrder } from '../../ad-serving/embedded/direct-orders.ts'
import { directRecordOf, noted } from '../../ad-serving/embedded/direct-record.ts'
import { getDirectOrder, readDirectOrder, settingsOfStored } from '../../ad-serving/embedded/stored-direct-order.ts'
import type { OrderDocument } from '../../ad-serving/embedded/stored-documents.ts'
import { decidedAs, requireOfferable } from '../../domain/media-buy/decide-make-good.ts'
import type { MakeGood } from '../../domain/media-buy/make-good-terms.ts'
import { putEmbeddedOrder } from '../../store/embedded/orders.ts'
import type { ActContext } from '../act.ts'
import { directOrderParts } from '../direct-orders/enter-direct-order.ts'
import { chargedOrder } from '../orders/known-order.ts'
import { chargeMakeGood, type Writing } from './charge-make-good.ts'
import type { OfferableLine } from './short-line.ts'

/**
 * Carries out a make-good of an order that the publisher's people sold: they agreed on it with their client. Throws PRODUCT_UNAVAILABLE when the inventory is not there, INVALID_STATE for a line that was
 * made good, or for a credit of an order that costs nobody money.
 */
export async function agreeWithPeople(
  context: ActContext,
  orderId: string,
  short: OfferableLine,
  offered: MakeGood,
  writing: Writing,
): Promise<MakeGood> {
  const { tenantId, clock, actor } = context
  const act = { now: clock(), person: actor.credential }
  const { parts } = await directOrderParts(context)
  if (offered.remedy === 'credit') await chargedOrder(context, orderId)
  return writing(async (tx, creditedTo) => {
    const known = await getDirectOrder(tx, tenantId, orderId)
    requireOfferable(directRecordOf(known).makeGoods ?? [], offered.lineId, act.now)
    const order = await readDirectOrder(tx, tenantId, known, parts.filesOrigin)
    const newLineId = offered.remedy === 'credit' ? undefined : freeId(order, offered.lineId)
    const makeGood: MakeGood = {
      ...decidedAs('accepted', offered, { by: act.person, now: act.now }),
      ...(newLineId !== undefined && { newLineId }),
    }
    if (newLineId !== undefined) {
      const delivered = Math.max(1, short.line.missed.delivered)
      await putDirectOrder(tx, tenantId, withLine(order, makeGood, newLineId, delivered), parts)
    }
    await chargeMakeGood(tx, { tenantId, orderId }, short, makeGood, creditedTo)
    const now = await getDirectOrder(tx, tenantId, orderId)
    const record =
      newLineId === undefined ? noted(now, [`credit for ${offered.lineId}: ${offered.reason}`], act) : directRecordOf(now)
    const direct = { ...record, makeGoods: [...(record.makeGoods ?? []), makeGood] }
    const document: OrderDocument = { settings: settingsOfStored(now), direct }
    await putEmbeddedOrder(tx, tenantId, { ...now, document: JSON.stringify(document) }, act.now)
    return makeGood
  })
}

/** The order with the line that delivers what was missing. What is paid by units costs no more in all; what has a flat price, or none, is free. */
function withLine(order: DirectOrder, makeGood: MakeGood, newLineId: string, delivered: number): DirectOrder {
  const { lineId, impressions, startsAt = '', endsAt = '' } = makeGood
  const lines = order.lines.flatMap((line): DirectLine[] => {
    if (line.line_id !== lineId) return [line]
    const { cpm, price_model, rate, budget: _budget, ...kept } = line
    const isPaid = price_model !== 'flat_rate' && price_model !== 'per_day'
    const price = isPaid && {
      ...(cpm !== undefined && { cpm }),
      ...(price_model && { price_model }),
      ...(rate !== undefined && { rate }),
    }
    const added = { ...kept, line_id: newLineId, starts_at: startsAt, ends_at: endsAt, ...price }
    return [isPaid ? { ...line, impressions: delivered } : line, { ...added, ...(impressions !== undefined && { impressions }) }]
  })
  return { ...order, lines }
}

function freeId({ lines }: DirectOrder, lineId: string): string {
  const taken = new Set(lines.map(({ line_id: id }) => id))
  for (let count = 1; ; count += 1) {
    const id = `${lineId}-more${count === 1 ? '' : count}`
    if (!taken.has(id)) return id
  }
}
