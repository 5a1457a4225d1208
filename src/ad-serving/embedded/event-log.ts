import { AdcpError } from '../../protocol/errors.ts'
import type { EmbeddedEvent } from '../../store/embedded/events.ts'

/** Writes a batch of events durably and gives the ids of those that it did not have yet. The one place to put another log behind. */
export interface EventWriter {
  append(events: readonly EmbeddedEvent[]): Promise<ReadonlySet<string>>
}

export interface EventLog {
  /** Resolves once the event is durable: whether it was new. Throws SERVICE_UNAVAILABLE when more wait than can be written soon. */
  add(event: EmbeddedEvent): Promise<boolean>
  /** Resolves when everything that was added is written. */
  close(): Promise<void>
}

/** Events of one transaction: a few tens of milliseconds of writing. */
const BATCH = 2_000
/** Events that may wait: seconds of writing. What comes beyond them is refused, so that memory stays bounded. */
const MOST_WAITING = 50_000

interface Waiting {
  readonly event: EmbeddedEvent
  readonly done: ((isNew: boolean) => void)[]
  readonly failed: ((error: unknown) => void)[]
}

/** Collects events while a batch is written and writes them together; `counted` gets each event that was new, after it is durable. */
export function createEventLog(writer: EventWriter, counted: (event: EmbeddedEvent) => void): EventLog {
  const waiting = new Map<string, Waiting>()
  let running: Promise<void> | undefined
  const write = async () => {
    while (waiting.size > 0) {
      const batch = firstOf(waiting, BATCH)
      try {
        const fresh = await writer.append(batch.map(({ event }) => event))
        for (const { event, done } of batch) {
          const isNew = fresh.has(event.eventId)
          if (isNew) counted(event)
          for (const [index, tell] of done.entries()) tell(isNew && index === 0)
        }
      } catch (error) {
        for (const { failed } of batch) for (const tell of failed) tell(error)
      }
    }
    running = undefined
  }
  return {
    add(event) {
      if (waiting.size >= MOST_WAITING)
        return Promise.reject(new AdcpError('SERVICE_UNAVAILABLE', 'too many events wait to be written; send them again later'))
      return new Promise((resolve, reject) => {
        const known = waiting.get(event.eventId)
        if (known) {
          known.done.push(resolve)
          known.failed.push(reject)
        } else {
          waiting.set(event.eventId, { event, done: [resolve], failed: [reject] })
        }
        // One turn later: what arrives in this one is written with it.
        running ??= new Promise<void>((next) => setImmediate(next)).then(write)
      })
    },
    async close() {
      while (running) await running
    },
  }
}

/** Takes the oldest entries out of a map. */
function firstOf(waiting: Map<string, Waiting>, most: number): Waiting[] {
  const batch: Waiting[] = []
  for (const [id, each] of waiting) {
    if (batch.length === most) break
    batch.push(each)
    waiting.delete(id)
  }
  return batch
}
