import type { AdminRole } from '../domain/identity/admin-role.ts'
import { approve, ask, reject } from '../operator/approvals/decide-approval.ts'
import { listApprovals, showApproval } from '../operator/approvals/list-approvals.ts'
import type { OperatorContext } from '../operator/operator-context.ts'
import { cancelOrder, extendOrder, type NamedOrder, pauseOrder, resumeOrder } from '../operator/orders/change-order.ts'
import { listOrders, ORDER_SORTS } from '../operator/orders/list-orders.ts'
import { orderHistory, showOrder } from '../operator/orders/show-order.ts'
import { archiveProduct, restoreProduct, setProduct } from '../operator/products/change-product.ts'
import { exportProducts } from '../operator/products/import-products.ts'
import { deliveryReport } from '../operator/reports/delivery-report.ts'
import { showRevenue } from '../operator/reports/revenue.ts'
import { AdcpError } from '../protocol/errors.ts'
import type { FieldKinds, Fields } from './fields.ts'

/** One operation of the admin API: a function of operator/ under a method and a path, for some roles. */
export interface AdminOperation {
  /** `operationId` in the description. */
  readonly id: string
  readonly method: 'GET' | 'POST' | 'PATCH'
  /** With at most one parameter, e.g. `/orders/{id}/pause`. */
  readonly path: string
  readonly roles: readonly AdminRole[]
  /** Members of the query (GET) or of the body. */
  readonly fields: FieldKinds
  run(
    context: OperatorContext,
    input: { readonly tenantId: string; readonly id: string; readonly fields: Fields },
  ): Promise<object>
}

const READ: readonly AdminRole[] = ['viewer', 'finance', 'ad_operations', 'administrator']
const MONEY: readonly AdminRole[] = ['finance', 'ad_operations', 'administrator']
const WRITE: readonly AdminRole[] = ['ad_operations', 'administrator']
const RANGE = { first: 'text', last: 'text' } as const
const CHANGE = { reason: 'text', revision: 'count' } as const
const PAUSE = { ...CHANGE, package_ids: 'texts' } as const

/** Every operation; routes and the test of the description are made from this list. */
export const OPERATIONS: readonly AdminOperation[] = [
  {
    id: 'listOrders',
    method: 'GET',
    path: '/orders',
    roles: READ,
    fields: {
      status: 'texts',
      buyer: 'text',
      account: 'text',
      product: 'text',
      search: 'text',
      sort: 'text',
      ascending: 'flag',
      cursor: 'text',
      limit: 'count',
    },
    run: (context, { tenantId, fields }) =>
      listOrders(context, {
        tenantId,
        statuses: fields.texts('status'),
        buyer: fields.text('buyer'),
        account: fields.text('account'),
        product: fields.text('product'),
        search: fields.text('search'),
        sort: sortOf(fields.text('sort')),
        ascending: fields.flag('ascending'),
        cursor: fields.text('cursor'),
        limit: fields.count('limit'),
      }),
  },
  operation('showOrder', 'GET', '/orders/{id}', READ, {}, (context, { tenantId, id }) => showOrder(context, tenantId, id)),
  operation('listOrderHistory', 'GET', '/orders/{id}/history', READ, {}, async (context, { tenantId, id }) => ({
    history: await orderHistory(context, tenantId, id),
  })),
  operation('pauseOrder', 'POST', '/orders/{id}/pause', WRITE, PAUSE, (context, input) => pauseOrder(context, pauseInput(input))),
  operation('resumeOrder', 'POST', '/orders/{id}/resume', WRITE, PAUSE, (context, input) =>
    resumeOrder(context, pauseInput(input)),
  ),
  operation('extendOrder', 'POST', '/orders/{id}/extend', WRITE, { ...CHANGE, ends_at: 'text' }, (context, input) =>
    extendOrder(context, { ...orderInput(input), endsAt: input.fields.required('ends_at') }),
  ),
  operation('cancelOrder', 'POST', '/orders/{id}/cancel', WRITE, CHANGE, (context, input) =>
    cancelOrder(context, { ...orderInput(input), reason: input.fields.required('reason') }),
  ),
  operation(
    'reportDelivery',
    'GET',
    '/reports/delivery',
    MONEY,
    { ...RANGE, by: 'texts', buyer: 'text', product: 'text', order: 'text', sandbox: 'flag' },
    (context, { tenantId, fields }) =>
      deliveryReport(context, {
        tenantId,
        by: fields.texts('by') ?? ['order'],
        first: fields.text('first'),
        last: fields.text('last'),
        buyer: fields.text('buyer'),
        product: fields.text('product'),
        order: fields.text('order'),
        sandbox: fields.flag('sandbox'),
      }),
  ),
  operation('reportRevenue', 'GET', '/reports/revenue', MONEY, RANGE, (context, { tenantId, fields }) =>
    showRevenue(context, { tenantId, first: fields.text('first'), last: fields.text('last') }),
  ),
  operation('listProducts', 'GET', '/products', READ, {}, (context, { tenantId }) => exportProducts(context, tenantId)),
  operation('setProduct', 'PATCH', '/products/{id}', WRITE, { cells: 'cells', pricing_option_id: 'text' }, (context, input) =>
    setProduct(context, {
      tenantId: input.tenantId,
      productId: input.id,
      cells: input.fields.cells('cells'),
      pricingOptionId: input.fields.text('pricing_option_id'),
    }),
  ),
  operation('archiveProduct', 'POST', '/products/{id}/archive', WRITE, {}, (context, { tenantId, id }) =>
    archiveProduct(context, tenantId, id),
  ),
  operation('restoreProduct', 'POST', '/products/{id}/restore', WRITE, {}, (context, { tenantId, id }) =>
    restoreProduct(context, tenantId, id),
  ),
  operation('listApprovals', 'GET', '/approvals', READ, {}, async (context, { tenantId }) => ({
    approvals: await listApprovals(context, tenantId),
  })),
  operation('showApproval', 'GET', '/approvals/{id}', READ, {}, (context, { tenantId, id }) =>
    showApproval(context, tenantId, id),
  ),
  operation('approve', 'POST', '/approvals/{id}/approve', WRITE, { conditions: 'texts' }, (context, { tenantId, id, fields }) =>
    approve(context, { tenantId, id, conditions: fields.texts('conditions') ?? [] }),
  ),
  operation('reject', 'POST', '/approvals/{id}/reject', WRITE, { reason: 'text' }, (context, { tenantId, id, fields }) =>
    reject(context, { tenantId, id, reason: fields.required('reason') }),
  ),
  operation('ask', 'POST', '/approvals/{id}/ask', WRITE, { question: 'text' }, (context, { tenantId, id, fields }) =>
    ask(context, { tenantId, id, question: fields.required('question') }),
  ),
]

type Input = Parameters<AdminOperation['run']>[1]

function operation(
  id: string,
  method: AdminOperation['method'],
  path: string,
  roles: readonly AdminRole[],
  fields: FieldKinds,
  run: AdminOperation['run'],
): AdminOperation {
  return { id, method, path, roles, fields, run }
}

function orderInput({ tenantId, id, fields }: Input): NamedOrder {
  return { tenantId, mediaBuyId: id, reason: fields.text('reason'), revision: fields.count('revision') }
}

function pauseInput(input: Input) {
  return { ...orderInput(input), packageIds: input.fields.texts('package_ids') }
}

function sortOf(text: string | undefined): keyof typeof ORDER_SORTS | undefined {
  const isSort = (name: string): name is keyof typeof ORDER_SORTS => Object.hasOwn(ORDER_SORTS, name)
  if (text === undefined || isSort(text)) return text
  throw new AdcpError('INVALID_REQUEST', `sort must be one of ${Object.keys(ORDER_SORTS).join(', ')}`, { field: 'sort' })
}
