import { Gauge, type Registry } from 'prom-client'
import type { Slots } from '../concurrency/slots.ts'

/** Event streams that are open, by kind, counted when the numbers are asked for; workers are added up. */
export function gaugeStreams(registry: Registry, streams: Readonly<Record<string, Slots>>): void {
  new Gauge({
    name: 'adcp_event_streams',
    help: 'Event streams that are open, by what they follow',
    labelNames: ['stream'],
    registers: [registry],
    collect() {
      for (const [stream, { open }] of Object.entries(streams)) this.set({ stream }, open)
    },
  })
}
