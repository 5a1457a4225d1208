import { createHash } from 'node:crypto'
import { rememberedDayText } from '../../domain/media-buy/flight.ts'
import { sharesOf } from '../../domain/media-buy/inventory.ts'
import type { AdServer, AvailabilityQuery, Booking, LineOrder } from '../ad-server.ts'
import { deliveredByDay } from './simulated-delivery.ts'

/**
 * The default ad server: it serves nothing and says so. Stateless and deterministic: ids are hashes of the caller's anchor, and delivery is a function of
 * the line's history and the clock, so that a repeated call gives the same answer, on any machine.
 */
export function createSimulator(): AdServer {
  return {
    name: 'simulator',
    description: 'Simulated ad server: orders are accepted and delivery is computed, nothing is served and nothing is billed.',
    simulated: true,
    checkAvailability: async (queries) => {
      const textOf = rememberedDayText()
      return queries.map((query) => availabilityOf(query, textOf))
    },
    book: async (anchor, mediaBuyId, lines) => bookingOf(idOf('sim_order', anchor, mediaBuyId), lines),
    change: async (_anchor, orderId, lines) => bookingOf(orderId, lines),
    pause: async () => {},
    resume: async () => {},
    cancel: async () => {},
    reportDelivery: async (lines, now) =>
      lines.map((line) => ({ packageId: line.packageId, days: deliveredByDay(line, now.getTime()) })),
  }
}

/** What the days of a flight have left; enough means that an even spread of the wish fits on each of them. */
function availabilityOf(
  { productId, flight, impressions, dailyCapacity, held }: AvailabilityQuery,
  textOf: (day: number) => string,
) {
  const shares = sharesOf(impressions, flight, textOf)
  return {
    productId,
    available: shares.reduce((sum, { period }) => sum + held.leftIn(period, dailyCapacity), 0),
    sufficient: shares.every((share) => share.impressions <= Math.max(0, dailyCapacity - held.mostIn(share.period))),
  }
}

/** A line is known by its order and package, so a later change finds the line that was booked first. */
function bookingOf(orderId: string, lines: readonly LineOrder[]): Booking {
  return { orderId, lineIds: new Map(lines.map((line) => [line.packageId, idOf('sim_line', orderId, line.packageId)])) }
}

function idOf(kind: string, ...parts: readonly string[]): string {
  return `${kind}_${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 20)}`
}
