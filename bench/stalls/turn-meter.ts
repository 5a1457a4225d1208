import { openSync, readSync } from 'node:fs'
import { type IncomingHttpHeaders, IncomingMessage, Server } from 'node:http'
import { Socket } from 'node:net'

/** What the main thread of a server did in some time. */
export interface Turns {
  /** Processor time of the main thread, in milliseconds, without what the meter itself takes. */
  readonly busyMs: number
  /** Processor time of its longest turn: how long all others waited on an idle machine. */
  readonly longestMs: number
  /** Resident memory of the process at the end, in bytes. */
  readonly rssBytes: number
}

/** The turns from a connection to the next one. */
export interface TurnsOfConnection extends Turns {
  /** The address that it came from. */
  readonly from: string
}

/** What the main thread did while requests were answered, and the names of what they could have sent that it looked for. */
export interface Metered extends Turns {
  /** The same by connection, in the order in which they came. */
  readonly connections: readonly TurnsOfConnection[]
  readonly query: readonly string[]
  readonly headers: readonly string[]
}

/** A turn of the event loop that did nothing but look at the clock takes less. */
const IDLE_TURN_MS = 0.1

/**
 * Runs inside the measured server: told `begin`, it watches every turn of the event loop until it is told `end`, and then sends {@link Metered}. Told `yardstick`,
 * it sends how long a fixed work takes: beside it a slow machine is told from a slow program. Processor time of the thread, as Linux counts it, so that what else the machine does adds nothing.
 */
export function meterTurns(): void {
  const sought = recordNames((from) => {
    if (last === undefined) return
    close()
    connections.push({ from, busyMs: 0, longestMs: 0, rssBytes: 0 })
  })
  const clock = threadClock()
  let last: number | undefined
  let before: Counted = { from: '', busyMs: 0, longestMs: 0, rssBytes: 0 }
  let connections: Counted[] = []
  const turn = () => {
    if (last === undefined) return
    const now = clock()
    const tookMs = now - last
    last = now
    const counted = connections.at(-1) ?? before
    if (tookMs > IDLE_TURN_MS) counted.busyMs += tookMs
    counted.longestMs = Math.max(counted.longestMs, tookMs)
    awaitTurn(turn)
  }
  const close = () => {
    const counted = connections.at(-1) ?? before
    counted.rssBytes = process.memoryUsage.rss()
  }
  process.on('message', (message) => {
    if (message === 'begin') {
      sought.clear()
      before = { from: '', busyMs: 0, longestMs: 0, rssBytes: 0 }
      connections = []
      last = clock()
      awaitTurn(turn)
    } else if (message === 'yardstick') {
      const begun = clock()
      fixedWork()
      process.send?.(clock() - begun)
    } else {
      // What the last turn of the answer took is counted in the next.
      setImmediate(() =>
        setImmediate(() => {
          last = undefined
          close()
          process.send?.({
            ...together([before, ...connections]),
            connections,
            query: [...sought.query],
            headers: [...sought.headers],
          })
        }),
      )
    }
  })
}

/** Work that is the same in every run and every version: a document is written, read and put in order. */
function fixedWork(): void {
  const rows = Array.from({ length: 20_000 }, (_, index) => ({ id: `row ${(index * 7919) % 20_000}`, micros: index * 1_000 }))
  const read: typeof rows = JSON.parse(JSON.stringify(rows))
  read.sort((a, b) => (a.id < b.id ? -1 : 1))
}

interface Counted extends TurnsOfConnection {
  busyMs: number
  longestMs: number
  rssBytes: number
}

function together(parts: readonly Turns[]): Turns {
  return {
    busyMs: parts.reduce((sum, { busyMs }) => sum + busyMs, 0),
    longestMs: Math.max(...parts.map(({ longestMs }) => longestMs)),
    rssBytes: parts.at(-1)?.rssBytes ?? 0,
  }
}

/** At the end of the turn that runs, or of the next one: what waits for the event loop does not keep it from sleeping meanwhile, which would take a core. */
function awaitTurn(turn: () => void): void {
  setImmediate(turn).unref()
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

/**
 * Notes every name of a query or form, and of a header, that a route asks for: so nobody has to write down what a route takes. `connected` hears of each
 * connection and the address that it comes from.
 */
function recordNames(connected: (from: string) => void) {
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
      if (event === 'connection' && request instanceof Socket) connected(request.remoteAddress ?? '')
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
