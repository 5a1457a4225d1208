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

/** Runs the script of pages for views that come by chance at a rate, on a clock of its own, and gives what the two providers see. */
export async function simulateViews(
  source: string,
  {
    views,
    perSecond,
    placements,
    seed,
  }: { readonly views: number; readonly perSecond: number; readonly placements: number; readonly seed: number },
): Promise<MatchLogs> {
  const chance = seededChance(seed)
  const logs: { contexts: LoggedMatch[]; identities: LoggedMatch[] } = { contexts: [], identities: [] }
  const page: { now: number; view: number; timers: { readonly ms: number; readonly run: () => void }[] } = {
    now: 0,
    view: 0,
    timers: [],
  }
  const window: { adcpMatch?: (opportunity: object) => Promise<unknown> } = {}
  const context = createContext({
    window,
    URL,
    console,
    Uint8Array,
    chance,
    document: {
      currentScript: { src: 'https://router.example/tmp.js', dataset: { key: 'k', property: 'p', seller: 'https://s.example' } },
    },
    crypto: { getRandomValues: (bytes: Uint8Array) => bytes.map(() => Math.floor(chance() * 256)) },
    setTimeout: (run: () => void, ms: number) => page.timers.push({ run, ms }),
    fetch: async (url: string, { body }: { readonly body: string }) => {
      const log = url.endsWith('/context') ? logs.contexts : logs.identities
      log.push({ at: page.now, body: JSON.parse(body), view: page.view })
      return { ok: false }
    },
  })
  runInContext('Math.random = chance', context)
  runInContext(source, context)
  for (let begin = 0; page.view < views; page.view += 1) {
    // Times between arrivals of a Poisson process.
    begin += (-Math.log(1 - chance()) * 1000) / perSecond
    page.now = begin
    page.timers = []
    const placement = Math.floor(chance() * placements)
    const done = window.adcpMatch?.({
      placementId: `place-${placement}`,
      contextSignals: { topics: [`${placement}`] },
      identities: [{ user_token: `user-${Math.floor(chance() * 1e9)}`, uid_type: 'uid2' }],
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
  return { contexts: inTime(logs.contexts), identities: inTime(logs.identities) }
}
