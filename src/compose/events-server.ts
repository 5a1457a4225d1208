import type { StreamCounter } from '../ad-serving/embedded/stream/count-stream.ts'
import type { Config } from '../config/config.ts'
import { ConfigError } from '../config/config-error.ts'
import { adEventSpool } from '../operator/store/ad-event-spool.ts'
import { createLog } from '../platform/log.ts'
import { collectMetrics } from '../platform/metrics/collect.ts'
import { peerOf } from '../platform/net/peer.ts'
import { createShutdown } from '../platform/shutdown.ts'
import { openStore } from '../store/open.ts'
import { healthRoutes, type OtherFault } from '../transports/http/health.ts'
import { listen, type Routes } from '../transports/http/server.ts'
import { countAdEvents } from './ad-events.ts'
import { openScrapes } from './scrapes.ts'

/** A process that counts ad events from the log into the store. */
export interface EventsServer {
  /** Where `/livez` and `/readyz` are. */
  readonly port: number
  /** Of the listener for scrapers, when there is one. */
  readonly metricsPort: number | undefined
  /** Finishes the transaction that runs. */
  close(): Promise<void>
}

/**
 * Counts with all processes of this kind that share the log: each partition is of one of them, and goes to another when it ends. Answers health checks on the main port.
 * Throws ConfigError when events are written to the store at once.
 */
export async function startEventsServer(config: Config): Promise<EventsServer> {
  if (config.ads.events === 'store') {
    const message = 'is store, so events are counted where they are received; set it to kafka, or leave out --only events'
    throw new ConfigError([{ key: 'ads.events', message, source: 'configuration' }])
  }
  const log = createLog(config.log.level)
  const { started, run } = createShutdown()
  const routes: { current: Routes } = { current: [] }
  const { host, port, tls, drainSeconds } = config
  const clock = () => new Date()
  try {
    const store = started(await openStore(config), (it) => it.close())
    const metrics = await collectMetrics(config, store, { clock, spool: adEventSpool(config).contents })
    const scrapes = started(await openScrapes(config, metrics, log), (it) => it?.close())
    const counter = started(await countAdEvents({ store, config, clock, log, countEvents: metrics?.adEvents }), (it) =>
      it.close(),
    )
    metrics?.watchAdLog(counter.lag)
    const drainMs = drainSeconds * 1000
    const listener = started(await listen({ host, port, log, drainMs, peerOf: peerOf(config), tls }, routes), (it) => it.close())
    const health = healthRoutes({ store, requireSchemas: () => {}, others: { log: async () => faultOf(counter) } })
    routes.current = [
      [/^\/livez$/, health.livez],
      [/^\/readyz$/, health.readyz],
    ]
    return { port: listener.port, metricsPort: scrapes?.port, close: run }
  } catch (error) {
    await run()
    throw error
  }
}

function faultOf(counter: StreamCounter): OtherFault | undefined {
  const fault = counter.fault()
  return fault === undefined ? undefined : { fault, servesWithout: false }
}
