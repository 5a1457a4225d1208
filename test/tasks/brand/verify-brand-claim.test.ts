import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readJwks } from '../../../src/security/signing/jwk.ts'
import { ResponseSignatureFault, verifyResponse } from '../../../src/security/signing/response-envelope.ts'
import { saveBrands } from '../../../src/store/brand/brands.ts'
import { BRANDS, type BrandAgent, START } from '../../support/brand-agent.ts'
import { CLAIMS, startClaimsAgent } from '../../support/claims-agent.ts'

let agent: BrandAgent
beforeAll(async () => {
  agent = await startClaimsAgent()
})
afterAll(() => agent?.stop())

const ask = async (claim_type: string, claim: object, { client = agent.buyer, ...more }: Record<string, unknown> = {}) =>
  (await (client as typeof agent.buyer).call('verify_brand_claim', { adcp_version: '3.1', claim_type, claim, ...more })).data
const property = (identifier: string, more = {}) => ({ property: { type: 'website', identifier, ...more } })

describe('what a house says of a claim', () => {
  it.each([
    [
      'subsidiary',
      { subsidiary_domain: 'heron.example' },
      'owned',
      { brand_id: 'heron', first_observed_by_house_at: '2026-01-01T00:00:00Z' },
    ],
    ['subsidiary', { subsidiary_domain: 'HERON.example', subsidiary_brand_id: 'wren' }, 'not_ours', undefined],
    ['subsidiary', { subsidiary_domain: 'sold.example' }, 'archived', undefined],
    ['subsidiary', { subsidiary_domain: 'stranger.example' }, 'not_ours', undefined],
    ['parent', { parent_domain: 'holding.example' }, 'disputed', undefined],
    ['parent', { parent_domain: 'stranger.example' }, 'unknown', undefined],
    ['property', property('fake-fable.example'), 'disputed', undefined],
    ['property', property('fable.example', { region: 'FR' }), 'not_ours', undefined],
    [
      'property',
      { property: { type: 'mobile_app', identifier: 'example.fable.app', store: 'apple' } },
      'owned',
      { relationship: 'direct', regions: ['global'] },
    ],
    [
      'trademark',
      { mark: 'heron', registry: 'euipo' },
      'licensed_in',
      {
        licensor_domain: 'birds.example',
        countries: ['DE'],
        matched_registration: { registry: 'EUIPO', number: '2', mark: 'HERON' },
      },
    ],
    ['trademark', { mark: 'WREN' }, 'unknown', undefined],
  ])('%s %j: %s', async (type, claim, status, details) => {
    const data = await ask(type, claim)
    expect(data).toMatchObject({ claim_type: type, verification_status: status, adcp_version: '3.1', status: 'completed' })
    expect(data.details).toEqual(details)
  })

  it('asks which registration is meant', async () => {
    const { adcp_error: error } = await ask('trademark', { mark: 'HERON' })
    expect(error).toMatchObject({ code: 'AMBIGUOUS_MATCH', recovery: 'correctable', field: 'claim' })
  })

  it('shows everybody the status, and callers with an account what it may be used for', async () => {
    const open = { relationship: 'owned', brand_id: 'heron', regions: ['US', 'DE'] }
    expect((await ask('property', property('fable.example'), { client: agent.client() })).details).toEqual(open)
    expect((await ask('property', property('fable.example'))).details).toEqual({
      ...open,
      use_case_authorization: { advertising: true },
    })
  })

  it('says how long a review may take, and has no position once that is over', async () => {
    const review = { subsidiary_domain: 'rumour.example' }
    expect(await ask('subsidiary', review, { client: agent.client() })).toMatchObject({
      verification_status: 'pending_review',
      details: { expected_resolution_window_days: 30 },
    })
    agent.setClock('2026-03-22T00:00:00Z')
    expect((await ask('subsidiary', review)).verification_status).toBe('unknown')
    agent.setClock(START)
  })

  it('is there from 3.1 on, and only for a publisher that answers claims', async () => {
    const { adcp_error: early } = await ask('parent', { parent_domain: 'holding.example' }, { adcp_version: '3.0' })
    expect(early).toMatchObject({ code: 'UNSUPPORTED_FEATURE', message: expect.stringContaining('"3.1" or "3.2"') })
    const capabilities = async () => (await agent.buyer.call('get_adcp_capabilities', { adcp_version: '3.1' })).data
    expect((await capabilities()).brand.verify_brand_claim).toEqual({
      supported_claim_types: ['subsidiary', 'parent', 'property', 'trademark'],
    })
    await agent.import({ ...BRANDS, claims: { parents: [] } })
    expect((await capabilities()).brand.verify_brand_claim).toEqual({ supported_claim_types: ['parent'] })
    expect((await ask('property', property('fable.example'))).adcp_error).toMatchObject({ code: 'UNSUPPORTED_CLAIM_TYPE' })
    await agent.import(BRANDS)
    expect((await capabilities()).brand).not.toHaveProperty('verify_brand_claim')
    const listed = await agent.buyer.send({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
    expect(await listed.text()).not.toContain('verify_brand_claim')
    await agent.import({ ...BRANDS, claims: CLAIMS })
  })
})

describe('the signature of an answer', () => {
  const now = new Date(START)
  const request = {
    adcp_version: '3.1',
    claim_type: 'parent',
    claim: { parent_domain: 'holding.example' },
    context: { trace: 'a' },
    odd: 1,
  }
  const binding = () => ({
    task: 'verify_brand_claim' as const,
    brandDomain: 'fable.example',
    agentUrl: `${new URL(agent.url).origin}/t/acme/mcp`,
    callerIdentity: 'api-client-id:buyer',
    request,
  })
  const signed = async () => {
    const { data } = await agent.buyer.call('verify_brand_claim', request)
    const { kid } = JSON.parse(Buffer.from(data.signed_response.protected, 'base64url').toString())
    const jwks = readJwks(await (await fetch(`${new URL(agent.url).origin}/.well-known/jwks.json`)).json())
    const key = jwks?.find((each) => each.kid === kid)
    if (!key) throw new Error('the key is not published')
    return { data, key }
  }

  it('fits the published key, the request, the caller and the answer beside it', async () => {
    const { data, key } = await signed()
    expect(key).toMatchObject({ adcp_use: 'response-signing', use: 'sig', key_ops: ['verify'] })
    verifyResponse(data.signed_response, key, { ...binding(), answer: data, now })
    expect(data.signed_response.payload).toMatchObject({
      brand_domain: 'fable.example',
      iat: now.getTime() / 1000,
      exp: now.getTime() / 1000 + 24 * 3600,
      response: { claim_type: 'parent', verification_status: 'disputed', context: { trace: 'a' } },
    })
  })

  it.each([
    ['another request', { request: { claim_type: 'parent' } }, {}],
    ['another caller', { callerIdentity: null }, {}],
    ['another brand', { brandDomain: 'other.example' }, {}],
    ['another agent', { agentUrl: 'https://other.example/mcp' }, {}],
    ['another task', { task: 'verify_brand_claims' as const }, {}],
    ['a day later', { now: new Date(now.getTime() + 25 * 3_600_000) }, {}],
    ['another answer', {}, { verification_status: 'owned' }],
    ['an answer with a member that was not signed', {}, { details: { house_domain: 'holding.example' } }],
  ])('does not fit %s', async (_title, expected, changed) => {
    const { data, key } = await signed()
    const check = () =>
      verifyResponse(data.signed_response, key, { ...binding(), answer: { ...data, ...changed }, now, ...expected })
    expect(check).toThrow(ResponseSignatureFault)
  })

  it('does not fit a payload that was changed', async () => {
    const { data, key } = await signed()
    const { payload } = data.signed_response
    const changed = { ...data.signed_response, payload: { ...payload, exp: payload.exp + 1 } }
    expect(() => verifyResponse(changed, key, { ...binding(), answer: data, now })).toThrow('the signature does not fit')
  })

  it('is made by a key of this brand alone: another publisher has another', async () => {
    const other = agent.client(await agent.addBuyer({ principal: 'rival', tenant: 'rival' }))
    const file = { ...BRANDS, house: { domain: 'rival.example', name: 'Rival' }, claims: CLAIMS }
    await agent.server.store.transaction((tx) => saveBrands(tx, 'rival', file, now))
    const { data } = await other.call('verify_brand_claim', request)
    const { data: own } = await signed()
    expect(data.signed_response.payload.brand_domain).toBe('rival.example')
    expect(data.signed_response.protected).not.toBe(own.signed_response.protected)
  })
})
