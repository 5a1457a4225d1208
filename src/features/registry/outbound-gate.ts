import { AdcpError } from '../../protocol/errors.ts'

/** Runs work for a caller when its turn comes. Rejects with SERVICE_UNAVAILABLE (HTTP 503) when too much waits already. */
export type OutboundGate = <T>(caller: string, work: () => Promise<T>) => Promise<T>

export interface GateLimits {
  /** Works that run at once, of all callers and of one. */
  readonly running: number
  readonly runningPerCaller: number
  /** Works that may wait, of all callers and of one. */
  readonly waiting: number
  readonly waitingPerCaller: number
}

interface Waiting {
  readonly caller: string
  readonly start: () => void
}

/** Seconds after which a busy registry is worth asking again. */
const RETRY_AFTER = 5

/**
 * Bounds what strangers make this server fetch. Each caller has at most a share of it, so that one caller who names servers that never end their
 * answers leaves room for the others.
 */
export function createOutboundGate(limits: GateLimits): OutboundGate {
  const running = new Map<string, number>()
  const line: Waiting[] = []
  let active = 0

  const mayStart = (caller: string) => active < limits.running && (running.get(caller) ?? 0) < limits.runningPerCaller
  const enter = (caller: string) => {
    active += 1
    running.set(caller, (running.get(caller) ?? 0) + 1)
  }
  const leave = (caller: string) => {
    active -= 1
    const left = (running.get(caller) ?? 1) - 1
    if (left === 0) running.delete(caller)
    else running.set(caller, left)
    const next = line.findIndex((each) => mayStart(each.caller))
    if (next === -1) return
    const [waiting] = line.splice(next, 1)
    if (!waiting) return
    enter(waiting.caller)
    waiting.start()
  }

  return async (caller, work) => {
    if (mayStart(caller)) enter(caller)
    else {
      const own = line.filter((each) => each.caller === caller).length
      if (line.length >= limits.waiting || own >= limits.waitingPerCaller) throw busy()
      await new Promise<void>((start) => line.push({ caller, start }))
    }
    try {
      return await work()
    } finally {
      leave(caller)
    }
  }
}

function busy(): AdcpError {
  return new AdcpError('SERVICE_UNAVAILABLE', 'the registry is looking up too much at the moment; try again', {
    retryAfter: RETRY_AFTER,
    http: { status: 503, headers: { 'Retry-After': String(RETRY_AFTER) } },
  })
}
