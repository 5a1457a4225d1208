import type { AdServer } from '../../src/ad-serving/ad-server.ts'
import { createSimulator } from '../../src/ad-serving/simulator/simulator.ts'

/** A simulated ad server that takes so many micros back of the first day of each line. */
export function correctingAdServer(correctionMicros: () => number): AdServer {
  const simulator = createSimulator()
  return {
    ...simulator,
    reportDelivery: async (...asked) =>
      (await simulator.reportDelivery(...asked)).map((line) => ({
        ...line,
        days: line.days.map((day, index) => (index === 0 ? { ...day, spendMicros: day.spendMicros - correctionMicros() } : day)),
      })),
  }
}
