import type { AdTokens } from '../../src/ad-serving/embedded/tokens.ts'
import { SERVED_PLACE } from './prepare.ts'

/** Pages that load at the same time. */
const PAGES = 6
/** Places that a page asks for at once. */
const PLACES = 20
/** Events that are sent once more at the end. */
const MOST_REPLAYS = 2_000
/**
 * How long after they were sent: impressions count for ten minutes after their decision. A later one is acknowledged and counts nothing, as if it came from a page
 * that was open for too long.
 */
const REPLAYED_MS = 8 * 60_000
/** An answer that takes longer is not waited for. */
const ANSWER_MS = 5_000

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'

/** Pages that ask for ads and send their impressions, some of them twice, until the server is gone. */
export class AdPages {
  /** The events that were sent, answered or not, by id. */
  readonly sent = new Map<string, { readonly url: string; readonly at: number }>()
  /** Ids of the events that the server said it has. */
  readonly acknowledged = new Set<string>()
  repeated = 0
  /** Events that were never acknowledged before they were sent again at the end, at most. */
  newWithReplays = 0

  readonly #origin: string
  readonly #chance: () => number
  readonly #tokens: Pick<AdTokens, 'read'>

  constructor(origin: string, chance: () => number, tokens: Pick<AdTokens, 'read'>) {
    this.#origin = origin
    this.#chance = chance
    this.#tokens = tokens
  }

  /** Begins to load; `stop` resolves when nothing is under way. */
  load(): { stop(): Promise<void> } {
    let running = true
    const pages = Array.from({ length: PAGES }, async () => {
      while (running) {
        const urls = await this.#decide().catch(() => [])
        await Promise.all(urls.map((url) => this.#send(url)))
      }
    })
    return {
      async stop() {
        running = false
        await Promise.all(pages)
      },
    }
  }

  /** Sends the newest events once more. */
  async sendAgain(): Promise<void> {
    const since = performance.now() - REPLAYED_MS
    const latest = [...this.sent].filter(([, { at }]) => at >= since).slice(-MOST_REPLAYS)
    this.newWithReplays = latest.filter(([id]) => !this.acknowledged.has(id)).length
    this.repeated += latest.length
    for (let at = 0; at < latest.length; at += 50)
      await Promise.all(latest.slice(at, at + 50).map(([id, { url }]) => this.#post(id, url).catch(() => undefined)))
  }

  async #decide(): Promise<string[]> {
    const placements = Array.from({ length: PLACES }, () => SERVED_PLACE)
    const answer = await fetch(`${this.#origin}/ads/demo/decide`, {
      method: 'POST',
      headers: { 'User-Agent': BROWSER },
      body: JSON.stringify({ placements }),
      signal: AbortSignal.timeout(ANSWER_MS),
    })
    const body: { placements?: { ad: { events: { impression: string } } | null }[] } = Object(await answer.json())
    return (body.placements ?? []).flatMap(({ ad }) => (ad ? [ad.events.impression] : []))
  }

  async #send(url: string): Promise<void> {
    const id = this.#eventIdOf(url)
    this.sent.set(id, { url, at: performance.now() })
    const twice = this.#chance() < 0.2
    if (twice) this.repeated += 1
    // Whether an event that was cut off is in the log is unknown; both is right.
    await Promise.all([this.#post(id, url), ...(twice ? [this.#post(id, url)] : [])]).catch(() => undefined)
  }

  async #post(id: string, url: string): Promise<void> {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'User-Agent': BROWSER },
      signal: AbortSignal.timeout(ANSWER_MS),
    })
    await answer.arrayBuffer()
    if (answer.status === 200) this.acknowledged.add(id)
  }

  /** The id under which the log keeps the impression of an address. */
  #eventIdOf(url: string): string {
    const served = this.#tokens.read(new URL(url).searchParams.get('t') ?? '')
    if (!served) throw new Error(`the address of an event has no token of this deployment: ${url}`)
    return `${served.decisionId}.impression`
  }
}
