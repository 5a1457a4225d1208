import { Counter, Registry } from 'prom-client'
import { BODY_ROOM } from '../net/body-room.ts'

/** Adds the bodies that were refused since it was last asked to a counter of refusals. */
export function bodyRefusals(): (counter: Counter<'what' | 'limit'>) => void {
  const seen = new Map<string, number>()
  return (counter) => {
    for (const [limit, count] of BODY_ROOM.refusals) {
      counter.inc({ what: 'body', limit }, count - (seen.get(limit) ?? 0))
      seen.set(limit, count)
    }
  }
}

/** The same in a registry of its own, for a process that counts no other refusals. */
export function createBodyMetrics(): { text(): Promise<string> } {
  const registry = new Registry()
  const add = bodyRefusals()
  new Counter({
    name: 'adcp_refusals_total',
    help: 'What was refused because a bound was reached, by what was asked and by the bound',
    labelNames: ['what', 'limit'] as const,
    registers: [registry],
    collect() {
      add(this)
    },
  })
  return { text: () => registry.metrics() }
}
