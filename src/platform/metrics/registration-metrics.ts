import { Gauge, Registry } from 'prom-client'

/** Which registrations a router of Trusted Match takes, in a registry of its own: it tells nothing of any request. */
export interface RegistrationMetrics {
  /** Replaces what was shown before. `refused`: ids of those that are left out. */
  show(state: { readonly taken: number; readonly refused: readonly string[] }): void
  /** In the text format of Prometheus. */
  text(): Promise<string>
}

/** Gauges of the registrations as they are now. */
export function createRegistrationMetrics(): RegistrationMetrics {
  const registers = [new Registry()]
  const taken = new Gauge({ name: 'tmp_registrations', help: 'Registrations that the router takes', registers })
  const refused = new Gauge({
    name: 'tmp_registration_refused',
    help: 'A registration that the router leaves out; its log says why',
    registers,
    labelNames: ['provider'],
  })
  return {
    show(state) {
      taken.set(state.taken)
      refused.reset()
      for (const provider of state.refused) refused.set({ provider }, 1)
    },
    text: async () => (await Promise.all(registers.map((registry) => registry.metrics()))).join(''),
  }
}
