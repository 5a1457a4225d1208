import type { LoggedMatch, MatchLogs } from './page-views.ts'

/** Longest and shortest time between the two requests of a view, in milliseconds: the attacker has read the script. */
const WINDOW_MS = 2_000
const LEAST_MS = 100
const PERMITTED_SECONDS = (2 * (WINDOW_MS - LEAST_MS)) / 1000
/** A share of visits without the page is always thought possible: a request can be lost. */
const MOST_LOYAL = 0.95

/** What an attacker concludes from all visits of each user together. */
export interface VisitFindings {
  /** Of each context the identity request that is taken for the same view. */
  readonly joined: readonly (LoggedMatch | undefined)[]
  /** Of each token the page that its user is taken to read. */
  readonly pageOf: ReadonlyMap<string, string>
}

/** Page of a context, and token of an identity request: what repeats from visit to visit. */
export const pageIn = ({ body }: LoggedMatch): string =>
  JSON.stringify([body.placement_id, body.context_signals, body.artifact_refs])
export const tokenIn = ({ body }: LoggedMatch): string => JSON.stringify(body.identities)

/**
 * Adds up, for each token and page, how much more often the page is read near the token's requests than it is read anyway (likelihood ratio, where other
 * readers come by chance at the rate of the page), and joins each context to the request near it whose token fits the page best. `returning`: the share of
 * their requests for which the users' own page is read.
 */
export function intersectVisits(logs: MatchLogs, returning: number): VisitFindings {
  const { contexts, identities } = logs
  const pages = contexts.map(pageIn)
  const chanceOf = byChance(pages, secondsOf(contexts))
  const share = Math.min(returning, MOST_LOYAL)
  const scores = new Map<string, Map<string, number>>()
  const visits = new Map<string, number>()
  const tokens = new Map(identities.map((each) => [each, tokenIn(each)]))
  for (const [identity, token] of tokens) {
    visits.set(token, (visits.get(token) ?? 0) + 1)
    const scoresOfToken = getOrAdd(scores, token, () => new Map<string, number>())
    for (const [page, times] of pagesNear(contexts, pages, identity)) {
      const gain = Math.log(1 - share + (share * times) / (chanceOf.get(page) ?? 1)) - Math.log(1 - share)
      scoresOfToken.set(page, (scoresOfToken.get(page) ?? 0) + gain)
    }
  }
  const pageOf = new Map([...scores].flatMap(([token, found]) => best(found, token)))
  const scoreOf = (identity: LoggedMatch, page: string) => {
    const token = tokens.get(identity) ?? ''
    return (scores.get(token)?.get(page) ?? 0) + (visits.get(token) ?? 0) * Math.log(1 - share)
  }
  const joined = contexts.map((context, index) =>
    fitting(permitted(identities, context), (each) => scoreOf(each, pages[index] ?? '')),
  )
  return { joined, pageOf }
}

/** How often each page is read by others within the permitted delays of a request. */
function byChance(pages: readonly string[], seconds: number): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const page of pages) counts.set(page, (counts.get(page) ?? 0) + 1)
  return new Map([...counts].map(([page, count]) => [page, (count / seconds) * PERMITTED_SECONDS]))
}

/** Seconds in which requests came at all: days are logged one after another, with nothing between them. */
function secondsOf(log: readonly LoggedMatch[]): number {
  const pauses = log.map(({ at }, index) => at - (log[index - 1]?.at ?? at))
  return pauses.filter((pause) => pause < 600_000).reduce((sum, each) => sum + each, 0) / 1000
}

function pagesNear(contexts: readonly LoggedMatch[], pages: readonly string[], { at }: LoggedMatch): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (let index = firstFrom(contexts, at - WINDOW_MS); index < contexts.length; index += 1) {
    const distance = Math.abs((contexts[index]?.at ?? 0) - at)
    if ((contexts[index]?.at ?? 0) > at + WINDOW_MS) break
    const page = pages[index]
    if (distance >= LEAST_MS && page !== undefined) counts.set(page, (counts.get(page) ?? 0) + 1)
  }
  return counts
}

function permitted(log: readonly LoggedMatch[], { at }: LoggedMatch): readonly LoggedMatch[] {
  const near = log.slice(firstFrom(log, at - WINDOW_MS), firstFrom(log, at + WINDOW_MS))
  return near.filter((each) => Math.abs(each.at - at) >= LEAST_MS)
}

function best(scores: ReadonlyMap<string, number>, token: string): readonly (readonly [string, string])[] {
  const page = fitting([...scores.keys()], (each) => scores.get(each) ?? 0)
  return page === undefined ? [] : [[token, page]]
}

/** What fits best, the first of several. */
function fitting<Value>(candidates: readonly Value[], scoreOf: (candidate: Value) => number): Value | undefined {
  let found: { readonly value: Value; readonly score: number } | undefined
  for (const value of candidates) {
    const score = scoreOf(value)
    if (found === undefined || score > found.score) found = { value, score }
  }
  return found?.value
}

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}

/** Index of the first entry at or after a time. */
export function firstFrom(log: readonly LoggedMatch[], time: number): number {
  let [low, high] = [0, log.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((log[middle]?.at ?? 0) < time) low = middle + 1
    else high = middle
  }
  return low
}

/** Shares of all views that are joined rightly, and of all tokens whose user's page is named rightly (users that always read their own page). */
export function foundByVisits(logs: MatchLogs, returning: number): { readonly viewsJoined: number; readonly pagesNamed: number } {
  const { joined, pageOf } = intersectVisits(logs, returning)
  const right = logs.contexts.filter(({ view }, index) => joined[index]?.view === view).length
  const pageOfView = new Map(logs.contexts.map((context) => [context.view, pageIn(context)]))
  // Without its context in the log, a view does not say which page was read; the other visits of the token do.
  const truth = new Map<string, string>()
  for (const identity of logs.identities) {
    const page = pageOfView.get(identity.view)
    if (page !== undefined) truth.set(tokenIn(identity), page)
  }
  const tokens = new Set(logs.identities.map(tokenIn))
  const named = [...tokens].filter((token) => truth.has(token) && pageOf.get(token) === truth.get(token)).length
  return { viewsJoined: right / logs.identities.length, pagesNamed: named / tokens.size }
}
