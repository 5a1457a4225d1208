import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type MatchProvider, offers, startMatchProvider } from '../../support/match-provider.ts'
import { contextRequest, identityRequest, registered, startTestRouter, type TestRouter } from '../../support/match-router.ts'

describe('what a provider answers to a router', () => {
  let provider: MatchProvider
  let router: TestRouter
  beforeAll(async () => {
    provider = await startMatchProvider(offers('p1'))
    router = await startTestRouter([registered('acme', provider)])
  })
  beforeEach(() => {
    router.lines.length = 0
  })
  afterAll(async () => {
    await router?.stop()
    await provider?.stop()
  })

  const warnings = () => router.lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 40)
  const ask = async () => ({
    context: (await router.post('/context', contextRequest())).value,
    identity: (await router.post('/identity', identityRequest())).value,
  })

  it('counts without the status that the examples of the specification leave out', async () => {
    provider.behave = (...received) => {
      const { status: _status, ...answer } = offers('p1')(...received) as { status: string }
      return answer
    }
    const { context, identity } = await ask()
    expect(context).toMatchObject({ status: 'completed', offers: [{ package_id: 'p1' }] })
    expect(identity).toMatchObject({ status: 'completed', eligible_package_ids: ['p1'] })
    expect(warnings()).toEqual([])
  })

  it.each([
    ['does not follow its schema', { serve_window_sec: 900, offers: 'p1' }, /offers|serve_window_sec/],
    ['reports an error', { type: 'error', code: 'rate_limited' }, /^rate_limited$/],
    ['is for another request', { request_id: 'another' }, undefined],
  ])('is left out when it %s, which the log says once for each path', async (reason, more, detail) => {
    provider.behave = (...received) => ({ ...offers('p1')(...received), ...more })
    for (const { context, identity } of [await ask(), await ask()]) {
      expect(context.offers).toEqual([])
      expect(identity.eligible_package_ids).toEqual([])
    }
    const found = warnings()
    expect(found.map(({ path }) => path).sort()).toEqual(['context', 'identity'])
    for (const line of found) {
      expect(line).toMatchObject({ provider: 'acme', reason: expect.stringContaining(reason) })
      if (detail) expect(line.detail).toMatch(detail)
    }
  })

  it('is left out when its status is not 200, which the log says once for each path', async () => {
    provider.behave = (_received, response) => {
      response.statusCode = 503
      response.end()
      return undefined
    }
    await ask()
    await ask()
    expect(warnings()).toMatchObject([{ reason: 'the provider answered with status 503' }, { provider: 'acme' }])
  })
})
