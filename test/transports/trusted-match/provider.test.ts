import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { matchSchemas } from '../../../src/protocol/match-schemas.ts'
import { contextRequest, identityRequest, PROPERTY, SELLER } from '../../support/match-router.ts'
import { type ReferenceProvider, sha256, startReferenceProvider, strangerSigner } from '../../support/trusted-match-provider.ts'

const schemas = matchSchemas()
const validContext = schemas.validator('trusted-match/provider-context-match-response.json')
const validIdentity = schemas.validator('trusted-match/provider-identity-match-response.json')
const validError = schemas.validator('trusted-match/error.json')
const OTHER = 'https://other.example/mcp'
const known = (packageId: string, more: object = {}) => ({ packageId, sellerAgentUrl: SELLER, mediaBuyId: 'mb', ...more })
const idsOf = (value: { offers: readonly { package_id: string }[] }) => value.offers.map(({ package_id }) => package_id)
const consent = { gdpr: false }

describe('a provider of Trusted Match', () => {
  let provider: ReferenceProvider

  beforeAll(async () => {
    provider = await startReferenceProvider({
      metricsPort: 0,
      sellers: [{ agentUrl: SELLER, keys: [{ sha256: sha256('sync-key') }] }],
      packages: [
        known('any'),
        known('sidebar', { context: { placements: ['sidebar'], properties: [PROPERTY] } }),
        known('german', { context: { languages: ['de'] } }),
        known('food', { context: { topics: ['632'], keywordsExcluded: [{ keyword: 'meat' }] } }),
        known('us', { context: { countries: ['US'] } }),
        known('over', { endsAt: '2026-03-10T11:00:00Z' }),
        known('off', { active: false }),
        known('fans', { user: { audiences: ['fans'] } }),
        known('not-fans', { user: { audiencesExcluded: ['fans'] } }),
        known('stale', { user: { audiences: ['stale'] } }),
        known('capped', { user: { capLabels: ['campaign:42', 'advertiser:13'] } }),
        { packageId: 'foreign', sellerAgentUrl: OTHER, mediaBuyId: 'mb', user: { capLabels: ['advertiser:13'] } },
      ],
      audiences: [
        { id: 'fans', members: ['uid2:fan', 'id5:fan5'] },
        { id: 'stale', expiresAt: '2026-03-01T00:00:00Z', members: ['uid2:fan'] },
      ],
      caps: [
        { label: 'campaign:42', most: 5, window: { interval: 1, unit: 'days' } },
        { label: 'advertiser:13', most: 10, window: { interval: 1, unit: 'days' } },
      ],
    })
  })
  afterAll(() => provider?.stop())

  const user = (tokens: Readonly<Record<string, string>>, more: object = {}) =>
    identityRequest({
      request_id: `id-${JSON.stringify(tokens)}-${JSON.stringify(more)}`,
      identities: Object.entries(tokens).map(([uid_type, user_token]) => ({ uid_type, user_token })),
      consent,
      country: undefined,
      ...more,
    })

  it('offers the packages that fit a context, for the seller that asks', async () => {
    const plain = await provider.ask('/context', contextRequest())
    expect(validContext(plain.value)).toEqual([])
    expect(idsOf(plain.value)).toEqual(['any', 'sidebar', 'fans', 'not-fans', 'stale', 'capped'])
    expect(plain.value.offers[0].seller_agent).toEqual({ agent_url: SELLER })
    const rich = contextRequest({
      placement_id: 'top',
      geo: { country: 'US' },
      context_signals: { topics: ['632'], language: 'de', keywords: ['Soup'] },
    })
    expect(idsOf((await provider.ask('/context', rich)).value).slice(0, 4)).toEqual(['any', 'german', 'food', 'us'])
    const meat = contextRequest({ context_signals: { topics: ['632'], keywords: ['Meatballs'] } })
    expect(idsOf((await provider.ask('/context', meat)).value)).not.toContain('food')
    const other = await provider.ask('/context', contextRequest({ seller_agent_url: 'https://OTHER.example:443/mcp' }))
    expect(idsOf(other.value)).toEqual(['foreign'])
    const unknown = await provider.ask('/context', contextRequest({ seller_agent_url: 'https://nobody.example' }))
    expect(unknown.value.offers).toEqual([])
  })

  it('calls eligible what the audiences of any token allow, and ignores unknown ids', async () => {
    const fan = await provider.ask('/identity', user({ uid2: 'fan' }))
    expect(validIdentity(fan.value)).toEqual([])
    expect(fan.value.eligible_package_ids).toEqual(expect.arrayContaining(['any', 'fans', 'capped']))
    expect(fan.value.eligible_package_ids).not.toContain('not-fans')
    expect(fan.value.eligible_package_ids).not.toContain('stale')
    const second = await provider.ask('/identity', user({ uid2: 'nobody', id5: 'fan5' }, { package_ids: ['fans', 'made-up'] }))
    expect(second.value.eligible_package_ids).toEqual(['fans'])
    const stranger = await provider.ask('/identity', user({ uid2: 'stranger' }, { package_ids: ['fans', 'not-fans'] }))
    expect(stranger.value.eligible_package_ids).toEqual(['not-fans'])
  })

  it.each([
    ['no consent', undefined],
    ['a GPP string that cannot be read', { gpp: 'nonsense' }],
    ['an opt-out under US law', { us_privacy: '1YYN' }],
  ])('%s: no token is processed, none is minted', async (_name, given) => {
    const { value } = await provider.ask('/identity', user({ uid2: 'fan' }, { consent: given }))
    expect(value.eligible_package_ids).toEqual(expect.arrayContaining(['any']))
    for (const id of ['fans', 'not-fans', 'capped']) expect(value.eligible_package_ids).not.toContain(id)
    expect(value.tmpx_chunks).toBeUndefined()
  })

  it('answers a request that is repeated with the same, token included', async () => {
    const request = user({ uid2: 'again' })
    const [first, second] = [await provider.ask('/identity', request), await provider.ask('/identity', request)]
    expect(second.value).toEqual(first.value)
    expect(first.value.tmpx_chunks[0].value).toMatch(/^k1\.[A-Za-z0-9_-]+$/)
    expect(first.value.tmpx_chunks[0].value.length).toBeLessThanOrEqual(255)
  })

  it('refuses what no known router signed for this endpoint', async () => {
    for (const [path, body] of [
      ['/context', contextRequest()],
      ['/identity', user({ uid2: 'fan' })],
    ] as const) {
      const unsigned = await provider.post(path, body, {})
      expect(unsigned.status).toBe(401)
      expect(unsigned.headers.get('www-authenticate')).toBe('AdCP-Signature')
      expect((await provider.ask(path, body, 'https://tmp.rival.example/v1')).status).toBe(401)
      expect((await provider.ask(path, body, undefined, strangerSigner())).status).toBe(401)
    }
  })

  it('refuses the messages of the other path and what breaks a schema', async () => {
    expect((await provider.ask('/context', { ...contextRequest(), type: 'identity_match_request' })).status).toBe(400)
    const { value } = await provider.ask('/identity', user({ uid2: 'fan' }, { placement_id: 'sidebar' }))
    expect(validError(value)).toEqual([])
    expect(value.code).toBe('invalid_request')
  })

  it('says no more of its health than that it is ready', async () => {
    expect((await provider.call(`${provider.origin}/health`)).value).toEqual({ status: 'ok' })
  })

  it('takes packages of an enrolled seller, in the place of those before, and no others', async () => {
    const available = (package_id: string, agent_url = SELLER) => ({
      package_id,
      media_buy_id: 'mb2',
      seller_agent: { agent_url },
    })
    expect((await provider.sync('guessed', [])).status).toBe(401)
    expect((await provider.sync('sync-key', [{ package_id: 'x' }])).status).toBe(400)
    const { value } = await provider.sync('sync-key', [available('synced'), available('thief', OTHER)])
    expect(value.accepted).toBe(1)
    expect(validError(value.errors[0])).toEqual([])
    expect(value.errors).toMatchObject([{ request_id: 'thief', code: 'seller_not_authorized' }])
    const offered = async () => idsOf((await provider.ask('/context', contextRequest())).value)
    await expect.poll(offered, { timeout: 60_000 }).toContain('synced')
    expect(await offered()).not.toContain('thief')
    await provider.sync('sync-key', [])
    await expect.poll(offered, { timeout: 60_000 }).not.toContain('synced')
  })

  describe('counts impressions by their exposure tokens (impression tracker reference)', () => {
    const see = async (
      tokens: Readonly<Record<string, string>>,
      imp_id: string,
      { package_id = 'capped', seller = SELLER }: { readonly package_id?: string; readonly seller?: string } = {},
    ) => {
      const { value } = await provider.ask('/identity', user(tokens, { request_id: `for-${imp_id}` }))
      const tmpx = value.tmpx_chunks[0].value
      expect((await provider.impression({ package_id, seller, tmpx, imp_id })).status).toBe(200)
      return tmpx
    }
    const eligible = async (tokens: Readonly<Record<string, string>>, at: string, more: object = {}) => {
      const { value } = await provider.ask('/identity', user(tokens, { request_id: `at-${at}`, ...more }))
      return value.eligible_package_ids
    }

    it('scenario A: an impression of several tokens counts once, and the cap holds for each of them', async () => {
      const both = { rampid: 'abc', id5: 'def' }
      for (const id of ['imp-1', 'imp-2', 'imp-3']) await see(both, id)
      await see({ rampid: 'abc' }, 'imp-4')
      // A pixel that fires again is the same impression.
      await see(both, 'imp-3')
      expect(await eligible(both, 'a4')).toContain('capped')
      await see(both, 'imp-5')
      expect(await eligible({ rampid: 'abc' }, 'a5-ramp')).not.toContain('capped')
      expect(await eligible({ id5: 'def' }, 'a5-id5')).not.toContain('capped')
      expect(await eligible({ id5: 'somebody else' }, 'a5-other')).toContain('capped')
    })

    it('scenario B: a label that packages of two sellers share holds both back, until its window is over', async () => {
      const tokens = { uid2: 'reader' }
      for (let index = 0; index < 10; index += 1) await see(tokens, `b-${index}`, { package_id: 'foreign', seller: OTHER })
      expect(await eligible(tokens, 'b-own')).not.toContain('capped')
      expect(await eligible(tokens, 'b-other', { seller_agent_url: OTHER })).toEqual([])
      provider.setClock('2026-03-11T00:00:01Z')
      expect(await eligible(tokens, 'b-next-day', { seller_agent_url: OTHER })).toEqual(['foreign'])
      provider.setClock('2026-03-10T12:00:00Z')
    })

    it('counts nothing for tokens of others, tokens that are repeated late, and impressions without a token', async () => {
      const tokens = { uid2: 'replayed' }
      const tmpx = await see(tokens, 'r-0')
      provider.setClock('2026-03-10T12:02:00Z')
      for (let index = 1; index < 12; index += 1)
        await provider.impression({ package_id: 'capped', seller: SELLER, tmpx, imp_id: `r-${index}` })
      for (const value of ['k1.AAAA', 'k2.x', '{TMPX}', ''])
        expect((await provider.impression({ package_id: 'capped', seller: SELLER, tmpx: value, imp_id: 'f' })).status).toBe(200)
      expect(await eligible(tokens, 'r-after')).toContain('capped')
      const metrics = String((await provider.call(`http://127.0.0.1:${provider.metricsPort}/metrics`)).value)
      expect(metrics).toContain('tmp_identity_impressions_total{outcome="replayed"} 11')
      expect(metrics).toContain('tmp_identity_impressions_total{outcome="forged"} 2')
      expect(metrics).toContain('tmp_identity_impressions_total{outcome="context_only"} 2')
      provider.setClock('2026-03-10T12:00:00Z')
    })
  })

  it('logs and stores no token of a user', async () => {
    const rows = await provider.store.read.selectFrom('match_exposures').selectAll().execute()
    expect(rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(rows) + provider.lines.join('')).not.toMatch(/abc|reader|replayed/)
  })
})
