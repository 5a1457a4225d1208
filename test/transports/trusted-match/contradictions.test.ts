import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type MatchProvider, offers, startMatchProvider } from '../../support/match-provider.ts'
import { contextRequest, identityRequest, registered, startTestRouter, type TestRouter } from '../../support/match-router.ts'

describe('a router counts and logs', () => {
  let first: MatchProvider
  let second: MatchProvider
  let router: TestRouter
  beforeAll(async () => {
    first = await startMatchProvider(offers('p1'))
    second = await startMatchProvider(offers('p2'))
    router = await startTestRouter([registered('first', first), registered('second', second)], { metricsPort: 0 })
  })
  beforeEach(() => {
    router.lines.length = 0
  })
  afterAll(async () => {
    await router?.stop()
    await first?.stop()
    await second?.stop()
  })

  const metrics = async () => (await fetch(`http://127.0.0.1:${router.metricsPort}/metrics`)).text()
  const warnings = () => router.lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 40)

  it('an offer that names another seller agent than the one that was asked for (specification, "Offer echo")', async () => {
    first.behave = ({ body }) => ({
      type: 'context_match_response',
      status: 'completed',
      request_id: body.request_id,
      offers: [{ package_id: 'p1', seller_agent: { agent_url: 'https://thief.example/mcp' } }],
    })
    for (const id of ['a', 'b']) {
      const { value } = await router.post('/context', contextRequest({ request_id: id }))
      expect(value.offers).toContainEqual({ package_id: 'p1' })
    }
    expect(await metrics()).toContain('seller_agent_echo_mismatch{provider="first"} 2\n')
    expect(warnings()).toMatchObject([
      { path: 'context', providers: ['first'], msg: expect.stringMatching(/another seller agent/) },
    ])
  })

  it('a package that several providers call eligible, which stays eligible', async () => {
    first.behave = offers('p1', 'shared')
    second.behave = offers('shared', 'p2')
    for (const id of ['a', 'b']) {
      const { value } = await router.post('/identity', identityRequest({ request_id: id }))
      expect([...value.eligible_package_ids].sort()).toEqual(['p1', 'p2', 'shared'])
    }
    expect(await metrics()).toContain('tmp_identity_package_conflict_total 2\n')
    // Once: how often both are asked about users would show which tokens users have.
    expect(warnings()).toMatchObject([{ path: 'identity', providers: ['first', 'second'] }])
  })

  it('nothing where providers agree', async () => {
    first.behave = offers('p1')
    second.behave = offers('p2')
    const counted = async () => /conflict_total \d+/.exec(await metrics())?.[0]
    const before = await counted()
    await router.post('/identity', identityRequest({ request_id: 'c' }))
    expect(await counted()).toBe(before)
    expect(warnings()).toEqual([])
  })
})

describe('a router logs once', () => {
  it('that a provider does not answer in its time, ten times in a row', async () => {
    const late = await startMatchProvider(() => undefined)
    const router = await startTestRouter([{ ...registered('late', late), timeout_ms: 20 }])
    try {
      for (let n = 0; n < 12; n += 1) await router.post('/context', contextRequest({ request_id: `late-${n}` }))
      const warnings = router.lines.map((line) => JSON.parse(line)).filter(({ msg }) => /does not answer in its time/.test(msg))
      expect(warnings).toMatchObject([{ path: 'context', provider: 'late', inARow: 10 }])
    } finally {
      await router.stop()
      await late.stop()
    }
  })
})
