import type { Store } from '../../store/database.ts'
import {
  findHouseOrder,
  type HouseLineRow,
  listHouseLines,
  putHouseLine,
  putHouseOrder,
  setHouseState,
} from '../../store/house/house-orders.ts'
import { listHouseHours } from '../../store/house/house-reports.ts'
import type { AdServer, BookedLine, Booking, LineOrder } from '../ad-server.ts'
import { EMBEDDED } from '../external-id.ts'
import { plannedAvailability } from '../planned-availability.ts'
import { deliveryByDay } from './delivery-report.ts'
import { lineIdOf, orderIdOf } from './house-ids.ts'
import { lineTermsOf } from './line-terms.ts'

export interface HouseAdServerParts {
  readonly store: Store
  readonly tenantId: string
  /** Ids of the placements that a product is shown on; tags may name the product itself too. */
  placesOf(productId: string): Promise<readonly string[]>
  readonly timeZone: string
  readonly clock: () => Date
}

/** The ad server of this program itself for one publisher: orders become lines that decisions are made on, and reports are what was counted. */
export function createHouseAdServer(parts: HouseAdServerParts): AdServer {
  const { store, tenantId, clock } = parts
  const set = (orderId: string, state: HouseLineRow['state'], lineIds?: readonly string[]) =>
    store.transaction((tx) => setHouseState(tx, tenantId, { orderId, ...(lineIds && { lineIds }) }, state, clock()))
  return {
    name: EMBEDDED,
    description: 'Embedded ad server: what is sold is served by this program, and reports count what was shown.',
    simulated: false,
    checkAvailability: async (queries) => plannedAvailability(queries),
    book: (anchor, mediaBuyId, lines) => write(parts, { orderId: orderIdOf(tenantId, anchor), anchor, mediaBuyId }, lines),
    async change(anchor, orderId, lines, mediaBuyId) {
      const known = await findHouseOrder(store.read, tenantId, orderId)
      return write(parts, { orderId, anchor: known?.anchor ?? anchor, mediaBuyId }, lines)
    },
    pause: (_anchor, orderId) => set(orderId, 'paused'),
    resume: (_anchor, orderId) => set(orderId, 'running'),
    cancel: (_anchor, orderId, lineIds) => set(orderId, 'canceled', lineIds),
    async reportDelivery(lines, now) {
      const hours = await listHouseHours(
        store.read,
        tenantId,
        lines.map(({ lineId }) => lineId),
      )
      return lines.map((line: BookedLine) => ({
        packageId: line.packageId,
        days: deliveryByDay(
          line,
          hours.filter(({ lineId }) => lineId === line.lineId),
          now.getTime(),
        ),
      }))
    },
  }
}

interface OrderIds {
  readonly orderId: string
  readonly anchor: string
  readonly mediaBuyId: string
}

/** Brings an order and these of its lines to their terms; the others stay as they are. */
async function write(parts: HouseAdServerParts, order: OrderIds, lines: readonly LineOrder[]): Promise<Booking> {
  const { store, tenantId, clock, timeZone } = parts
  const rows: HouseLineRow[] = []
  for (const line of lines) {
    const places = [...new Set([...(await parts.placesOf(line.productId)), line.productId])]
    const terms = lineTermsOf(line, places, timeZone)
    rows.push({
      lineId: line.lineId ?? lineIdOf(order.orderId, line.packageId),
      orderId: order.orderId,
      anchor: line.packageId,
      state: line.terms.running ? 'running' : 'paused',
      endsAt: terms.endsAt,
      document: JSON.stringify(terms),
    })
  }
  const now = clock()
  await store.transaction(async (tx) => {
    const document = JSON.stringify({ mediaBuyId: order.mediaBuyId })
    await putHouseOrder(tx, tenantId, { orderId: order.orderId, anchor: order.anchor, state: 'running', document }, now)
    const before = new Map((await listHouseLines(tx, tenantId, order.orderId)).map((row) => [row.lineId, row]))
    for (const row of rows) {
      const known = before.get(row.lineId)
      const same = known?.document === row.document && known.state === row.state
      if (!same) await putHouseLine(tx, tenantId, row, now)
    }
  })
  return { orderId: order.orderId, lineIds: new Map(rows.map(({ anchor, lineId }) => [anchor, lineId])) }
}
