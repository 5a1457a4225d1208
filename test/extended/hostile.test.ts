import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { PARTS } from '../../bench/hostile/doors.ts'
import { runHostile } from '../../bench/hostile/run.ts'

/** Gross guards, in processor time and the best of several: `npm run bench:hostile` has the goals. */
const GOALS = { mostMs: 1_000, growthFromMs: 300, mostRssBytes: 1_500_000_000, repetitions: 4 }
/** With the start of the server; another part of the cases every day. */
const WITHIN_MS = 90_000
/** As many as a busy machine has time for, so that what is tried on a day is the same everywhere. */
const AT_MOST = 600
/** A busy machine starts slowly. */
const PATIENCE_MS = 900_000

it(
  'a route that nobody wrote a line for is tried, and found slow',
  async () => {
    const { faults, run } = await runHostile({
      parts: ['routes'],
      seed: 1,
      goals: { ...GOALS, mostMs: 40 },
      door: 'GET ^\\/made-up',
      only: '· letters ·',
      moreRoutes: fileURLToPath(new URL('../support/slow-route.ts', import.meta.url)),
    })
    expect(run).toBeGreaterThan(2)
    expect(faults.map(({ id }) => id)).toEqual([expect.stringContaining('query.wanted · letters')])
  },
  PATIENCE_MS,
)

it(
  'no derived input holds the main thread up',
  async () => {
    const seed = Number(new Date().toISOString().slice(0, 10).replaceAll('-', ''))
    process.stderr.write(`npm run bench:hostile -- --seed ${seed}\n`)
    const { faults, run } = await runHostile({ parts: PARTS, seed, goals: GOALS, withinMs: WITHIN_MS, atMost: AT_MOST })
    expect(run).toBeGreaterThan(0)
    expect({ seed, faults }).toEqual({ seed, faults: [] })
  },
  PATIENCE_MS,
)
