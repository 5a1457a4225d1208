import { openSync, readSync } from 'node:fs'
import { type IncomingHttpHeaders, IncomingMessage, Server } from 'node:http'

/** What the main thread of a server did while requests were answered, and the names of what they could have sent that it looked for. */
export interface Metered {
  /** Processor time of the main thread, in milliseconds, without what the meter itself takes. */
  readonly busyMs: number
  /** Processor time of its longest turn: how long all others waited on an idle machine. */
  readonly longestMs: number
  /** Resident memory of the process, in bytes. */
  readonly rssBytes: number
  readonly query: readonly string[]
  readonly headers: readonly string[]
}

/** A turn of the event loop that did nothing but look at the clock takes less. */
const IDLE_TURN_MS = 0.1

/**
 * Runs inside the measured server: told `begin`, it watches every turn of the event loop until it is told `end`, and then sends {@link Metered}. Processor time
 * of the thread, as Linux counts it, so that what else the machine does adds nothing.
 */
export function meterTurns(): void {
  const sought = recordNames()
  const clock = threadClock()
  let watching: { busyMs: number; longestMs: number; last: number } | undefined
  const turn = () => {
    if (!watching) return
    const now = clock()
    const tookMs = now - watching.last
    watching.last = now
    if (tookMs > IDLE_TURN_MS) watching.busyMs += tookMs
    watching.longestMs = Math.max(watching.longestMs, tookMs)
    setImmediate(turn)
  }
  process.on('message', (message) => {
    if (message === 'begin') {
      sought.clear()
      watching = { busyMs: 0, longestMs: 0, last: clock() }
      setImmediate(turn)
    } else {
      // What the last turn of the answer took is counted in the next.
      setImmediate(() =>
        setImmediate(() => {
          const { busyMs = 0, longestMs = 0 } = watching ?? {}
          watching = undefined
          const { rss: rssBytes } = process.memoryUsage()
          process.send?.({ busyMs, longestMs, rssBytes, query: [...sought.query], headers: [...sought.headers] })
        }),
      )
    }
  })
}

/** Gives the processor time of this thread so far, in milliseconds. `cpuUsage` makes the system bring its count up to date (getrusage(2)). */
function threadClock(): () => number {
  const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r')
  const text = Buffer.alloc(64)
  return () => {
    process.cpuUsage()
    const length = readSync(file, text, 0, text.length, 0)
    return Number(text.toString('latin1', 0, length).split(' ', 1)[0]) / 1_000_000
  }
}

/** Notes every name of a query or form, and of a header, that a route asks for: so nobody has to write down what a route takes. */
function recordNames() {
  const query = new Set<string>()
  const headers = new Set<string>()
  for (const method of ['get', 'getAll', 'has'] as const) {
    const original = URLSearchParams.prototype[method]
    Object.defineProperty(URLSearchParams.prototype, method, {
      value(this: URLSearchParams, name: string, ...more: unknown[]): unknown {
        query.add(name)
        return Reflect.apply(original, this, [name, ...more])
      },
    })
  }
  const noting: ProxyHandler<IncomingHttpHeaders> = {
    get(target, name) {
      if (typeof name === 'string') headers.add(name)
      return target[String(name)]
    },
  }
  const { emit } = Server.prototype
  Object.defineProperty(Server.prototype, 'emit', {
    value(this: Server, event: string, ...given: unknown[]) {
      const [request] = given
      if (event === 'request' && request instanceof IncomingMessage)
        Object.defineProperty(request, 'headers', { value: new Proxy(request.headers, noting) })
      return Reflect.apply(emit, this, [event, ...given])
    },
  })
  const clear = () => {
    query.clear()
    headers.clear()
  }
  return { query, headers, clear }
}
