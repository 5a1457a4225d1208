import { maximumAssignment } from './assignment.ts'
import type { LoggedMatch, MatchLogs } from './page-views.ts'
import { mostProbablePartners } from './probable-partner.ts'
import { firstFrom, intersectVisits } from './repeated-visits.ts'

/** Shortest and longest time between the two requests of a view, in milliseconds: the attacker has read the script. */
export interface Delays {
  readonly leastMs: number
  readonly mostMs: number
}
const SCRIPT: Delays = { leastMs: 100, mostMs: 2_000 }

/** Of each context the identity that the attacker takes for the same view. */
type Join = (logs: MatchLogs, delays: Delays) => readonly (LoggedMatch | undefined)[]

/**
 * What each attack achieves, or those of these names: the share of contexts that it joins with the right identity. `delays`: those that the script
 * keeps.
 */
export function joinRates(
  logs: MatchLogs,
  names: readonly string[] = Object.keys(ATTACKS),
  delays: Delays = SCRIPT,
): Readonly<Record<string, number>> {
  const rate = (join: Join) => {
    const joined = join(logs, delays)
    return logs.contexts.filter(({ view }, index) => joined[index]?.view === view).length / logs.contexts.length
  }
  return Object.fromEntries(names.flatMap((name) => (ATTACKS[name] ? [[name, rate(ATTACKS[name])]] : [])))
}

/** The chance of a guess among the identities within the window of a context. */
export function guessRate({ contexts, identities }: MatchLogs, { mostMs }: Delays = SCRIPT): number {
  const chances = contexts.map(({ at }) => 1 / Math.max(1, countBetween(identities, at - mostMs, at + mostMs)))
  return chances.reduce((sum, each) => sum + each, 0) / contexts.length
}

/**
 * How far the numbers of identities after and before a context lie apart, in standard deviations: 0 when either goes first as often as the other. Requests of
 * other views come on both sides alike.
 */
export function orderSkew({ contexts, identities }: MatchLogs): number {
  let [before, after] = [0, 0]
  for (const { at } of contexts) {
    before += countBetween(identities, at - SCRIPT.mostMs, at)
    after += countBetween(identities, at, at + SCRIPT.mostMs)
  }
  return (after - before) / Math.sqrt(after + before)
}

const ATTACKS: Readonly<Record<string, Join>> = {
  'nearest time': (logs, delays) => logs.contexts.map((context) => closest(near(logs, context, delays), context, () => 0)),
  'nearest permitted time': (logs, delays) =>
    logs.contexts.map((context) => closest(permitted(logs, context, delays), context, () => 0)),
  // In one dimension the assignment of least total distance keeps the order.
  'assignment of least distance': ({ contexts, identities }) => contexts.map((_context, index) => identities[index]),
  // All permitted delays are equally likely, so that of the assignments which have no other delay each is as likely as any.
  'likeliest assignment': (logs, delays) => {
    const indexes = new Map(logs.identities.map((each, index) => [each, index]))
    const candidates = logs.contexts.map((context) => permitted(logs, context, delays).map((each) => indexes.get(each) ?? 0))
    const assigned = maximumAssignment(logs.contexts.length, (item) => candidates[item] ?? [])
    return assigned.map((index) => (index === undefined ? undefined : logs.identities[index]))
  },
  'most probable partner': mostProbablePartners,
  'commonest delay': (logs, delays) => {
    const delay = commonestDelay(logs, delays)
    return logs.contexts.map((context) => closest(near(logs, context, delays), context, () => delay))
  },
  ids: ({ contexts, identities }) => {
    const whole = new Map(identities.map((each) => [each.body.request_id, each]))
    const beginnings = new Map(identities.map((each) => [String(each.body.request_id).slice(0, 8), each]))
    return contexts.map(({ body: { request_id: id } }) => whole.get(id) ?? beginnings.get(String(id).slice(0, 8)))
  },
  sizes: (logs, delays) => {
    const sizes = new Map([...logs.contexts, ...logs.identities].map((each) => [each, JSON.stringify(each.body).length]))
    return logs.contexts.map((context) => {
      const wanted = sizes.get(context) ?? 0
      return least(near(logs, context, delays), (each) => Math.abs((sizes.get(each) ?? 0) - wanted))
    })
  },
  'repeated visits': (logs) => intersectVisits(logs, 1).joined,
  packages: (logs, delays) =>
    logs.contexts.map((context) => {
      // The provider of contexts knows the package that it offers for each place.
      const offered = `package-${context.body.placement_id.slice('place-'.length)}`
      const fitting = near(logs, context, delays).filter(({ body }) => body.package_ids?.includes(offered))
      return closest(fitting, context, () => 0)
    }),
}

function closest(candidates: readonly LoggedMatch[], { at }: LoggedMatch, delayOf: () => number): LoggedMatch | undefined {
  const expected = at + delayOf()
  return least(candidates, (candidate) => Math.abs(candidate.at - expected))
}

/** The candidate with the least distance, the first of several. */
function least(candidates: readonly LoggedMatch[], distanceOf: (candidate: LoggedMatch) => number): LoggedMatch | undefined {
  let best: LoggedMatch | undefined
  let distance = Number.POSITIVE_INFINITY
  for (const each of candidates) {
    const found = distanceOf(each)
    if (found < distance) [best, distance] = [each, found]
  }
  return best
}

/** The delay, in whole milliseconds, that lies between more contexts and identities than any other. */
function commonestDelay(logs: MatchLogs, delays: Delays): number {
  const counts = new Map<number, number>()
  for (const context of logs.contexts)
    for (const { at } of near(logs, context, delays)) {
      const delay = Math.round(at - context.at)
      counts.set(delay, (counts.get(delay) ?? 0) + 1)
    }
  const [best] = [...counts].sort(([, a], [, b]) => b - a)
  return best?.[0] ?? 0
}

function near({ identities }: MatchLogs, { at }: LoggedMatch, { mostMs }: Delays): readonly LoggedMatch[] {
  return identities.slice(firstFrom(identities, at - mostMs), firstFrom(identities, at + mostMs))
}

function permitted(logs: MatchLogs, context: LoggedMatch, delays: Delays): readonly LoggedMatch[] {
  return near(logs, context, delays).filter(({ at }) => Math.abs(at - context.at) >= delays.leastMs)
}

function countBetween(log: readonly LoggedMatch[], from: number, to: number): number {
  return firstFrom(log, to) - firstFrom(log, from)
}
