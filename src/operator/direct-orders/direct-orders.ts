import type { DirectOrder } from '../../ad-serving/house/direct-order.ts'
import { DIRECT, getDirectOrder, putDirectOrder, setDirectOrderState } from '../../ad-serving/house/direct-orders.ts'
import { reportHours } from '../../ad-serving/house/house-report.ts'
import type { LineDocument, OrderDocument } from '../../ad-serving/house/stored-documents.ts'
import { publicOrigin } from '../../config/config.ts'
import type { ServingState } from '../../domain/ad-serving/desired-order.ts'
import { timeZoneOf } from '../../domain/identity/publisher-settings.ts'
import { microsToAmount } from '../../domain/money.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Validate } from '../../protocol/schemas.ts'
import { findHouseOrderByAnchor, type HouseOrderRow, listHouseLines, listHouseOrders } from '../../store/house/house-orders.ts'
import { findTenant } from '../../store/identity/tenants.ts'
import { createProductCache } from '../../store/product/product-cache.ts'
import { auditedStore } from '../audited-store.ts'
import { type ImportFile, readDocument } from '../imports/import-document.ts'
import type { OperatorContext } from '../operator-context.ts'

/** Orders of one answer. */
const MOST_ORDERS = 200

/**
 * Enters an order that the publisher's people sold, or changes the one of the same id, from a file (schemas/direct-order.json). Throws INVALID_REQUEST with one
 * issue a problem, PRODUCT_NOT_FOUND, PRODUCT_UNAVAILABLE when a day would be sold twice, INVALID_STATE for an order that has ended.
 */
export async function enterDirectOrder(context: OperatorContext, tenantId: string, file: ImportFile) {
  const order = readOrder(context, file)
  const { store, clock, config } = context
  const tenant = await findTenant(store.read, tenantId)
  if (!tenant) throw new AdcpError('REFERENCE_NOT_FOUND', `there is no publisher ${tenantId}`, { field: 'tenant' })
  const { byId } = await createProductCache(`${publicOrigin(config)}/mcp`).get(store.read, tenant, undefined)
  const parts = {
    now: clock(),
    timeZone: timeZoneOf(tenant.settings, config.ads.timeZone),
    productOf(productId: string) {
      const product = byId.get(productId)
      if (!product) return undefined
      const places = (product.offer.placements ?? []).map(({ placement_id }) => placement_id)
      return { dailyCapacity: product.selling.dailyCapacity, places }
    },
  }
  const audited = auditedStore(context, { task: 'direct-orders.put', tenant: tenantId, subject: order.order_id })
  await audited.transaction((tx) => putDirectOrder(tx, tenantId, order, parts))
  return showDirectOrder(context, tenantId, order.order_id)
}

/** Throws INVALID_STATE when the publisher has a direct order of this id: entering it would change that one. */
export async function requireNewOrder({ store }: OperatorContext, tenantId: string, orderId: string): Promise<void> {
  if (!(await findHouseOrderByAnchor(store.read, tenantId, `${DIRECT}${orderId}`))) return
  throw new AdcpError('INVALID_STATE', `there is a direct order ${orderId} already; choose another id`, { field: 'order_id' })
}

/** Pauses, resumes or ends a direct order; what ended cannot be resumed and holds nothing. Throws REFERENCE_NOT_FOUND, INVALID_STATE. */
export async function changeDirectOrder(context: OperatorContext, tenantId: string, orderId: string, state: ServingState) {
  const act = { paused: 'pause', active: 'resume', ended: 'end' }[state]
  const audited = auditedStore(context, { task: `direct-orders.${act}`, tenant: tenantId, subject: orderId })
  await audited.transaction((tx) => setDirectOrderState(tx, tenantId, orderId, state, context.clock()))
  return showDirectOrder(context, tenantId, orderId)
}

/** Direct orders of a publisher by id, at most 200; `after`: those after this id. */
export async function listDirectOrders({ store }: OperatorContext, tenantId: string, after?: string) {
  const page = { prefix: DIRECT, limit: MOST_ORDERS, ...(after !== undefined && { after: `${DIRECT}${after}` }) }
  const orders = (await listHouseOrders(store.read, tenantId, page)).map(presentOrder)
  return { orders, next: orders.length === MOST_ORDERS ? (orders.at(-1)?.order_id ?? null) : null }
}

/** A direct order with its lines and what they delivered. Throws REFERENCE_NOT_FOUND. */
export async function showDirectOrder({ store, clock }: OperatorContext, tenantId: string, orderId: string) {
  const row = await getDirectOrder(store.read, tenantId, orderId)
  const rows = await reportHours(store.read, tenantId, [row.anchor], clock().getTime())
  const lines = await listHouseLines(store.read, tenantId, row.orderId)
  return {
    ...presentOrder(row),
    lines: lines.map(({ anchor, state, document }) => {
      const { settings, terms }: LineDocument = JSON.parse(document)
      const own = rows.filter(({ lineExternalId }) => lineExternalId === anchor)
      const sum = (of: 'impressions' | 'clicks' | 'spendMicros') => own.reduce((all, each) => all + each[of], 0)
      return {
        line_id: anchor.slice(row.anchor.length + 1),
        state,
        product_id: settings.productId,
        priority: terms.priority,
        starts_at: settings.startsAt,
        ends_at: settings.endsAt,
        goal: settings.goalImpressions,
        impressions: sum('impressions'),
        clicks: sum('clicks'),
        charged: microsToAmount(sum('spendMicros')),
      }
    }),
  }
}

function presentOrder({ anchor, state, document }: HouseOrderRow) {
  const { settings }: OrderDocument = JSON.parse(document)
  const { name, advertiserId: advertiser, currency } = settings
  return { order_id: anchor.slice(DIRECT.length), name, advertiser, currency, state }
}

function readOrder({ schemas }: OperatorContext, file: ImportFile): DirectOrder {
  const validate = schemas.validator('own:direct-order.json')
  return readDocument(file, (value) => {
    const problems: { readonly pointer: string; readonly message: string }[] = []
    return isOrder(value, validate, problems) ? { ok: true, file: value } : { ok: false, problems }
  })
}

/** The schema describes {@link DirectOrder}. */
function isOrder(
  value: unknown,
  validate: Validate,
  problems: { readonly pointer: string; readonly message: string }[],
): value is DirectOrder {
  problems.push(...validate(value))
  return problems.length === 0
}
