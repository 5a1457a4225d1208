import { expect, it } from 'vitest'
import { offers, startMatchProvider } from '../../support/match-provider.ts'
import { contextRequest, identityRequest, registered, startTestRouter } from '../../support/match-router.ts'

it('a router withholds users below the rate of its file, and no contexts', async () => {
  const provider = await startMatchProvider(offers('p'))
  const clock = { now: Date.now() }
  const router = await startTestRouter(
    [registered('one', provider)],
    { identityMinimumPerSecond: 2 },
    { clock: () => new Date(clock.now) },
  )
  try {
    const eligible: number[] = []
    for (let count = 0; count < 25; count += 1) {
      const { value } = await router.post('/identity', identityRequest({ request_id: `id-${count}` }))
      eligible.push(value.eligible_package_ids.length)
      clock.now += 250
    }
    // Twenty in ten seconds are two a second; so many have come with the last few.
    expect(eligible).toEqual([...Array(19).fill(0), ...Array(6).fill(1)])
    expect(provider.received).toHaveLength(6)
    clock.now += 60_000
    expect((await router.post('/identity', identityRequest({ request_id: 'later' }))).value.eligible_package_ids).toEqual([])
    expect((await router.post('/context', contextRequest())).value.offers).toEqual([{ package_id: 'p' }])
    expect(provider.received).toHaveLength(7)
  } finally {
    await router.stop()
    await provider.stop()
  }
})
