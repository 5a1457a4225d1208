import type { LinePricing } from '../../domain/order/line-pricing.ts'
import type { Db } from '../../store/database.ts'
import { partyOfOrder } from '../../store/order/order-terms.ts'
import { putOrder } from '../../store/order/orders.ts'
import { EMBEDDED } from '../external-id.ts'
import { type DirectLine, type DirectOrder, dayRateOf, orderSettingsOf, settingsOfDirectLine } from './direct-order.ts'
import { anchorOfLine, DIRECT } from './stored-direct-order.ts'

/** Writes a direct order to the book of orders, so that its delivery is in the ledger, and asks for a report of it. `isDelivered`: something of it was shown. */
export async function bookDirectOrder(
  tx: Db,
  tenantId: string,
  order: DirectOrder,
  { isDelivered, now }: { readonly isDelivered: boolean; readonly now: Date },
): Promise<void> {
  const { name, advertiserId, currency, startsAt, endsAt, budgetMicros } = orderSettingsOf(order)
  const products = order.lines.map(({ product_id: id }) => id)
  const isPriced = order.lines.some((line) => settingsOfDirectLine(line).price.rateMicros > 0)
  await putOrder(
    tx,
    tenantId,
    {
      order_id: order.order_id,
      origin: 'entered',
      ad_server: EMBEDDED,
      external_id: `${DIRECT}${order.order_id}`,
      name,
      advertiser: advertiserId,
      currency,
      // Orders that hold only house ads are not billed.
      party: await partyOfOrder(tx, tenantId, order.order_id, { advertiser: advertiserId, isPriced, isDelivered }),
      starts_at: startsAt,
      ends_at: endsAt,
      budget_micros: budgetMicros,
      search: [order.order_id, name, advertiserId, ...new Set(products)].join(' ').toLowerCase(),
      document: '{}',
      report_at: now.toISOString(),
    },
    order.lines.map((line) => {
      const document = JSON.stringify(pricingOf(line))
      return { line_id: anchorOfLine(order.order_id, line.line_id), product_id: line.product_id, document }
    }),
    now,
  )
}

function pricingOf(line: DirectLine): LinePricing {
  const { price, startsAt, endsAt, budgetMicros } = settingsOfDirectLine(line)
  const { model, rateMicros } = price
  if (model !== 'flat_rate') return { model, rateMicros, ...(budgetMicros < Number.MAX_SAFE_INTEGER && { budgetMicros }) }
  const dayRateMicros = dayRateOf(line)
  return { model, rateMicros, flight: { startsAt, endsAt }, ...(dayRateMicros !== undefined && { dayRateMicros }) }
}
