import type { AdServer } from '../../../src/ad-serving/ad-server.ts'
import { createSimulator } from '../../../src/ad-serving/simulator/simulator.ts'
import { adServerAsBackend, newBookings } from '../../support/ad-server-as-backend.ts'
import { SETTINGS } from '../../support/ad-server-orders.ts'
import type { BackendUnderTest } from '../contract.ts'

/** Orders are booked before their flights begin, and reported in the middle of them. */
const CLOCKS = { booking: () => new Date('2026-06-20T12:00:00Z'), report: () => new Date('2026-07-10T12:00:00Z') }

/** The simulator, or one that lies; a module of the port that is called with each order is tested alike. */
export async function openSimulator(overrides: (honest: AdServer) => Partial<AdServer> = () => ({})): Promise<BackendUnderTest> {
  const bookings = newBookings()
  const open = () => {
    const simulator = createSimulator()
    return adServerAsBackend({ ...simulator, ...overrides(simulator) }, bookings, CLOCKS)
  }
  return {
    backend: open(),
    reopen: open,
    settings: SETTINGS,
    refuses: 'it books nothing, so it refuses nothing',
    tamper: 'it stores no order: what a line delivers follows from what the media buy says, so there is nothing to change there',
  }
}
