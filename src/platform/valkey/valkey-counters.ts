import { createHash } from 'node:crypto'
import type {
  CapCounters,
  CountedExposure,
  CountedViewer,
  Reserved,
  ReserveRequest,
} from '../../ad-serving/embedded/counters/cap-counters.ts'
import type { ValkeySettings } from '../../config/ads-settings.ts'
import { RELEASE, RESERVE } from './reserve-script.ts'
import { closeValkey, connectValkey, type ValkeyClient } from './valkey-client.ts'

export interface ValkeyCountersParts {
  readonly settings: ValkeySettings
  /** How long a server that began is not counted with, in milliseconds. */
  readonly youngMs: number
  /** Told once of an outage, and once of its end. */
  readonly report: (fault: unknown, message: string) => void
}

/** After a failure that took its time nothing is asked for so long: a server that hangs must not hold up each decision. */
const PAUSE_MS = 500
const SLOW_MS = 100
/** While one node of a cluster is away, an outage begins and ends with each visitor: two of these are told in so long. */
const TOLD_MS = 10_000
/** A visitor who is not seen for so long is read from the store again. */
const KEPT_SECONDS = 1_800

/** Counts in Valkey or Redis. Throws ValkeyMissing where the client is not installed; a server that is away is none of its errors. */
export async function createValkeyCounters(parts: ValkeyCountersParts): Promise<CapCounters> {
  return new ValkeyCounters(parts, await connectValkey(parts.settings))
}

class ValkeyCounters implements CapCounters {
  readonly #parts: ValkeyCountersParts
  readonly #client: ValkeyClient
  #fault: string | undefined
  #hungAt = Number.NEGATIVE_INFINITY
  #told: number[] = []

  constructor(parts: ValkeyCountersParts, client: ValkeyClient) {
    this.#parts = parts
    this.#client = client
  }

  async reserve(request: ReserveRequest): Promise<Reserved> {
    if (performance.now() - this.#hungAt < PAUSE_MS) throw new Error(this.#fault ?? 'the counters do not answer')
    const text = JSON.stringify(argumentOf(request, this.#parts.youngMs))
    const answer = await this.#asking(() => run(this.#client, RESERVE, this.#keyOf(request), [text]))
    const isWord = answer === 'unknown' || answer === 'unsettled' || answer === 'young'
    if (isWord) return answer
    if (Array.isArray(answer) && answer.length === request.slots.length) return answer.map(Number)
    throw new Error('the counters answered in an unknown form')
  }

  async release(viewer: CountedViewer, reserved: Parameters<CapCounters['release']>[1]): Promise<void> {
    const pairs = reserved.flatMap(({ lineId, decisionId }) => [lineId, decisionId])
    await this.#asking(() => run(this.#client, RELEASE, this.#keyOf(viewer), pairs))
  }

  async forget(viewer: CountedViewer): Promise<void> {
    await this.#asking(() => this.#client.del(this.#keyOf(viewer)))
  }

  fault(): string | undefined {
    return this.#fault
  }

  close(): Promise<void> {
    return closeValkey(this.#client)
  }

  #keyOf(viewer: CountedViewer): string {
    return counterKey(this.#parts.settings.prefix, viewer)
  }

  async #asking<T>(ask: () => Promise<T>): Promise<T> {
    const began = performance.now()
    try {
      const answer = await ask()
      if (this.#fault !== undefined) this.#tell({}, 'the counters of frequency caps answer again')
      this.#fault = undefined
      this.#hungAt = Number.NEGATIVE_INFINITY
      return answer
    } catch (error) {
      if (performance.now() - began > SLOW_MS) this.#hungAt = performance.now()
      if (this.#fault === undefined)
        this.#tell(error, 'the counters of frequency caps do not answer: lines with a cap are silent until they do')
      this.#fault = error instanceof Error ? error.message : String(error)
      throw error
    }
  }

  #tell(fault: unknown, message: string): void {
    const now = performance.now()
    this.#told = this.#told.filter((at) => now - at < TOLD_MS)
    if (this.#told.length >= 2) return
    this.#told.push(now)
    this.#parts.report(fault, message)
  }
}

/** The key of a visitor: in one slot of a cluster, whatever lines are asked for (hash tag: Valkey cluster specification, "Hash tags"). */
export function counterKey(prefix: string, { tenantId, viewer }: CountedViewer): string {
  return `${prefix}:{${tenantId}/${viewer}}`
}

/** The hash of a script is its name in the server, which forgets scripts when it starts. */
async function run(client: ValkeyClient, script: string, key: string, values: readonly string[]): Promise<unknown> {
  const sha = SHAS.get(script) ?? ''
  try {
    return await client.evalsha(sha, 1, key, ...values)
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
    return client.eval(script, 1, key, ...values)
  }
}

const SHAS: ReadonlyMap<string, string> = new Map(
  [RESERVE, RELEASE].map((script) => [script, createHash('sha1').update(script).digest('hex')]),
)

/** What the script reads: see {@link RESERVE}. */
function argumentOf({ now, since, pendingMs, slots, shown, known }: ReserveRequest, youngMs: number): object {
  return {
    ...{ n: now, s: since, p: pendingMs, y: youngMs, t: KEPT_SECONDS, w: shown },
    q: slots.map(({ decisionId, candidates }) => [
      decisionId,
      candidates.map(({ lineId, most, limits }) => [
        lineId,
        most,
        limits.map(({ most: atMost, windowMs }) => [atMost, windowMs ?? -1]),
      ]),
    ]),
    ...(known && { k: byLine(known) }),
  }
}

function byLine(known: readonly CountedExposure[]): object {
  const lines = new Map<string, [decisionId: string, at: number, isConfirmed: 0 | 1][]>()
  for (const { lineId, decisionId, at, isConfirmed } of known) {
    const own = lines.get(lineId) ?? []
    own.push([decisionId, at, isConfirmed ? 1 : 0])
    lines.set(lineId, own)
  }
  return Object.fromEntries(lines)
}
