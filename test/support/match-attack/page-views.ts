import { createHash } from 'node:crypto'
import { createContext, runInContext } from 'node:vm'

/** One request as the provider of a path logs it. */
export interface LoggedMatch {
  /** Milliseconds. */
  readonly at: number
  // biome-ignore lint/suspicious/noExplicitAny: an attacker looks at everything
  readonly body: any
  /** Which view it belongs to: what the attacker wants to know. */
  readonly view: number
}

/** Complete logs of the provider of contexts and of the provider of users. */
export interface MatchLogs {
  readonly contexts: readonly LoggedMatch[]
  readonly identities: readonly LoggedMatch[]
}

/** Numbers from 0 up to 1 that are the same in each run (mulberry32). */
export function seededChance(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** How views come to a publisher. */
export interface Traffic {
  readonly views: number
  readonly perSecond: number
  readonly placements: number
  readonly seed: number
  /** On how many days each user comes, once a day, always with the same token; absent: each view is of another user. */
  readonly visits?: number
  /** Share of the visits of a user that read the user's own page; the others read any. */
  readonly returning?: number
  /** How long the router repeats an answer about a context, so that the provider is not asked; default: it does not. */
  readonly contextCacheSeconds?: number
  /** Of the token of each user; default: `uid2`. */
  readonly uidType?: string
  /** Attributes of the script's element. */
  readonly attributes?: Readonly<Record<string, string>>
}

/** As the one of browsers, but within the moment in which it is asked: views follow one another on a clock of their own. */
const subtle = { digest: async (_name: string, bytes: Uint8Array) => createHash('sha256').update(bytes).digest() }
const DAY_MS = 86_400_000

/** Runs the script of pages for views that come by chance at a rate, on a clock of its own, and gives what the two providers see. */
export async function simulateViews(source: string, traffic: Traffic): Promise<MatchLogs> {
  const {
    views,
    perSecond,
    placements,
    seed,
    visits = 1,
    returning = 1,
    contextCacheSeconds = 0,
    attributes,
    uidType = 'uid2',
  } = traffic
  const chance = seededChance(seed)
  const logs: { contexts: LoggedMatch[]; identities: LoggedMatch[] } = { contexts: [], identities: [] }
  const page: { now: number; view: number; timers: { readonly ms: number; readonly run: () => void }[] } = {
    now: 0,
    view: 0,
    timers: [],
  }
  const window: { adcpMatch?: (opportunity: object) => Promise<unknown> } = {}
  const dataset = { key: 'k', property: 'p', seller: 'https://s.example', ...attributes }
  const context = createContext({
    window,
    URL,
    TextEncoder,
    console,
    Uint8Array,
    chance,
    now: () => page.now,
    document: { currentScript: { src: 'https://router.example/tmp.js', dataset } },
    crypto: { getRandomValues: (bytes: Uint8Array) => bytes.map(() => Math.floor(chance() * 256)), subtle },
    setTimeout: (run: () => void, ms: number) => page.timers.push({ run, ms }),
    fetch: async (url: string, { body }: { readonly body: string }) => {
      const log = url.endsWith('/context') ? logs.contexts : logs.identities
      log.push({ at: page.now, body: JSON.parse(body), view: page.view })
      return { ok: false }
    },
  })
  runInContext('Math.random = chance; Date.now = now', context)
  runInContext(source, context)
  const users = Math.ceil(views / visits)
  const own = Array.from({ length: users }, () => Math.floor(chance() * placements))
  let begin = 0
  let today: number[] = []
  for (; page.view < views; page.view += 1) {
    if (page.view % users === 0) {
      begin = Math.floor(page.view / users) * DAY_MS
      today = shuffled(users, chance)
    }
    // Times between arrivals of a Poisson process.
    begin += (-Math.log(1 - chance()) * 1000) / perSecond
    page.now = begin
    page.timers = []
    const user = today[page.view % users] ?? 0
    const placement = chance() < returning ? (own[user] ?? 0) : Math.floor(chance() * placements)
    const done = window.adcpMatch?.({
      placementId: `place-${placement}`,
      contextSignals: { topics: [`${placement}`] },
      identities: [{ user_token: `user-${user}-${seed}`, uid_type: uidType }],
      consent: { gdpr: false },
      country: 'US',
      packages: [`package-${placement}`],
    })
    await new Promise((resolve) => setImmediate(resolve))
    for (const { ms, run } of page.timers) {
      page.now = begin + ms
      run()
    }
    await done
  }
  const inTime = (log: LoggedMatch[]) => log.sort((a, b) => a.at - b.at)
  return { contexts: withoutRepeats(inTime(logs.contexts), contextCacheSeconds), identities: inTime(logs.identities) }
}

function shuffled(count: number, chance: () => number): number[] {
  const numbers = Array.from({ length: count }, (_each, index) => index)
  for (let last = count - 1; last > 0; last -= 1) {
    const other = Math.floor(chance() * (last + 1))
    const [a = 0, b = 0] = [numbers[last], numbers[other]]
    numbers[last] = b
    numbers[other] = a
  }
  return numbers
}

/** What a provider is asked when the router repeats its answers for so many seconds. */
function withoutRepeats(contexts: readonly LoggedMatch[], seconds: number): readonly LoggedMatch[] {
  const askedAt = new Map<string, number>()
  return contexts.filter(({ at, body: { request_id: _id, ...question } }) => {
    const name = JSON.stringify(question)
    if (seconds > 0 && at - (askedAt.get(name) ?? Number.NEGATIVE_INFINITY) < seconds * 1000) return false
    askedAt.set(name, at)
    return true
  })
}
