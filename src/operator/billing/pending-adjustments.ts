import { type BilledService, serviceKey } from '../../domain/billing/billing-lines.ts'
import { PEOPLE, reasonText } from '../../domain/billing/invoice-reason.ts'
import { lineIdInOrder } from '../../domain/billing/line-id.ts'
import { microsToAmount } from '../../domain/money.ts'
import { defineAct } from '../act.ts'
import { exactText } from '../amount.ts'
import { READERS } from '../roles.ts'
import { about, integer, list, named, number, type Of, object, orNull, pageOf, string } from '../shape.ts'
import { adjustmentReasons, pendingServices } from './due-services.ts'
import { type BilledNames, billedNames, nameBilled } from './name-billed.ts'

/** A correction of a closed month. */
export const adjustmentShape = named(
  'Adjustment',
  about(
    'What a closed month has to be corrected by; money in units of `currency`, before discount and commission.',
    object({
      service_month: string,
      order_id: string,
      line_id: string,
      media_buy_id: about('an earlier name of `order_id`', string),
      package_id: about('an earlier name of `line_id`', string),
      product_id: string,
      account: string,
      ...billedNames,
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
  summary: 'Corrections of closed months that are on no invoice yet: they are settled by the next close or by a credit note.',
  fields: {},
  answer: pageOf(adjustmentShape),
  command: {
    columns: [
      ['MONTH', ({ service_month: month }) => month],
      ['ORDER', ({ order_id: id }) => id],
      ['NAME', ({ order_name: name }) => name ?? ''],
      ['LINE', ({ line_id: id }) => id],
      ['PRODUCT', ({ product_name: name }) => name ?? ''],
      ['BILLED TO', ({ account, account_name: name }) => name ?? account],
      ['IMPRESSIONS', ({ impressions }) => String(impressions)],
      ['BEFORE DISCOUNT', ({ amount, currency }) => `${exactText(amount, currency)} ${currency}`],
      ['REASON', ({ reason }) => reason ?? ''],
    ],
  },
  async run(context) {
    const { tenantId } = context
    const pending = await pendingServices(context, tenantId)
    const reasons = await adjustmentReasons(context, tenantId, pending)
    const names = await nameBilled(context, tenantId, pending.map(idsOf))
    return list(
      pending.map((service) => {
        const reason = reasons.get(serviceKey(service))
        return presentAdjustment(service, reason && reasonText(reason, PEOPLE), names(idsOf(service)))
      }),
    )
  },
})

function idsOf({ accountId, mediaBuyId: orderId, packageId: lineId, productId }: BilledService) {
  return { accountId, orderId, lineId, productId }
}

export function presentAdjustment(service: BilledService, reason: string | undefined, names: BilledNames): Adjustment {
  const { serviceMonth, mediaBuyId, packageId, productId, accountId, currency, impressions, amountMicros } = service
  const line = lineIdInOrder(mediaBuyId, packageId)
  return {
    ...{ service_month: serviceMonth, order_id: mediaBuyId, line_id: line, media_buy_id: mediaBuyId, package_id: line },
    ...{ product_id: productId, account: accountId, ...names },
    ...{ currency, impressions, amount: microsToAmount(amountMicros), reason: reason ?? null },
  }
}
