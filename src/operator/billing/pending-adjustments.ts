import { type BilledService, serviceKey } from '../../domain/billing/billing-lines.ts'
import { PEOPLE, reasonText } from '../../domain/billing/invoice-reason.ts'
import { lineIdInOrder } from '../../domain/billing/line-id.ts'
import { microsToAmount } from '../../domain/money.ts'
import { defineAct } from '../act.ts'
import { amountText } from '../amount.ts'
import { READERS } from '../roles.ts'
import { about, integer, list, named, number, type Of, object, orNull, pageOf, string } from '../shape.ts'
import { adjustmentReasons, pendingServices } from './due-services.ts'

/** A correction of a closed month. */
export const adjustmentShape = named(
  'Adjustment',
  about(
    'What a closed month has to be corrected by; money in units of `currency`, before discount and commission.',
    object({
      service_month: string,
      media_buy_id: about('the id of the order', string),
      package_id: string,
      account: string,
      currency: about('ISO 4217', string),
      impressions: integer,
      amount: about('less than 0: to be given back', number),
      reason: about('of a preview, as the invoice has it; null: the ad server counts otherwise now', orNull(string)),
    }),
  ),
)
export type Adjustment = Of<typeof adjustmentShape>

/** Corrections of closed months that are on no invoice. Throws SERVICE_UNAVAILABLE when an ad server does not report. */
export const listAdjustments = defineAct({
  name: 'billing.adjustments',
  route: 'GET /billing/adjustments',
  id: 'listAdjustments',
  roles: READERS,
  summary: 'Corrections of closed months that are on no invoice yet: closing the next month bills them, or a credit note.',
  fields: {},
  answer: pageOf(adjustmentShape),
  command: {
    columns: [
      ['MONTH', ({ service_month: month }) => month],
      ['ORDER', ({ media_buy_id: id }) => id],
      ['LINE', ({ package_id: id }) => id],
      ['IMPRESSIONS', ({ impressions }) => String(impressions)],
      ['AMOUNT', ({ amount, currency }) => `${amountText(amount, currency)} ${currency}`],
      ['REASON', ({ reason }) => reason ?? ''],
    ],
  },
  async run(context) {
    const { tenantId } = context
    const pending = await pendingServices(context, tenantId)
    const reasons = await adjustmentReasons(context, tenantId, pending)
    return list(
      pending.map((service) => {
        const reason = reasons.get(serviceKey(service))
        return presentAdjustment(service, reason && reasonText(reason, PEOPLE))
      }),
    )
  },
})

export function presentAdjustment(service: BilledService, reason: string | undefined): Adjustment {
  const { serviceMonth, mediaBuyId, packageId, accountId, currency, impressions, amountMicros } = service
  return {
    ...{
      service_month: serviceMonth,
      media_buy_id: mediaBuyId,
      package_id: lineIdInOrder(mediaBuyId, packageId),
      account: accountId,
    },
    ...{ currency, impressions, amount: microsToAmount(amountMicros), reason: reason ?? null },
  }
}
