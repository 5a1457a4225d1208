import { settingsOf } from '../domain/ad-serving/desired-order-of.ts'
import { unkeepable } from '../domain/ad-serving/unkeepable.ts'
import type { DayMetrics } from '../domain/media-buy/delivery.ts'
import { AdcpError } from '../protocol/errors.ts'
import type { AdServer, Booking, LineOrder } from './ad-server.ts'
import type { AdServerBackend } from './backend.ts'

/** Reads what the ledger has of packages of a publisher, by UTC day. */
export type ReadLedger = (tenantId: string, packageIds: readonly string[]) => Promise<ReadonlyMap<string, readonly DayMetrics[]>>

/**
 * A reconciled ad server as the tasks use it. Booking and changing send nothing: what the media buy says when it is stored is what the reconciler brings
 * to the ad server, under the ids of media buy and packages. So an order that is refused by the store never was at the ad server. What the ad server
 * cannot keep is refused here with UNSUPPORTED_FEATURE. Delivery comes from the ledger.
 */
export function createReconciledAdServer(backend: AdServerBackend, tenantId: string, readLedger: ReadLedger): AdServer {
  const { name, description, simulated, capabilities } = backend
  const booked = async (mediaBuyId: string, lines: readonly LineOrder[]): Promise<Booking> => {
    for (const line of lines) {
      const settings = settingsOf({ ...line })
      const [first] = unkeepable(settings, capabilities)
      if (!first) {
        backend.requireKeepable?.(settings)
        continue
      }
      const message = `the ad server of ${line.productId} cannot keep ${first.message}; leave ${first.field} out or choose another product`
      throw new AdcpError('UNSUPPORTED_FEATURE', message, { field: first.field })
    }
    return { orderId: mediaBuyId, lineIds: new Map(lines.map(({ packageId }) => [packageId, packageId])) }
  }
  return {
    name,
    description,
    simulated,
    checkAvailability: (queries) => backend.forecast(tenantId, queries),
    book: (_anchor, mediaBuyId, lines) => booked(mediaBuyId, lines),
    change: (_anchor, _orderId, lines, mediaBuyId) => booked(mediaBuyId, lines),
    pause: async () => {},
    resume: async () => {},
    cancel: async () => {},
    async reportDelivery(lines) {
      const ids = lines.map(({ packageId }) => packageId)
      const days = await readLedger(tenantId, ids)
      return ids.map((packageId) => ({ packageId, days: days.get(packageId) ?? [] }))
    },
  }
}
