import { Gauge, type Registry } from 'prom-client'

/** What a scrape asks of the spool of ad events. */
export interface SpoolNumbers {
  spool(): Promise<{ readonly bytes: number; readonly waiting: number; readonly setAside: number }>
}

/** Gauges that look into the folder of the spool when they are read; workers share it. */
export function gaugeSpool(registry: Registry, { spool }: SpoolNumbers): void {
  new Gauge({
    name: 'adcp_ad_spool_bytes',
    help: 'Size of the spool of ad events on this machine',
    registers: [registry],
    aggregator: 'max',
    async collect() {
      this.set((await spool()).bytes)
    },
  })
  new Gauge({
    name: 'adcp_ad_spool_segments',
    help: 'Segments of the spool of ad events: waiting for the store, or set_aside because it does not take them',
    labelNames: ['state'],
    registers: [registry],
    aggregator: 'max',
    async collect() {
      const { waiting, setAside } = await spool()
      this.set({ state: 'waiting' }, waiting)
      this.set({ state: 'set_aside' }, setAside)
    },
  })
}
