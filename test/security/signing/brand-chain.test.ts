import { describe, expect, it } from 'vitest'
import { parseJson } from '../../../src/platform/decode/parse-json.ts'
import { registrableDomain } from '../../../src/platform/net/fetch-policy.ts'
import { jwksUriOf } from '../../../src/security/signing/brand-chain.ts'
import { SignatureFault } from '../../../src/security/signing/challenge.ts'
import { UntrustedAddress } from '../../../src/security/signing/remote-keys.ts'

const AGENT = 'https://agents.acme.example/mcp'
const BRAND = 'https://acme.example/.well-known/brand.json'
const JWKS = 'https://keys.acme.example/jwks.json'
const entry = { type: 'buying', url: AGENT, id: 'buyer', jwks_uri: JWKS }

interface World {
  readonly capabilities?: unknown
  readonly documents?: Readonly<Record<string, unknown>>
}

const GOOD = { identity: { brand_json_url: BRAND } }

/** Walks the chain in a world of these documents; texts are served as they are. */
async function walk(
  { capabilities = GOOD, documents = { [BRAND]: { agents: [entry] } } }: World = {},
  agentUrl = AGENT,
): Promise<string> {
  try {
    return await jwksUriOf(agentUrl, {
      parseJson,
      clock: () => new Date('2030-06-01T00:00:00Z'),
      registrableDomain,
      capabilitiesOf: async () => {
        if (capabilities instanceof Error) throw capabilities
        return capabilities
      },
      fetchDocument: async (url) => {
        const document = documents[url]
        if (document instanceof Error) throw document
        if (document === undefined) return { status: 404, body: Buffer.alloc(0) }
        return { status: 200, body: Buffer.from(typeof document === 'string' ? document : JSON.stringify(document)) }
      },
    })
  } catch (error) {
    if (error instanceof SignatureFault) return error.code.replace('signature_', '')
    throw error
  }
}

describe('jwksUriOf', () => {
  it('walks capabilities → brand.json → agents[] → jwks_uri', async () => expect(await walk()).toBe(JWKS))

  it('without jwks_uri the keys are at the well-known place of the agent', async () => {
    const { jwks_uri: _, ...plain } = entry
    expect(await walk({ documents: { [BRAND]: { agents: [plain] } } })).toBe('https://agents.acme.example/.well-known/jwks.json')
  })

  it.each([
    ['house', { house: { domain: 'acme.example', agents: [entry] } }],
    ['a brand of the house', { house: { domain: 'acme.example' }, brands: [{ id: 'x' }, { id: 'y', agents: [entry] }] }],
  ])('finds the agent of %s', async (_name, brand) => expect(await walk({ documents: { [BRAND]: brand } })).toBe(JWKS))

  it.each([
    ['authoritative_location', { authoritative_location: 'https://cdn.example/b.json' }, 'https://cdn.example/b.json'],
    ['house', { house: 'parent.example' }, 'https://parent.example/.well-known/brand.json'],
  ])('follows %s, and not in a circle', async (_name, pointer, target) => {
    expect(await walk({ documents: { [BRAND]: pointer, [target]: { agents: [entry] } } })).toBe(JWKS)
    expect(await walk({ documents: { [BRAND]: pointer, [target]: pointer } })).toBe('brand_json_malformed')
  })

  it('reads as many files as the brand resolver does, and heeds the date of a redirect', async () => {
    const at = (n: number) => `https://hop${n}.example/brand.json`
    const leadsTo = (url: string, from?: string) => ({ authoritative_location: url, redirect_effective_at: from })
    const chain = { [BRAND]: leadsTo(at(1)), [at(1)]: leadsTo(at(2)) }
    expect(await walk({ documents: { ...chain, [at(2)]: { agents: [entry] } } })).toBe(JWKS)
    expect(await walk({ documents: { ...chain, [at(2)]: leadsTo(at(3)), [at(3)]: { agents: [entry] } } })).toBe(
      'brand_json_malformed',
    )
    const from = (date: string) => ({ [BRAND]: leadsTo(at(1), date), [at(1)]: { agents: [entry] } })
    expect(await walk({ documents: from('2030-05-01T00:00:00Z') })).toBe(JWKS)
    expect(await walk({ documents: from('2030-07-01T00:00:00Z') })).toBe('brand_json_unreachable')
  })

  it('an operator of another domain acts for a brand that authorizes it', async () => {
    const agentUrl = 'https://buyer.agency.example/mcp'
    const agents = [{ ...entry, url: agentUrl }]
    const authorized = { agents, authorized_operators: [{ domain: 'agency.example' }] }
    expect(await walk({ documents: { [BRAND]: authorized } }, agentUrl)).toBe(JWKS)
    expect(await walk({ documents: { [BRAND]: { agents } } }, agentUrl)).toBe('brand_origin_mismatch')
  })

  it.each([
    ['no answer', { capabilities: new Error('down') }, 'capabilities_unreachable'],
    ['no brand_json_url', { capabilities: {} }, 'brand_json_url_missing'],
    ['a plain http one', { capabilities: { identity: { brand_json_url: 'http://acme.example/b' } } }, 'brand_json_url_missing'],
    ['no brand.json', { documents: {} }, 'brand_json_unreachable'],
    ['a failed fetch', { documents: { [BRAND]: new Error('timeout') } }, 'brand_json_unreachable'],
    ['a refused address', { documents: { [BRAND]: new UntrustedAddress('private') } }, 'jwks_untrusted'],
    ['no JSON', { documents: { [BRAND]: '<html>' } }, 'brand_json_malformed'],
    ['a repeated key', { documents: { [BRAND]: '{"agents":[],"agents":[]}' } }, 'brand_json_malformed'],
    ['another agent only', { documents: { [BRAND]: { agents: [{ ...entry, url: `${AGENT}/` }] } } }, 'agent_not_in_brand_json'],
    ['no agents', { documents: { [BRAND]: {} } }, 'agent_not_in_brand_json'],
    ['the agent twice', { documents: { [BRAND]: { agents: [entry, entry] } } }, 'brand_json_ambiguous'],
    [
      'a plain http jwks_uri',
      { documents: { [BRAND]: { agents: [{ ...entry, jwks_uri: 'http://a.example/' }] } } },
      'brand_json_malformed',
    ],
    [
      'keys from another origin than declared',
      { capabilities: { identity: { brand_json_url: BRAND, key_origins: { request_signing: 'https://other.acme.example' } } } },
      'key_origin_mismatch',
    ],
    [
      'no declared origin',
      { capabilities: { ...GOOD, request_signing: { supported_for: ['create_media_buy'] } } },
      'key_origin_missing',
    ],
  ] as [string, World, string][])('%s: %s', async (_name, world, code) => expect(await walk(world)).toBe(code))

  it('keys from the declared origin count', async () => {
    const identity = { brand_json_url: BRAND, key_origins: { request_signing: 'https://keys.acme.example' } }
    expect(await walk({ capabilities: { identity, request_signing: { required_for: ['x'] } } })).toBe(JWKS)
  })
})
