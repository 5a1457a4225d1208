import {
  cancelOrder,
  extendOrder,
  type NamedOrder,
  pauseOrder,
  previewOrderChange,
  resumeOrder,
} from '../../operator/orders/change-order.ts'
import { listOrders, type ORDER_SORTS, ORDER_STATUSES } from '../../operator/orders/list-orders.ts'
import { showOrderRecords } from '../../operator/orders/order-records.ts'
import { orderHistory, showOrder } from '../../operator/orders/show-order.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { count, flag, oneOf, required, text, texts } from '../fields.ts'
import { type AdminOperation, list, operation, READERS, SELLERS } from '../operation.ts'

const CHANGE = {
  reason: text('why, for the buyer and the history; at most 500 characters'),
  revision: count('the revision that was seen: the change is refused when the order has another one by now'),
}
const PACKAGES = { ...CHANGE, package_ids: texts('only these packages') }
const SORTS = ['created', 'end', 'budget'] as const satisfies readonly (keyof typeof ORDER_SORTS)[]

export const orderOperations: readonly AdminOperation[] = [
  operation('GET /orders', 'listOrders', {
    roles: READERS,
    summary: 'Orders of all buyers, newest first, by pages.',
    fields: {
      status: texts(`of ${ORDER_STATUSES.join(', ')}`),
      buyer: text('of one buyer, by its id'),
      account: text('of one account'),
      product: text('with this product'),
      search: text('words: parts of ids, buyer, advertiser, purchase order, product'),
      sort: oneOf(SORTS, 'default: created'),
      ascending: flag('oldest, earliest or smallest first'),
      cursor: text('next_cursor of the page before'),
      limit: count('orders of a page, 1 to 200; default 50'),
    },
    async run(context, { tenantId, values: { status: statuses, ...asked } }) {
      const page = await listOrders(context, { tenantId, statuses, ...asked })
      return list(page.orders, page.next_cursor)
    },
  }),
  operation('GET /orders/{order}', 'showOrder', {
    roles: READERS,
    summary: 'One order with packages, creatives and delivery by day.',
    fields: {},
    run: (context, { tenantId, params }) => showOrder(context, tenantId, params.order),
  }),
  operation('GET /orders/{order}/history', 'listOrderHistory', {
    roles: READERS,
    summary: 'Every change of an order with who and why, newest first.',
    fields: {},
    run: async (context, { tenantId, params }) => list(await orderHistory(context, tenantId, params.order)),
  }),
  operation('GET /orders/{order}/records', 'showOrderRecords', {
    roles: READERS,
    summary: 'Webhooks, governance, ad servers with drift, delivery by hour, and errors of video players of an order.',
    fields: {},
    run: (context, { tenantId, params }) => showOrderRecords(context, tenantId, params.order),
  }),
  operation('GET /orders/{order}/preview', 'previewOrderChange', {
    roles: READERS,
    summary: 'What a change would come to, without making it.',
    fields: {
      action: required(oneOf(['pause', 'resume', 'cancel', 'extend'], 'the change')),
      ends_at: text('for extend: the new end, ISO 8601'),
      package_ids: texts('for pause and resume: only these packages'),
    },
    run: (context, { tenantId, params, values: { action, ends_at: endsAt, package_ids: packageIds } }) =>
      previewOrderChange(context, action, { tenantId, mediaBuyId: params.order, endsAt, packageIds }),
  }),
  operation('POST /orders/{order}/pause', 'pauseOrder', {
    roles: SELLERS,
    summary: 'Stops delivery of an order, or of some packages, until it is resumed.',
    fields: PACKAGES,
    run: (context, input) => pauseOrder(context, { ...orderOf(input), packageIds: input.values.package_ids }),
  }),
  operation('POST /orders/{order}/resume', 'resumeOrder', {
    roles: SELLERS,
    summary: 'Lets a paused order, or some packages, deliver again.',
    fields: PACKAGES,
    run: (context, input) => resumeOrder(context, { ...orderOf(input), packageIds: input.values.package_ids }),
  }),
  operation('POST /orders/{order}/extend', 'extendOrder', {
    roles: SELLERS,
    summary: 'Moves the end of the flight, at the same budget.',
    fields: { ...CHANGE, ends_at: required(text('the new end, ISO 8601')) },
    run: (context, input) => extendOrder(context, { ...orderOf(input), endsAt: input.values.ends_at }),
  }),
  operation('POST /orders/{order}/cancel', 'cancelOrder', {
    roles: SELLERS,
    summary: 'Ends an order for good, and frees what it has reserved.',
    fields: { ...CHANGE, reason: required(CHANGE.reason) },
    run: (context, input) => cancelOrder(context, { ...orderOf(input), reason: reasonOf(input.values) }),
  }),
]

function orderOf(input: {
  readonly tenantId: string
  readonly params: { readonly order: string }
  readonly values: { readonly reason?: string; readonly revision?: number }
}): NamedOrder {
  const { reason, revision } = input.values
  return { tenantId: input.tenantId, mediaBuyId: input.params.order, reason, revision }
}

function reasonOf({ reason }: { readonly reason: string }): string {
  if (reason.trim() !== '') return reason
  throw new AdcpError('INVALID_REQUEST', 'reason is required', { field: 'reason' })
}
