import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operatorOn } from '../../../src/compose/operator.ts'
import { storeSource } from '../../../src/compose/trusted-match/router-source.ts'
import { makeMatchKey, revokeMatchKeyOf, showMatchKeys } from '../../../src/operator/trusted-match/match-keys.ts'
import { examineMatchProviders } from '../../../src/operator/trusted-match/match-provider-health.ts'
import { changeProvider, registerProvider, removeProvider } from '../../../src/operator/trusted-match/match-providers.ts'
import { addMatchProvider, listMatchHealth } from '../../../src/operator/trusted-match/provider-acts.ts'
import { createLog } from '../../../src/platform/log.ts'
import { matchSchemas } from '../../../src/protocol/match-schemas.ts'
import { saveMatchProvider } from '../../../src/store/trusted-match/match-providers.ts'
import { startTestRouter, type TestRouter } from '../../support/match-router.ts'
import { acting, performAs } from '../../support/operator.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

const GOOD = 'https://provider.example/v1'
const LOCAL = 'http://127.0.0.1:9/v1'

describe('a registration that a router does not take', () => {
  let agent: TestAgent
  let router: TestRouter | undefined
  beforeAll(async () => {
    agent = await startAgent()
    await makeMatchKey(act())
    await register('good', GOOD)
  })
  afterAll(async () => {
    await router?.stop()
    await agent?.stop()
  })

  const act = () => acting(operatorOn(agent.server.store, agent.config), agent.tenant)
  const register = (providerId: string, endpoint: string) =>
    registerProvider(act(), { providerId, registration: { endpoint, context_match: true } })
  const start = async () => {
    const parts = { config: agent.config, tenantId: agent.tenant, schemas: matchSchemas(), log: createLog('silent') }
    const source = await storeSource({ ...parts, development: false })
    return startTestRouter([], { development: false, metricsPort: 0, healthSeconds: 0 }, { source })
  }
  const keys = async (): Promise<{ readonly kid: string; readonly revoked_at?: string }[]> => {
    const answer = await fetch(`${router?.origin}/.well-known/agent-signing-key.json`)
    return JSON.parse(await answer.text()).keys
  }
  const metrics = async () => (await fetch(`http://127.0.0.1:${router?.metricsPort}/metrics`)).text()
  const leftOut = () =>
    (router?.lines ?? []).map((line) => JSON.parse(line)).filter(({ msg }) => /^a registration is left out/.test(msg))

  it('is left out alone while the router runs: keys and all others go on', async () => {
    router = await start()
    expect(await metrics()).toMatch(/^tmp_registrations 1$/m)
    await register('loc', LOCAL)
    await router.refresh()
    const said = expect.stringMatching(/has to be a public address.*development: true in the file of the router/)
    expect(leftOut()).toMatchObject([{ provider: 'loc', reason: said }])
    const [first] = await showMatchKeys(act(), agent.tenant)
    await makeMatchKey(act())
    await revokeMatchKeyOf(act(), { kid: first?.kid ?? '' })
    await router.refresh()
    const published = await keys()
    expect(published).toHaveLength(2)
    expect(published.find(({ kid }) => kid === first?.kid)?.revoked_at).toBeDefined()
    expect(published[0]?.kid).not.toBe(first?.kid)
    await changeProvider(act(), { providerId: 'good', registration: { status: 'draining' } })
    await router.refresh()
    expect(await metrics()).toMatch(/^tmp_registrations 1$/m)
    expect(await metrics()).toMatch(/^tmp_registration_refused\{provider="loc"\} 1$/m)
    // It is told once, not at every change.
    expect(leftOut()).toHaveLength(1)
  })

  it('is left out alone at a start', async () => {
    await router?.stop()
    router = await start()
    expect(leftOut()).toMatchObject([{ provider: 'loc' }])
    expect(await keys()).toHaveLength(2)
  })

  it('is one too that breaks its schema, or has an endpoint that is taken, and is no longer told of when it is mended', async () => {
    const at = new Date()
    const unsynced = { tenantId: agent.tenant, syncTo: undefined, syncKey: undefined }
    await agent.server.store.transaction(async (tx) => {
      const broken = { provider_id: 'old', endpoint: 'https://old.example/v1', context_match: true, timeout_ms: -1 }
      await saveMatchProvider(tx, { ...unsynced, registration: broken }, at)
      const twice = { provider_id: 'twice', endpoint: `${GOOD}/`, context_match: true }
      await saveMatchProvider(tx, { ...unsynced, registration: twice }, at)
    })
    await router?.refresh()
    expect(leftOut()).toMatchObject([
      { provider: 'loc' },
      { provider: 'old', reason: expect.stringMatching(/^timeout_ms /) },
      { provider: 'twice', reason: expect.stringMatching(/same endpoint/) },
    ])
    for (const id of ['old', 'twice', 'loc']) await removeProvider(act(), id)
    await router?.refresh()
    expect(await metrics()).not.toContain('tmp_registration_refused{')
  })

  it('is named where it is added, listed and examined, when its address is of this machine', async () => {
    const added = await register('loc', LOCAL)
    expect(added.development_only).toBe(true)
    const only = /only routers with development: true in their file take an address of this machine/
    expect(addMatchProvider.command?.text?.(added, {} as never, {} as never)).toEqual([
      `loc is active at ${LOCAL}`,
      expect.stringMatching(only),
    ])
    const operator = operatorOn(agent.server.store, agent.config)
    const { items } = await performAs(operator, agent.tenant, listMatchHealth, {})
    expect(items.map(({ provider_id, development_only }) => [provider_id, development_only])).toEqual([
      ['good', false],
      ['loc', true],
    ])
    const [, , [, endpointOf] = []] = listMatchHealth.command?.columns ?? []
    expect(items.map((each) => endpointOf?.(each))).toEqual([GOOD, expect.stringMatching(only)])
    const findings = await examineMatchProviders(operator)
    expect(findings.filter(({ text }) => only.test(text)).map(({ text }) => text.includes(': loc is '))).toEqual([true])
  })
})
