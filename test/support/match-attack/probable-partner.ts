import { maximumAssignment } from './assignment.ts'
import type { LoggedMatch, MatchLogs } from './page-views.ts'
import { seededChance } from './page-views.ts'
import { firstFrom } from './repeated-visits.ts'

/** Moves of a run; what of them falls on each context settles its shares. */
const MOVES = 24_000_000
/** Most rounds (one move for each context), of which the first tenth settles and then every third is counted. */
const MOST_ROUNDS = 12_000
const COUNT_EVERY = 3
/** Share of the moves that exchange two contexts; the others go around among three, without which some assignments are never reached. */
const OF_TWO = 0.7
/** The chance of the sampler, the same in each run. */
const SEED = 29
const NOBODY = -1

/**
 * Of each context the identity that belongs to it in most of all complete assignments with permitted delays. With delays that are uniform, views that come by chance
 * and dummies that do, each such assignment is as likely as any other, so that no attack on times alone joins more views in the mean. The shares are estimated by
 * a Markov chain over assignments (Metropolis, symmetric moves), which starts at one of them; with wide windows the estimate is coarse, and so a lower bound.
 */
export function mostProbablePartners(
  { contexts, identities }: MatchLogs,
  { leastMs, mostMs }: { readonly leastMs: number; readonly mostMs: number },
): readonly (LoggedMatch | undefined)[] {
  const contextAt = Float64Array.from(contexts, ({ at }) => at)
  const identityAt = Float64Array.from(identities, ({ at }) => at)
  const first = Int32Array.from(contexts, ({ at }) => firstFrom(identities, at - mostMs))
  const width = Int32Array.from(contexts, ({ at }, context) => firstFrom(identities, at + mostMs) - (first[context] ?? 0))
  const distance = (context: number, identity: number) => Math.abs((contextAt[context] ?? 0) - (identityAt[identity] ?? 0))
  const permits = (context: number, identity: number) => {
    const delay = distance(context, identity)
    return delay >= leastMs && delay < mostMs
  }
  const windowOf = (context: number) =>
    Array.from({ length: width[context] ?? 0 }, (_each, index) => (first[context] ?? 0) + index).filter((identity) =>
      permits(context, identity),
    )
  const start = maximumAssignment(contexts.length, windowOf)
  const partner = Int32Array.from(start, (identity) => identity ?? NOBODY)
  const owner = new Int32Array(identities.length).fill(NOBODY)
  for (const [context, identity] of partner.entries()) if (identity !== NOBODY) owner[identity] = context
  const placed = Int32Array.from(contexts.keys()).filter((context) => partner[context] !== NOBODY)
  const chance = seededChance(SEED)
  const anyOf = (context: number) => (first[context] ?? 0) + Math.floor(chance() * (width[context] ?? 0))
  const give = (context: number, identity: number) => {
    partner[context] = identity
    owner[identity] = context
  }

  /** Gives a context another identity, and what it had to the one that had that: at once, or by way of a third. */
  const move = (context: number, hops: 1 | 2) => {
    const had = partner[context] ?? NOBODY
    const wanted = anyOf(context)
    if (!permits(context, wanted)) return
    const other = owner[wanted] ?? NOBODY
    if (other === context) return
    if (hops === 1) {
      if (other === NOBODY) owner[had] = NOBODY
      else if (permits(other, had)) give(other, had)
      else return
      give(context, wanted)
      return
    }
    if (other === NOBODY) return
    const next = anyOf(other)
    if (!permits(other, next)) return
    const third = owner[next] ?? NOBODY
    if (third === context || third === other) return
    if (third === NOBODY) owner[had] = NOBODY
    else if (permits(third, had)) give(third, had)
    else return
    give(context, wanted)
    give(other, next)
  }

  const from = new Float64Array(contexts.length)
  let places = 0
  for (const [context, each] of width.entries()) {
    from[context] = places
    places += each
  }
  const counts = new Uint16Array(places)
  const rounds = Math.min(MOST_ROUNDS, Math.ceil(MOVES / Math.max(1, placed.length)))
  for (let round = 0; round < rounds; round += 1) {
    for (let count = 0; count < placed.length; count += 1)
      move(placed[Math.floor(chance() * placed.length)] ?? 0, chance() < OF_TWO ? 1 : 2)
    if (round < rounds / 10 || round % COUNT_EVERY !== 0) continue
    for (const context of placed) {
      const place = (from[context] ?? 0) + (partner[context] ?? 0) - (first[context] ?? 0)
      counts[place] = (counts[place] ?? 0) + 1
    }
  }
  return contexts.map((_context, context) => {
    const begin = from[context] ?? 0
    const own = counts.subarray(begin, begin + (width[context] ?? 0))
    let best = NOBODY
    for (const [index, count] of own.entries()) if (count > (own[best] ?? 0)) best = index
    return best === NOBODY ? undefined : identities[(first[context] ?? 0) + best]
  })
}
