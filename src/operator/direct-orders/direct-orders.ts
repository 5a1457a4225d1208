import { setDirectOrderState } from '../../ad-serving/house/direct-orders.ts'
import { directRecordOf } from '../../ad-serving/house/direct-record.ts'
import { reportHours } from '../../ad-serving/house/house-report.ts'
import { DIRECT, getDirectOrder, readDirectOrder } from '../../ad-serving/house/stored-direct-order.ts'
import type { LineDocument, OrderDocument } from '../../ad-serving/house/stored-documents.ts'
import { adsOrigin } from '../../config/ads-settings.ts'
import { publicOrigin } from '../../config/config.ts'
import type { ServingState } from '../../domain/ad-serving/desired-order.ts'
import { microsToAmount } from '../../domain/money.ts'
import { type HouseOrderRow, listHouseLines, listHouseOrders } from '../../store/house/house-orders.ts'
import { auditedStore } from '../audited-store.ts'
import type { OperatorContext } from '../operator-context.ts'

/** Orders of one answer. */
const MOST_ORDERS = 200

/** Pauses, resumes or ends a direct order; what ended cannot be resumed and holds nothing. Throws REFERENCE_NOT_FOUND, INVALID_STATE. */
export async function changeDirectOrder(context: OperatorContext, tenantId: string, orderId: string, state: ServingState) {
  const act = { paused: 'pause', active: 'resume', ended: 'end' }[state]
  const audited = auditedStore(context, { task: `direct-orders.${act}`, tenant: tenantId, subject: orderId })
  const done = { now: context.clock(), person: context.actor.credential }
  await audited.transaction((tx) => setDirectOrderState(tx, tenantId, orderId, state, done))
  return showDirectOrder(context, tenantId, orderId)
}

/** Direct orders of a publisher by id, at most 200; `after`: those after this id. */
export async function listDirectOrders({ store }: OperatorContext, tenantId: string, after?: string) {
  const page = { prefix: DIRECT, limit: MOST_ORDERS, ...(after !== undefined && { after: `${DIRECT}${after}` }) }
  const orders = (await listHouseOrders(store.read, tenantId, page)).map(presentOrder)
  return { orders, next: orders.length === MOST_ORDERS ? (orders.at(-1)?.order_id ?? null) : null }
}

export type ShownDirectOrder = Awaited<ReturnType<typeof showDirectOrder>>

/**
 * A direct order with its lines, what they delivered, and its history, newest first; `document` is what entering it again takes (schemas/direct-order.json). Throws
 * REFERENCE_NOT_FOUND.
 */
export async function showDirectOrder({ store, clock, config }: OperatorContext, tenantId: string, orderId: string) {
  const row = await getDirectOrder(store.read, tenantId, orderId)
  const rows = await reportHours(store.read, tenantId, [row.anchor], clock().getTime())
  const lines = await listHouseLines(store.read, tenantId, row.orderId)
  const { revision, history } = directRecordOf(row)
  const filesOrigin = adsOrigin(config.ads, publicOrigin(config))
  return {
    ...presentOrder(row),
    revision,
    document: await readDirectOrder(store.read, tenantId, row, filesOrigin),
    history: history.toReversed(),
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
