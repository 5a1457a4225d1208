import { expect, test } from 'vitest'
import { createPace } from '../../../src/ad-serving/gam/pace.ts'

/** Calls of a program that waits for nothing else, at a network that takes so many a second. Gives how many it refused, and how many each second had. */
async function calls(count: number, quota: number) {
  let now = 0
  const pace = createPace(
    () => now,
    async (ms) => {
      now += ms
    },
  )
  const seconds = new Map<number, number>()
  let refused = 0
  for (let call = 0; call < count; call += 1) {
    await pace.turn()
    const second = Math.floor(now / 1000)
    const before = seconds.get(second) ?? 0
    seconds.set(second, before + 1)
    if (before < quota) continue
    refused += 1
    pace.slower()
  }
  return { refused, most: Math.max(...seconds.values()), tookMs: now }
}

test('a network of Ad Manager 360 is called 8 times a second and refuses nothing', async () => {
  expect(await calls(1000, 8)).toEqual({ refused: 0, most: 8, tookMs: 124_875 })
})

test('one with a quota of 2 a second refuses some calls, and gets slower ones', async () => {
  const { refused, tookMs } = await calls(2000, 2)
  expect(refused).toBeLessThan(20)
  // Four fifths of what the quota would allow, which would be 1,000 s.
  expect(tookMs).toBeLessThan(1_250_000)
})

test('a call that would wait longer than its method may take is refused at once', async () => {
  const pace = createPace(
    () => 0,
    async () => undefined,
  )
  for (let call = 0; call < 97; call += 1) await pace.turn()
  await expect(pace.turn()).rejects.toMatchObject({ name: 'GamOutage', effect: 'none' })
})
