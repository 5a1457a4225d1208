import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operatorOn } from '../../../src/compose/operator.ts'
import { startMatchRouter } from '../../../src/compose/trusted-match/match-router.ts'
import { storeSource } from '../../../src/compose/trusted-match/router-source.ts'
import { sealMatchProviders } from '../../../src/compose/trusted-match/start-package-sync.ts'
import { loadMatchRouterSettings } from '../../../src/config/match-router-settings.ts'
import { makeMatchKey, revokeMatchKeyOf, showMatchKeys } from '../../../src/operator/trusted-match/match-keys.ts'
import { examineMatchProviders, showMatchHealth } from '../../../src/operator/trusted-match/match-provider-health.ts'
import {
  changeProvider,
  healthOfProvider,
  registerProvider,
  removeProvider,
  replaceSyncKey,
  showMatchProviders,
} from '../../../src/operator/trusted-match/match-providers.ts'
import { createLog } from '../../../src/platform/log.ts'
import { matchSchemas } from '../../../src/protocol/match-schemas.ts'
import { Schemas } from '../../../src/protocol/schemas.ts'
import { readPackageSupply } from '../../../src/store/trusted-match/active-packages.ts'
import { adminClient } from '../../support/admin-client.ts'
import { signedIn } from '../../support/console-client.ts'
import { banner } from '../../support/creative-agent.ts'
import { contextRequest, identityRequest, KEY, PROPERTY } from '../../support/match-router.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'
import { acting, createAdminKey } from '../../support/operator.ts'
import { tablesWith } from '../../support/stored-texts.ts'
import { type ReferenceProvider, sha256, startReferenceProvider } from '../../support/trusted-match-provider.ts'

const schemas = matchSchemas()
const news = { product_id: 'news', pricing_option_id: 'cpm', budget: 1000 }
/** Assigns the creative that the buyer has in its library. */
const supplied = { creative_assignments: [{ creative_id: 'ad' }] }
const flight = () => ({ start_time: 'asap', end_time: new Date(Date.now() + 10 * 86_400_000).toISOString() })
const targeted = (targeting_overlay: object) => ({
  ...flight(),
  packages: [{ ...news, ...supplied, targeting_overlay }],
})

describe('an agent with Trusted Match', () => {
  let agent: MediaBuyAgent
  let buyerSide: ReferenceProvider
  let router: Awaited<ReturnType<typeof startMatchRouter>>
  let folder: string
  const operator = () => operatorOn(agent.server.store, agent.config)
  const agentUrl = () => agent.server.services.wiring.agentUrl
  const order = async (
    wanted: object,
  ): Promise<{ media_buy_id: string; revision: number; packages: { package_id: string }[] }> => {
    const { isError, data } = await agent.create({ packages: [{ ...news, ...supplied }], ...wanted })
    if (isError) throw new Error(JSON.stringify(data))
    return data
  }
  const bought = async (wanted: object) => (await order(wanted)).packages[0]?.package_id ?? ''
  const ask = async (path: string, body: object) => {
    const answer = await fetch(`http://127.0.0.1:${router.port}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(60_000),
    })
    return JSON.parse(await answer.text())
  }
  const context = (more: object = {}) =>
    ask('/context', contextRequest({ placement_id: 'news', seller_agent_url: agentUrl(), ...more }))
  const identity = (request_id: string, user_token: string) =>
    ask(
      '/identity',
      identityRequest({
        request_id,
        seller_agent_url: agentUrl(),
        identities: [{ user_token, uid_type: 'uid2' }],
        consent: { gdpr: false },
      }),
    )
  const offered = async (more: object = {}) =>
    (await context(more)).offers.map(({ package_id }: { package_id: string }) => package_id)

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'match-agent-'))
    agent = await startMediaBuyAgent(
      [productDocument('news', {}, { targeting: { keywords: true, geo: ['country'], frequency_cap: true } })],
      {
        clock: () => new Date(),
      },
    )
    const synced = await agent.run('sync_creatives', { creatives: [banner(agent.url, 'ad')] })
    expect(synced.data.creatives).toMatchObject([{ action: 'created' }])
    buyerSide = await startReferenceProvider({
      sellers: [{ agentUrl: agentUrl(), keys: [{ sha256: sha256('sync-key') }, { sha256: sha256('next-key') }] }],
    })
    buyerSide.setClock(new Date().toISOString())
    await makeMatchKey(acting(operator(), 'acme'))
    await registerProvider(acting(operator(), 'acme'), {
      providerId: 'own',
      registration: {
        endpoint: `${new URL(agent.url).origin}/trusted-match/acme`,
        context_match: true,
        identity_match: true,
        countries: ['US'],
        uid_types: ['uid2'],
        timeout_ms: 5000,
        tmpx_slots: ['primary'],
      },
    })
    const file = join(folder, 'router.json')
    writeFileSync(
      file,
      JSON.stringify({
        port: 0,
        development: true,
        tenant: 'acme',
        deadlineMs: 5000,
        contextCacheSeconds: 0,
        publishers: [{ id: 'acme', sellerAgentUrls: [agentUrl()], properties: [PROPERTY], keys: [{ sha256: sha256(KEY) }] }],
      }),
    )
    router = await startMatchRouter(loadMatchRouterSettings(new Schemas(), file), {
      schemas,
      log: createLog('silent'),
      source: await storeSource({ config: agent.config, tenantId: 'acme', development: true, schemas, log: createLog('silent') }),
    })
  })
  afterAll(async () => {
    await router?.close()
    await buyerSide?.stop()
    await agent?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('is the provider of its own packages, by their targeting, for routers of its publisher', async () => {
    const everywhere = await bought(flight())
    const american = await bought(targeted({ geo_countries: ['US'] }))
    await expect.poll(() => offered({ request_id: 'now' }), { timeout: 60_000 }).toContain(everywhere)
    expect(await offered()).not.toContain(american)
    expect(await offered({ geo: { country: 'US' } })).toEqual(expect.arrayContaining([everywhere, american]))
    expect(await offered({ placement_id: 'elsewhere' })).toEqual([])
    const unsigned = await fetch(`${new URL(agent.url).origin}/trusted-match/acme/context`, { method: 'POST', body: '{}' })
    expect(unsigned.status).toBe(401)
    expect((await fetch(`${new URL(agent.url).origin}/trusted-match/nobody/health`)).status).toBe(404)
    expect(await (await fetch(`${new URL(agent.url).origin}/trusted-match/acme/health`)).json()).toEqual({ status: 'ok' })
  })

  it('offers a package that needs creatives once it has one that is approved, and no earlier', async () => {
    const { packages } = await order({ ...flight(), packages: [news] })
    const bare = packages[0]?.package_id ?? ''
    const later = await bought(flight())
    await expect.poll(() => offered({ request_id: 'bare' }), { timeout: 60_000 }).toContain(later)
    expect(await offered({ request_id: 'bare-still' })).not.toContain(bare)
    await agent.run('sync_creatives', {
      creatives: [banner(agent.url, 'ad')],
      assignments: [{ creative_id: 'ad', package_id: bare }],
    })
    await expect.poll(() => offered({ request_id: 'no longer bare' }), { timeout: 60_000 }).toContain(bare)
  })

  it('holds a package back whose frequency cap a user has used up', async () => {
    const capped = await bought(
      targeted({ frequency_cap: { max_impressions: 1, per: 'individuals', window: { interval: 1, unit: 'days' } } }),
    )
    const eligible = async (id: string, token = 'reader') => (await identity(id, token)).eligible_package_ids
    await expect.poll(() => eligible(`before-${performance.now()}`), { timeout: 60_000 }).toContain(capped)
    const { tmpx_providers } = await identity('serve', 'reader')
    const tmpx = tmpx_providers.own.chunks[0].value
    const query = new URLSearchParams({ package_id: capped, seller: agentUrl(), tmpx, imp_id: 'imp-1' })
    expect((await fetch(`${new URL(agent.url).origin}/trusted-match/acme/impression?${query}`)).status).toBe(200)
    expect(await eligible('after')).not.toContain(capped)
    expect(await eligible('after-other', 'somebody else')).toContain(capped)
  })

  it('syncs its active packages to a registered provider with every change of an order', async () => {
    const has = async () => {
      const rows = await buyerSide.store.read.selectFrom('match_packages').selectAll().execute()
      return rows.map(({ package_id, seller }) => ({ package_id, seller }))
    }
    const { media_buy_id, revision, packages } = await order(flight())
    const first = packages[0]?.package_id
    const registration = { endpoint: 'https://tmp.buyer.example/v1', context_match: true }
    const secret = 'query-secret-of-the-sync-0123456789'
    const syncUrl = `${buyerSide.origin}/packages?k=${secret}`
    const added = { providerId: 'buyer_side', registration, syncUrl, syncKey: 'sync-key' }
    expect((await registerProvider(acting(operator(), 'acme'), added)).sync_url).toBe(`${buyerSide.origin}/packages`)
    expect(await tablesWith(agent.server.store, secret)).toEqual([])
    await expect.poll(async () => (await has()).map(({ package_id }) => package_id), { timeout: 60_000 }).toContain(first)
    expect((await has()).map(({ seller }) => seller)).toContain(agentUrl())
    await agent.run('update_media_buy', { media_buy_id, revision, paused: true })
    await expect.poll(async () => (await has()).map(({ package_id }) => package_id), { timeout: 60_000 }).not.toContain(first)
    await replaceSyncKey(acting(operator(), 'acme'), { providerId: 'buyer_side', syncKey: 'wrong-key' })
    const faultOf = async () =>
      (await showMatchProviders(operator(), 'acme')).find(({ registration: { provider_id } }) => provider_id === 'buyer_side')
        ?.fault
    await expect.poll(faultOf, { timeout: 60_000 }).toBe('the provider answered with status 401')
    expect((await examineMatchProviders(operator())).map(({ outcome, text }) => [outcome, text])).toContainEqual([
      'warning',
      expect.stringContaining('buyer_side did not take its packages: the provider answered with status 401'),
    ])
    // Who sets it aside still sees why, until a sync has succeeded.
    const rest = await changeProvider(acting(operator(), 'acme'), {
      providerId: 'buyer_side',
      registration: { status: 'draining' },
    })
    expect([rest.fault, await faultOf()]).toEqual(Array(2).fill('the provider answered with status 401'))
    expect((await examineMatchProviders(operator())).map(({ outcome, text }) => [outcome, text])).toContainEqual([
      'ok',
      expect.stringMatching(/buyer_side is not asked: .*at last: the provider answered with status 401/),
    ])
    await changeProvider(acting(operator(), 'acme'), { providerId: 'buyer_side', registration: { status: 'active' } })
    await replaceSyncKey(acting(operator(), 'acme'), { providerId: 'buyer_side', syncKey: 'next-key' })
    await expect.poll(faultOf, { timeout: 60_000 }).toBeNull()
    await removeProvider(acting(operator(), 'acme'), 'buyer_side')
  })

  it('seals at its start what addresses hide that were stored before', async () => {
    const { store } = agent.server
    const secret = 'Zk93hfKslq02mmXcvBnQ88tt'
    const registration = { endpoint: 'https://tmp.buyer.example/v2', context_match: true }
    const added = { providerId: 'old', registration, syncUrl: `${buyerSide.origin}/elsewhere` }
    await registerProvider(acting(operator(), 'acme'), added)
    const old = { sync_url: `${buyerSide.origin}/hooks/${secret}?k=1`, sync_query: null }
    await store.transaction((tx) => tx.updateTable('match_providers').set(old).where('provider_id', '=', 'old').execute())
    expect(await tablesWith(store, secret)).toEqual(['match_providers'])
    await sealMatchProviders(store, 'a secret of the test')
    expect(await tablesWith(store, secret)).toEqual([])
    const shown = await showMatchProviders(operator(), 'acme')
    expect(shown.map(({ sync_url }) => sync_url)).toContain(`${buyerSide.origin}/hooks/…`)
    await removeProvider(acting(operator(), 'acme'), 'old')
  })

  it('asks a provider no more once it is draining, and again when it is active', async () => {
    const set = async (status: 'active' | 'draining') => {
      await changeProvider(acting(operator(), 'acme'), { providerId: 'own', registration: { status } })
      await router.refresh()
    }
    await set('draining')
    expect(await offered()).toEqual([])
    await set('active')
    expect((await offered()).length).toBeGreaterThan(0)
    expect(await healthOfProvider(operator(), 'acme', 'own')).toEqual({ provider_id: 'own', ready: true })
  })

  it('shows whether providers are ready: to operators, in the examination of the agent, and on a page of the console', async () => {
    const registration = { endpoint: 'https://127.0.0.1:1/v1', context_match: true }
    await registerProvider(acting(operator(), 'acme'), { providerId: 'gone', registration })
    await registerProvider(acting(operator(), 'acme'), {
      providerId: 'resting',
      registration: { ...registration, endpoint: 'https://127.0.0.1:2/v1', status: 'inactive' },
    })
    try {
      expect(await showMatchHealth(operator(), 'acme')).toEqual([
        { provider_id: 'gone', health: 'not_ready', reason: expect.any(String) },
        { provider_id: 'own', health: 'ready' },
        { provider_id: 'resting', health: 'not_asked' },
      ])
      const findings = await examineMatchProviders(operator())
      expect(findings.map(({ outcome, text }) => [outcome, text.split(' ').slice(0, 4).join(' ')])).toEqual([
        ['warning', 'acme: gone is not'],
        ['ok', 'acme: own is ready'],
        ['ok', 'acme: resting is not'],
        ['ok', expect.stringMatching(/^acme: \d+ packages are$/)],
      ])
      const person = await signedIn(agent, 'reader', 'viewer', 'acme')
      const { text: page } = await person.get('/console/t/acme/trusted-match')
      for (const text of ['>ready<', '>not ready<', '>not asked<', registration.endpoint, 'Keys of the router'])
        expect(page).toContain(text)
    } finally {
      for (const id of ['gone', 'resting']) await removeProvider(acting(operator(), 'acme'), id)
    }
  })

  it('signs with a new key after a rotation, publishes both, and marks one that leaked', async () => {
    const [before] = await showMatchKeys(operator(), 'acme')
    const { kid } = await makeMatchKey(acting(operator(), 'acme'))
    await expect(revokeMatchKeyOf(acting(operator(), 'acme'), { kid })).rejects.toThrow(/signs now/)
    await revokeMatchKeyOf(acting(operator(), 'acme'), { kid: before?.kid ?? '' })
    await router.refresh()
    const document = await fetch(`http://127.0.0.1:${router.port}/.well-known/agent-signing-key.json`)
    const published = JSON.parse(await document.text())
    expect(published.keys.map((key: { kid: string }) => key.kid)).toEqual([kid, before?.kid])
    expect(published.keys[1].revoked_at).toMatch(/^\d{4}-/)
    // The provider reads the keys again when a signature is of one that it does not know.
    await expect.poll(async () => (await offered()).length, { timeout: 60_000 }).toBeGreaterThan(0)
  })

  it('refuses the same endpoints over the admin API, when a provider is added and when it is changed', async () => {
    const name = { tenantId: 'acme', name: 'router', role: 'administrator' } as const
    const call = adminClient(agent.url, (await createAdminKey(operator(), name)).token)
    for (const endpoint of [
      'ftp://provider.example/v1',
      'https://169.254.169.254/v1',
      'https://[fd00:ec2::254]/v1',
      'https://[::ffff:10.0.0.1]/v1',
      'https://0x7f.1.1/v1?x=1',
      'https://user:secret@provider.example/v1',
    ]) {
      const added = await call('POST', '/trusted-match/providers', { body: { provider: 'bad', endpoint, context_match: true } })
      expect([added.status, added.data.field], endpoint).toEqual([400, 'endpoint'])
      const changed = await call('PATCH', '/trusted-match/providers/own', { body: { endpoint } })
      expect([changed.status, changed.data.field], endpoint).toEqual([400, 'endpoint'])
    }
    const { data } = await call('GET', '/trusted-match/health')
    expect(data.items).toMatchObject([{ provider_id: 'own', health: 'ready', registration: { provider_id: 'own' }, fault: null }])
  })

  it.each([
    ['not https', { endpoint: 'ftp://provider.example/v1' }],
    ['an address of the machine’s own cloud', { endpoint: 'https://169.254.169.254/v1' }],
    ['a mapped address', { endpoint: 'https://[::ffff:10.0.0.1]/v1' }],
    ['user information', { endpoint: 'https://user:secret@provider.example/v1' }],
    ['no URL', { endpoint: 'provider' }],
    ['no path that it serves', { context_match: false }],
    ['users without countries', { identity_match: true }],
  ])('refuses a registration with %s', async (_name, more) => {
    const registration = { endpoint: 'https://provider.example/v1', context_match: true, ...more }
    await expect(registerProvider(acting(operator(), 'acme'), { providerId: 'bad', registration })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
    })
    await expect(
      registerProvider(acting(operator(), 'acme'), {
        providerId: 'bad',
        registration: { endpoint: 'https://provider.example/v1', context_match: true },
        syncUrl: 'https://10.0.0.1/packages',
      }),
    ).rejects.toThrow(/sync_url is refused/)
    expect((await showMatchProviders(operator(), 'acme')).map((each) => each.registration.provider_id)).toEqual(['own'])
  })

  it('says why packages are not matched: orders of sandbox buyers, paused ones, and those without an approved creative', async () => {
    const { store } = agent.server
    const person = await signedIn(agent, 'supply', 'viewer', 'acme')
    const name = { tenantId: 'acme', name: 'supply', role: 'administrator' } as const
    const call = adminClient(agent.url, (await createAdminKey(operator(), name)).token)
    const found = async () => {
      const [finding] = (await examineMatchProviders(operator())).slice(-1)
      return `${finding?.outcome}: ${finding?.text}`
    }
    const { withoutCreative, ...before } = await readPackageSupply(store.read, 'acme', new Date())
    expect(before).toMatchObject({ matched: expect.any(Number), sandbox: 0 })
    await order({ ...flight(), packages: [news] })
    const { media_buy_id, revision } = await order(flight())
    await agent.run('update_media_buy', { media_buy_id, revision, paused: true })
    const after = { ...before, without_creative: withoutCreative + 1, resting: before.resting + 1 }
    const rest = `${after.without_creative} without an approved creative, ${after.resting} paused, canceled or outside their own flight`
    expect(await found()).toBe(`ok: acme: ${after.matched} packages are matched; not matched: ${rest}`)
    expect((await call('GET', '/trusted-match/health')).data.items).toMatchObject([{ packages: after }])
    await store.transaction((tx) => tx.updateTable('principals').set({ sandbox: 1 }).execute())
    try {
      expect(await found()).toMatch(/^warning: acme: no package is matched: \d+ of sandbox buyers \(simulated\)$/)
      const supply = await readPackageSupply(store.read, 'acme', new Date())
      expect(supply).toMatchObject({ matched: 0, withoutCreative: 0, resting: 0 })
      expect(supply.sandbox).toBeGreaterThanOrEqual(after.matched + after.without_creative)
      const { text: page } = await person.get('/console/t/acme/trusted-match')
      expect(page).toContain('0 matched; not: ')
      expect(page).toContain('of sandbox buyers (simulated)')
    } finally {
      await store.transaction((tx) => tx.updateTable('principals').set({ sandbox: 0 }).execute())
    }
  })
})
