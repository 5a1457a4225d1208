import type { Logger } from 'pino'
import { createDurableEvents, type DurableEvents } from '../ad-serving/embedded/durable-events.ts'
import type { EventResult } from '../ad-serving/embedded/replay-segment.ts'
import { type StreamCounter, startStreamCounter } from '../ad-serving/embedded/stream/count-stream.ts'
import { createStreamedEvents } from '../ad-serving/embedded/stream/streamed-events.ts'
import type { Config } from '../config/config.ts'
import { adEventSpool } from '../operator/store/ad-event-spool.ts'
import { loadKafka } from '../platform/kafka/kafka-client.ts'
import { createKafkaReader } from '../platform/kafka/kafka-reader.ts'
import { createKafkaWriter } from '../platform/kafka/kafka-writer.ts'
import type { Schemas } from '../protocol/schemas.ts'
import type { Store } from '../store/database.ts'
import { embeddedEventWriter } from '../store/embedded/events.ts'
import type { EventSpool } from '../store/embedded/spool/event-spool.ts'
import { ownerName } from '../store/task/process-name.ts'
import { type HealthParts, healthRoutes } from '../transports/http/health.ts'
import type { Routes } from '../transports/http/server.ts'
import type { EmbeddedServing } from './embedded-ad-server.ts'

export interface AdEventParts {
  readonly store: Store
  readonly config: Config
  readonly clock: () => Date
  readonly log: Logger
  /** Counts what becomes of events. */
  readonly countEvents?: ((result: EventResult, events: number) => void) | undefined
}

/** Where events of ads are written before they are acknowledged, as `ads.events` says. Throws KafkaMissing where its client is not installed. */
export async function openAdEvents(parts: AdEventParts): Promise<{ readonly events: DurableEvents; readonly spool: EventSpool }> {
  const { store, config, clock } = parts
  const spool = adEventSpool(config)
  const shared = { spool, clock, ...tellOf(parts), isBehind: (await spool.contents()).waiting > 0 }
  if (config.ads.events === 'store') {
    const events = createDurableEvents({ ...shared, append: embeddedEventWriter(store), ping: () => store.ping() })
    return { events, spool }
  }
  await loadKafka()
  return { events: createStreamedEvents({ ...shared, store, writer: createKafkaWriter(config.ads.kafka) }), spool }
}

/** Counts events from the log into the store. Throws KafkaMissing where its client is not installed. */
export async function countAdEvents(parts: AdEventParts): Promise<StreamCounter> {
  const { store, config, clock } = parts
  await loadKafka()
  const reader = createKafkaReader(config.ads.kafka)
  return startStreamCounter({ store, clock, reader, owner: ownerName(), ...tellOf(parts) })
}

/** The log and the counters of frequency caps in answers to health checks: without the log ads are served as long as the spool has room, without counters all but lines with a cap. */
export function logHealth(
  { ads }: Config,
  { events, spool, counters }: Pick<EmbeddedServing, 'events' | 'spool' | 'counters'>,
): HealthParts['others'] {
  return {
    ...(ads.events === 'kafka' && {
      async log() {
        const fault = events.fault()
        return fault === undefined ? undefined : { fault, servesWithout: (await spool.contents()).hasRoom }
      },
    }),
    ...(counters && {
      async counters() {
        const fault = counters.fault()
        return fault === undefined ? undefined : { fault, servesWithout: true }
      },
    }),
  }
}

/** `/livez` and `/readyz` of a listener for ads: while the store is away or takes no writes, they are served as long as the spool has room for their events. */
export function adHealthRoutes(
  { store, schemas, config }: { readonly store: Store; readonly schemas: Schemas; readonly config: Config },
  serving: Pick<EmbeddedServing, 'events' | 'spool' | 'counters'>,
): Routes {
  const { livez, readyz } = healthRoutes({
    store,
    requireSchemas: () => schemas.validator('own:ad-decision-request.json'),
    others: logHealth(config, serving),
    servesWithout: async () => (await serving.spool.contents()).hasRoom,
  })
  return [
    [/^\/livez$/, livez],
    [/^\/readyz$/, readyz],
  ]
}

function tellOf({ log, countEvents }: AdEventParts) {
  const report = (fault: unknown, message: string) => log.error(fault instanceof Error ? { err: fault } : { fault }, message)
  return { count: countEvents, report }
}
