import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyResponse } from '../../../src/security/signing/response-envelope.ts'
import { type BrandAgent, START } from '../../support/brand-agent.ts'
import { startClaimsAgent } from '../../support/claims-agent.ts'

let agent: BrandAgent
beforeAll(async () => {
  agent = await startClaimsAgent()
})
afterAll(() => agent?.stop())

const MARK = { claim_type: 'trademark', claim: { mark: 'HERON' } }
const ODD = { claim_type: 'parent', claim: { parent_domain: 'stranger.example' } }

describe.each(['3.1', '3.2'])('verify_brand_claims in %s', (line) => {
  it('answers each claim in its place, what cannot be answered among them, under one signature', async () => {
    const request = {
      adcp_version: line,
      claims: [{ claim_type: 'subsidiary', claim: { subsidiary_domain: 'heron.example' } }, MARK, ODD],
    }
    const { data } = await agent.buyer.call('verify_brand_claims', request)
    expect(data.results).toEqual([
      { claim_type: 'subsidiary', status: 'owned', details: expect.objectContaining({ brand_id: 'heron' }) },
      { error: expect.objectContaining({ code: 'AMBIGUOUS_MATCH', recovery: 'correctable', field: 'claims[1].claim' }) },
      { claim_type: 'parent', status: 'unknown' },
    ])
    const { payload } = data.signed_response
    expect(payload.exp - payload.iat).toBe(3600)
    const keys = await agent.server.keys.published()
    const key = keys.find(({ adcp_use }) => adcp_use === 'response-signing')
    if (!key) throw new Error('no key for answers is published')
    verifyResponse(data.signed_response, key, {
      task: 'verify_brand_claims',
      brandDomain: 'fable.example',
      agentUrl: `${new URL(agent.url).origin}/t/acme/mcp`,
      callerIdentity: 'api-client-id:buyer',
      request,
      answer: data,
      now: new Date(START),
    })
  })

  it('refuses more than a hundred', async () => {
    const { data } = await agent.buyer.call('verify_brand_claims', { adcp_version: line, claims: Array(101).fill(ODD) })
    expect(data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'claims' })
  })
})
