import { AdcpError } from '../errors.ts'

/** Lets a bounded number of works run, and a bounded number wait. */
export type OutboundGate = <T>(work: () => Promise<T>) => Promise<T>

/** Seconds after which a busy registry is worth asking again. */
const RETRY_AFTER = 5

/**
 * Bounds what strangers make this server fetch: at most `running` at once, `waiting` in line, the rest is refused. Rejects with
 * SERVICE_UNAVAILABLE (HTTP 503).
 */
export function createOutboundGate({ running, waiting }: { readonly running: number; readonly waiting: number }): OutboundGate {
  let active = 0
  const line: (() => void)[] = []
  return async (work) => {
    if (active >= running) {
      if (line.length >= waiting) {
        throw new AdcpError('SERVICE_UNAVAILABLE', 'the registry is looking up too much at the moment; try again', {
          retryAfter: RETRY_AFTER,
          http: { status: 503, headers: { 'Retry-After': String(RETRY_AFTER) } },
        })
      }
      await new Promise<void>((resolve) => line.push(resolve))
    } else active += 1
    try {
      return await work()
    } finally {
      const next = line.shift()
      // The place passes on, so the number of active works stays.
      if (next) next()
      else active -= 1
    }
  }
}
