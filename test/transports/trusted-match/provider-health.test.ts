import { describe, expect, it } from 'vitest'
import { watchProviderHealth } from '../../../src/features/trusted-match/provider-health.ts'
import { offers, startMatchProvider } from '../../support/match-provider.ts'
import { contextRequest, identityRequest, registered, startTestRouter } from '../../support/match-router.ts'

const EVERY_MS = 30_000

/** A provider whose health the test sets, and a clock in its hand. */
function watched() {
  const state = { now: 0, status: 200, checks: 0, changes: [] as boolean[] }
  const health = watchProviderHealth({
    providers: [
      {
        providerId: 'one',
        async status() {
          state.checks += 1
          if (state.status === 0) throw new Error('no connection')
          return state.status
        },
      },
    ],
    everyMs: EVERY_MS,
    clock: () => state.now,
    onChange: (_providerId, isReady) => state.changes.push(isReady),
  })
  return { state, health }
}

describe('the health of a provider', () => {
  it('leaves it out after three failures in a row, and no sooner', async () => {
    const { state, health } = watched()
    const ready: boolean[] = []
    for (const status of [503, 0, 200, 503, 503, 0]) {
      state.status = status
      await health.check()
      ready.push(health.isReady('one'))
      state.now += EVERY_MS
    }
    expect(ready).toEqual([true, true, true, true, true, false])
    state.status = 200
    await health.check()
    expect(health.isReady('one')).toBe(true)
    expect(state.changes).toEqual([false, true])
  })

  it('is checked ever more rarely while it fails, five minutes apart at most', async () => {
    const { state, health } = watched()
    state.status = 500
    const at: number[] = []
    for (; state.now < 60 * 60_000; state.now += 1_000) {
      const before = state.checks
      await health.check()
      if (state.checks > before) at.push(state.now / 1000)
    }
    const waits = at.slice(1).map((each, index) => each - (at[index] ?? 0))
    expect(waits.slice(0, 7)).toEqual([30, 30, 30, 60, 120, 240, 300])
    expect(Math.max(...waits)).toBe(300)
  })

  it.each([404, 405])('is not judged where there is no such address (%i)', async (status) => {
    const { state, health } = watched()
    state.status = status
    for (let index = 0; index < 5; index += 1) {
      await health.check()
      state.now += EVERY_MS
    }
    expect(health.isReady('one')).toBe(true)
  })
})

it('a router asks nothing of a provider that is not ready, until it is', { timeout: 60_000 }, async () => {
  const [good, ill] = [await startMatchProvider(offers('good')), await startMatchProvider(offers('ill'))]
  ill.health = 503
  const router = await startTestRouter([registered('good', good), registered('ill', ill)], { healthSeconds: 1 })
  const asked = async () => {
    const context = await router.post('/context', contextRequest())
    const identity = await router.post('/identity', identityRequest())
    const offered = context.value.offers.map(({ package_id }: { package_id: string }) => package_id)
    return [...offered, ...identity.value.eligible_package_ids].sort()
  }
  try {
    expect(await asked()).toEqual(['good', 'good', 'ill', 'ill'])
    await expect.poll(asked, { timeout: 25_000, interval: 200 }).toEqual(['good', 'good'])
    ill.health = 200
    await expect.poll(asked, { timeout: 25_000, interval: 200 }).toEqual(['good', 'good', 'ill', 'ill'])
  } finally {
    await router.stop()
    await good.stop()
    await ill.stop()
  }
})
