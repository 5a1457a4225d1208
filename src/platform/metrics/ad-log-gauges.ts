import { Gauge, type Registry } from 'prom-client'

/** How far a process is with counting the log of ad events. */
export interface AdLogNumbers {
  /** Of the log, that this process counts. */
  readonly partitions: number
  /** Events in them that are not counted yet, as far as the process knows. */
  readonly events: number
  /** How long the oldest of them has been there at most, in seconds. */
  readonly seconds: number
}

/** Gauges of a process that counts the log of ad events. */
export function gaugeAdLog(registry: Registry, numbers: () => AdLogNumbers): void {
  const gauges: readonly (readonly [key: keyof AdLogNumbers, name: string, help: string])[] = [
    ['partitions', 'adcp_ad_log_partitions', 'Partitions of the log of ad events that this process counts'],
    ['events', 'adcp_ad_log_lag_events', 'Events of these partitions that are not counted yet'],
    ['seconds', 'adcp_ad_log_lag_seconds', 'How long what is not counted yet has been in these partitions at most'],
  ]
  for (const [key, name, help] of gauges)
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(numbers()[key])
      },
    })
}
