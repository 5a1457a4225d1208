import { settingsOf } from '../domain/ad-serving/desired-order-of.ts'
import type { DayMetrics, Metrics } from '../domain/media-buy/delivery.ts'
import type { AdServer, Booking, LineOrder } from './ad-server.ts'
import type { AdServerBackend } from './backend.ts'
import { requireKept, requireKnown } from './require-kept.ts'

/** Reads what the ledger has of packages of a publisher. */
export interface ReadLedger {
  /** By days of a time zone, default UTC. */
  days(tenantId: string, packageIds: readonly string[], timeZone?: string): Promise<ReadonlyMap<string, readonly DayMetrics[]>>
  /** By hours of UTC, `YYYY-MM-DDTHH`, of which some are wanted. */
  hours(
    tenantId: string,
    packageIds: readonly string[],
    hours: readonly string[],
  ): Promise<ReadonlyMap<string, ReadonlyMap<string, Metrics>>>
}

/**
 * A reconciled ad server as the tasks use it. Booking and changing send nothing: what the media buy says when it is stored is what the reconciler brings
 * to the ad server, under the ids of media buy and packages. So an order that is refused by the store never was at the ad server. What the ad server
 * cannot keep is refused here with UNSUPPORTED_FEATURE. Delivery comes from the ledger.
 */
export function createReconciledAdServer(backend: AdServerBackend, tenantId: string, readLedger: ReadLedger): AdServer {
  const { name, description, simulated } = backend
  const requireKeepable = (lines: readonly LineOrder[]): void => {
    for (const line of lines) requireKept(backend, settingsOf(line))
  }
  const booked = async (mediaBuyId: string, lines: readonly LineOrder[]): Promise<Booking> => {
    requireKeepable(lines)
    for (const line of lines) await requireKnown(backend, settingsOf(line))
    return { orderId: mediaBuyId, lineIds: new Map(lines.map(({ packageId }) => [packageId, packageId])) }
  }
  return {
    name,
    description,
    simulated,
    requireKeepable,
    checkAvailability: (queries) => backend.forecast(tenantId, queries),
    book: (_anchor, mediaBuyId, lines) => booked(mediaBuyId, lines),
    change: (_anchor, _orderId, lines, mediaBuyId) => booked(mediaBuyId, lines),
    pause: async () => {},
    resume: async () => {},
    cancel: async () => {},
    async reportDelivery(lines, _now, timeZone) {
      const ids = lines.map(({ packageId }) => packageId)
      const days = await readLedger.days(tenantId, ids, timeZone)
      return ids.map((packageId) => ({ packageId, days: days.get(packageId) ?? [] }))
    },
    ...(backend.capabilities.reports.period === 'hour' && {
      async reportHours(lines, wanted) {
        const ids = lines.map(({ packageId }) => packageId)
        const hours = await readLedger.hours(tenantId, ids, wanted)
        return ids.map((packageId) => ({ packageId, hours: hours.get(packageId) ?? new Map() }))
      },
    }),
  }
}
