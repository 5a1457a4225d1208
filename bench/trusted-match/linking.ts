import { PAGE_SCRIPT } from '../../src/transports/trusted-match/page-script.ts'
import { type Delays, guessRate, joinRates } from '../../test/support/match-attack/attack.ts'
import { type MatchLogs, seededChance, simulateViews } from '../../test/support/match-attack/page-views.ts'

/**
 * Prints how many single views who holds the logs of both providers joins, of users that come once: by rate, by the longest delay that the script would keep, and
 * by dummy requests about users for each real one. Least, most and mean of five runs with fixed seeds; some ten minutes.
 */
const SEEDS = [1, 2, 3, 4, 5]
const LEAST_VIEWS = 600
const MOST_VIEWS = 4_000
const LEAST_MS = 100
const ATTACKS = ['nearest permitted time', 'likeliest assignment', 'most probable partner']
const RATES = [1, 2, 5, 10, 40]

/** The script as it would be with another longest delay. Throws when it does not have the delay that is replaced. */
function scriptWith({ mostMs }: Delays): string {
  const now = 'const delay = 100 + Math.random() * 1900'
  if (!PAGE_SCRIPT.includes(now)) throw new Error('the script keeps another delay than this benchmark replaces')
  return PAGE_SCRIPT.replace(now, `const delay = ${LEAST_MS} + Math.random() * ${mostMs - LEAST_MS}`)
}

/** The logs with requests about nobody, spread evenly over the time of the others. */
function withDummies(logs: MatchLogs, forEach: number, seed: number): MatchLogs {
  const chance = seededChance(seed + 1_000)
  const [first, last] = [logs.identities[0], logs.identities.at(-1)]
  if (!first || !last) return logs
  const dummies = Array.from({ length: forEach * logs.identities.length }, () => ({
    at: first.at + chance() * (last.at - first.at),
    body: first.body,
    view: -1,
  }))
  return { contexts: logs.contexts, identities: [...logs.identities, ...dummies].sort((a, b) => a.at - b.at) }
}

const percent = (share: number) => `${(share * 100).toFixed(1)} %`
const mean = (shares: readonly number[]) => shares.reduce((sum, each) => sum + each, 0) / shares.length
const range = (shares: readonly number[]) =>
  `${percent(Math.min(...shares))} to ${percent(Math.max(...shares))} (${percent(mean(shares))} in the mean)`

for (const perSecond of RATES)
  for (const [mostSeconds, dummies] of [
    [2, 0],
    [2, 1],
    [2, 4],
    [2, 9],
    [10, 0],
    [30, 0],
  ] as const) {
    const delays = { leastMs: LEAST_MS, mostMs: mostSeconds * 1000 }
    const views = Math.min(MOST_VIEWS, Math.max(LEAST_VIEWS, perSecond * mostSeconds * 10))
    const runs: { readonly joined: number; readonly guess: number }[] = []
    for (const seed of SEEDS) {
      const logs = withDummies(await simulateViews(scriptWith(delays), { views, perSecond, placements: 50, seed }), dummies, seed)
      const rates = Object.values(joinRates(logs, ATTACKS, delays))
      runs.push({ joined: Math.max(...rates), guess: guessRate(logs, delays) })
    }
    console.log(
      `${perSecond}/s, delay up to ${mostSeconds} s, ${dummies} dummies: joined ${range(runs.map((run) => run.joined))}, a guess ${percent(mean(runs.map((run) => run.guess)))}`,
    )
  }
