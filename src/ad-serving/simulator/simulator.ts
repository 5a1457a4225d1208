import { createHash } from 'node:crypto'
import { localCalendar } from '../../domain/calendar/local-time.ts'
import type { DayMetrics, LineReport } from '../../domain/media-buy/delivery.ts'
import type { Steps } from '../../platform/concurrency/steps.ts'
import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { AdServer, BookedLine, Booking, LineOrder } from '../ad-server.ts'
import { plannedAvailability } from '../planned-availability.ts'
import { deliveredByDay, deliveredInHour } from './simulated-delivery.ts'

/**
 * The default ad server: it serves nothing and says so. Stateless and deterministic: ids are hashes of the caller's anchor, and delivery is a function of
 * the line's history and the clock, so that a repeated call gives the same answer, on any machine.
 */
export function createSimulator(): AdServer {
  return {
    name: 'simulator',
    description: 'Simulated ad server: orders are accepted and delivery is computed, nothing is served and nothing is billed.',
    simulated: true,
    checkAvailability: async (queries) => plannedAvailability(queries),
    book: async (anchor, mediaBuyId, lines) => bookingOf(idOf('sim_order', anchor, mediaBuyId), lines),
    change: async (_anchor, orderId, lines) => bookingOf(orderId, lines),
    pause: async () => {},
    resume: async () => {},
    cancel: async () => {},
    async reportDelivery(lines, now, timeZone = 'UTC') {
      const calendar = localCalendar(timeZone)
      return inTurns(reportsInSteps(lines, (line) => deliveredByDay(line, now.getTime(), calendar)))
    },
    reportHours: async (lines, hours) =>
      lines.map((line) => ({
        packageId: line.packageId,
        hours: new Map(hours.map((hour) => [hour, deliveredInHour(line, hour)] as const)),
      })),
  }
}

/** One line after the other: a long history takes milliseconds. */
function* reportsInSteps(lines: readonly BookedLine[], daysOf: (line: BookedLine) => readonly DayMetrics[]): Steps<LineReport[]> {
  const reports: LineReport[] = []
  for (const line of lines) {
    reports.push({ packageId: line.packageId, days: daysOf(line) })
    yield
  }
  return reports
}

/** A line is known by its order and package, so a later change finds the line that was booked first. */
function bookingOf(orderId: string, lines: readonly LineOrder[]): Booking {
  return { orderId, lineIds: new Map(lines.map((line) => [line.packageId, idOf('sim_line', orderId, line.packageId)])) }
}

function idOf(kind: string, ...parts: readonly string[]): string {
  return `${kind}_${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 20)}`
}
