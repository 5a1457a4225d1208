import { lineIdInOrder } from '../../domain/billing/line-id.ts'
import { CHARGE_KINDS, CHARGE_STATES, type Charge } from '../../domain/media-buy/charge.ts'
import { microsToAmount } from '../../domain/money.ts'
import { amountText } from '../amount.ts'
import { about, moment, named, number, type Of, object, orNull, string, word } from '../shape.ts'
import { type BilledNames, billedNames } from './name-billed.ts'

export const chargeShape = named(
  'Charge',
  about(
    'What is charged for an order beside its delivery.',
    object({
      charge_id: string,
      kind: about(
        'cancellation: the fee of the product, or its correction by what was counted later; entered: by people; make_good: a credit for what fell short',
        word(...CHARGE_KINDS),
      ),
      order_id: string,
      line_id: about('null: the whole order', orNull(string)),
      product_id: about('null: of no product', orNull(string)),
      ...billedNames,
      account: about('the account or billing party that it is billed to; empty: nobody', string),
      currency: about('ISO 4217', string),
      amount: about('less than 0: a credit', number),
      reason: about('as the invoice has it', string),
      incurred_at: moment,
      made_by: about('null: the terms of the order ask for it', orNull(string)),
      state: about('open: it is on the next invoice', word(...CHARGE_STATES)),
      invoice_id: orNull(string),
      taken_back: orNull(object({ at: moment, by: string, reason: string })),
    }),
  ),
)
export type ShownCharge = Of<typeof chargeShape>

export function presentCharge(charge: Charge, names: BilledNames): ShownCharge {
  const { chargeId, kind, orderId, lineId, accountId: account, currency, micros, reason, takenBack } = charge
  return {
    ...{
      charge_id: chargeId,
      kind,
      order_id: orderId,
      line_id: lineId === '' ? null : lineIdInOrder(orderId, lineId),
      product_id: charge.productId || null,
      ...names,
      account,
      currency,
    },
    ...{ amount: microsToAmount(micros), reason, incurred_at: charge.incurredAt, made_by: charge.madeBy ?? null },
    ...{ state: charge.state, invoice_id: charge.invoiceId ?? null },
    taken_back: takenBack ? { ...takenBack } : null,
  }
}

/** A charge in a line of text. */
export function chargeLines({ charge_id: id, amount, currency, state, reason, order_id: order }: ShownCharge): readonly string[] {
  return [`${id}: ${amountText(amount, currency)} ${currency} for ${order}, ${state.replace('_', ' ')} (${reason})`]
}
