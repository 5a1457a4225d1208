import { describe, expect, it } from 'vitest'
import { authorizeAnswer } from '../../../src/domain/brand/response-authorization.ts'
import { wheelIsMissing, wheelVectors } from '../../support/wheel.ts'

interface Case {
  readonly name: string
  readonly input: {
    readonly envelope: { readonly brand_domain: string; readonly agent_url: string; readonly kid: string }
    readonly verified_jwk?: object
    readonly brand_json: unknown
    readonly jwks_by_uri: Readonly<Record<string, unknown>>
  }
  readonly expected: object
}

const files = await wheelVectors('brand-response-signing')
const { cases } = (files.get('brand-authorization-cross-check.json') ?? { cases: [] }) as { cases: Case[] }

describe.skipIf(wheelIsMissing)('brand-response-signing vectors of 3.2.4', () => {
  it('are all there', () => expect([files.size, cases.length]).toEqual([1, 14]))

  it.each(cases)('$name', async ({ input: { envelope, verified_jwk, brand_json, jwks_by_uri }, expected }) => {
    const { brand_domain: brandDomain, agent_url: agentUrl, kid } = envelope
    const asked: string[] = []
    const result = await authorizeAnswer({ brandDomain, agentUrl, kid, key: verified_jwk }, brand_json, async (uri) => {
      asked.push(uri)
      return jwks_by_uri[uri]
    })
    expect(result).toEqual(expected)
    expect(asked.length).toBeLessThanOrEqual(1)
  })
})
