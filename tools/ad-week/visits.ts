import type { EmbeddedService } from '../../src/ad-serving/embedded/service.ts'
import type { Oracle, Promised } from './oracle.ts'
import type { PageRequest } from './traffic.ts'

type Kind = 'impression' | 'viewable' | 'click'
type Counting = 'counted' | 'repeated' | 'expired'

/** An event that a page will send. */
interface Coming {
  readonly at: number
  readonly token: string
  readonly kind: Kind
  readonly ad: Promised
  /** What the ad server has to make of it. */
  readonly expected: Counting
  readonly isBot: boolean
}

const MINUTE_MS = 60_000
/** How long after a decision an impression counts (docs/ad-servers.md). */
const IMPRESSION_COUNTS_MS = 10 * MINUTE_MS

/** What the pages of the week do with the ads that they get: most show them at once, some late, some never; some send events again. */
export class Visits {
  readonly #oracle: Oracle
  readonly #lineNames: ReadonlyMap<string, string>
  readonly #random: () => number
  #coming: Coming[] = []
  /** What was answered to events, by what was expected. */
  readonly answers = new Map<string, number>()
  events = 0

  constructor(oracle: Oracle, lineNames: ReadonlyMap<string, string>, random: () => number) {
    this.#oracle = oracle
    this.#lineNames = lineNames
    this.#random = random
  }

  /** A page asks for an ad; what it does with it comes later. */
  async visit(request: PageRequest, service: EmbeddedService): Promise<void> {
    const [decision] = await service.decide('week', [request.slot], request.visitor)
    const line = decision && this.#lineNames.get(decision.served.lineId)
    this.#oracle.decided(request, line)
    if (!decision || line === undefined) return
    const ad = { line, at: request.at, rateMicros: decision.served.rateMicros, viewer: request.visitor.viewer }
    const { isBot } = request.visitor
    if (!isBot) this.#oracle.promised(ad)
    this.#plan(decision.token, ad, isBot)
  }

  #plan(token: string, ad: Promised, isBot: boolean): void {
    const delayMs = this.#delayMs()
    if (delayMs === undefined || delayMs > IMPRESSION_COUNTS_MS) {
      if (!isBot) this.#oracle.lost(ad)
    }
    if (delayMs === undefined) return
    const at = ad.at + delayMs
    const add = (kind: Kind, when: number, expected: Counting) =>
      this.#coming.push({ at: when, token, kind, ad, expected, isBot })
    const isLate = delayMs > IMPRESSION_COUNTS_MS
    add('impression', at, isLate ? 'expired' : 'counted')
    if (this.#random() < 0.03) {
      const again = at + this.#after(1, 5 * MINUTE_MS)
      add('impression', again, again - ad.at > IMPRESSION_COUNTS_MS ? 'expired' : 'repeated')
    }
    if (isLate) return
    if (this.#random() < 0.7) add('viewable', at + 1000, 'counted')
    if (this.#random() < 0.0025) add('click', at + this.#after(2_000, MINUTE_MS), 'counted')
  }

  /** How long after its decision an ad is shown; undefined: never. */
  #delayMs(): number | undefined {
    const chance = this.#random()
    if (chance < 0.02) return undefined
    if (chance < 0.03) return this.#after(MINUTE_MS, 9 * MINUTE_MS)
    return chance < 0.035 ? 11 * MINUTE_MS : this.#after(300, 2700)
  }

  #after(least: number, more: number): number {
    return Math.round(least + this.#random() * more)
  }

  /** Sends every event that is due, in the order of time; each is durable when this is done. */
  async happenUntil(until: number, service: EmbeddedService, setClock: (at: number) => void): Promise<void> {
    const due = this.#coming.filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at)
    this.#coming = this.#coming.filter(({ at }) => at > until)
    const answers = due.map((event) => {
      setClock(event.at)
      this.events += 1
      if (event.expected === 'counted' && !event.isBot) this.#oracle.counted(event.ad, event.kind, event.at)
      return service.record(event.token, event.kind, event.isBot)
    })
    for (const [index, answer] of (await Promise.all(answers)).entries()) {
      const key = `${due[index]?.expected} → ${answer}`
      this.answers.set(key, (this.answers.get(key) ?? 0) + 1)
    }
  }
}
