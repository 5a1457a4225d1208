import { expect, it } from 'vitest'
import { simulateWeek } from '../../tools/ad-week/simulate-week.ts'

/** `npx tsx tools/ad-week/run.ts` is the long run. */
const REQUESTS = 50_000

// A minute on a machine that does nothing else; a busy one writes to its disk more slowly.
it('a week of traffic is paced, capped, ordered by priority and charged as the oracle counts it', async () => {
  const { problems, lines, requests, events } = await simulateWeek(REQUESTS, 1)
  expect(problems).toEqual([])
  expect(requests).toBeGreaterThan(REQUESTS * 0.99)
  expect(events).toBeGreaterThan(REQUESTS)
  // Something was judged of every kind.
  expect(lines.filter(({ errorOfDay }) => errorOfDay !== undefined).length).toBeGreaterThan(4)
  expect(lines.every(({ impressions }) => impressions > 0)).toBe(true)
}, 900_000)
