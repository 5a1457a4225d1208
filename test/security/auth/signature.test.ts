import { describe, expect, it } from 'vitest'
import { signatureVerifier } from '../../../src/security/auth/signature.ts'
import { singlePrincipal } from '../../../src/security/auth/single-principal.ts'
import type { Verifier } from '../../../src/security/auth/verifier.ts'
import { SignatureFault } from '../../../src/security/signing/challenge.ts'
import { keysFor, keysOfAgents, registeredKeys } from '../../../src/security/signing/keys.ts'
import { REQUEST_PROFILE, REQUEST_PROFILE_3_2 } from '../../../src/security/signing/profile.ts'
import { signMessage } from '../../../src/security/signing/sign.ts'
import { AGENT_URL } from '../../support/installed-vectors.ts'
import { NOW, testAgent, verifier as verifyOptions } from '../signing/harness.ts'
import { identity, transport } from './identities.ts'

const ORIGIN = 'https://ads.example.com'
const BODY = Buffer.from('{"jsonrpc":"2.0"}')
const agent = testAgent('ed25519')
const now = new Date(NOW * 1000)

async function signedTransport(target = '/mcp', profile = REQUEST_PROFILE) {
  const headers = await signMessage({ method: 'POST', url: ORIGIN + target, body: BODY }, agent.signer, profile, NOW)
  return transport({ target, body: BODY, rawHeaders: ['Host', 'ads.example.com', ...Object.entries(headers).flat()] })
}

function verifierFor(identities = [identity('buyer')], overrides = {}): Verifier {
  const findAgents = async (agentUrl: string) => (agentUrl === AGENT_URL ? identities : [])
  const options = { publicOrigin: ORIGIN, findAgents, publicTenant: async () => 'acme' }
  return signatureVerifier({ ...verifyOptions(REQUEST_PROFILE, agent.jwk), ...options, ...overrides })
}

describe('signatureVerifier', () => {
  it('a valid signature authenticates the agent that owns the key', async () => {
    const verdict = await verifierFor().verify(await signedTransport(), now)
    expect(verdict).toMatchObject({
      kind: 'verified',
      tenant: { tenantId: 'acme' },
      principal: { principalId: 'buyer', mechanism: 'signature', credentialId: agent.jwk.kid },
    })
  })

  it('a publisher of profile 3.2 takes signatures in the form of 3.2 only', async () => {
    const strict = verifierFor([identity('buyer')], { formOf: () => REQUEST_PROFILE_3_2 })
    expect((await strict.verify(await signedTransport('/mcp', REQUEST_PROFILE_3_2), now)).kind).toBe('verified')
    expect(await strict.verify(await signedTransport(), now)).toMatchObject({
      kind: 'refused',
      challenge: 'Signature error="request_signature_header_malformed"',
    })
  })

  it('a key speaks for its agent at the publishers that registered it, and at no other', async () => {
    const keys = keysOfAgents([keysFor(['evil'], registeredKeys(AGENT_URL, [agent.jwk]))])
    const victim = [identity('buyer', 'acme')]
    for (const target of ['/mcp', '/t/acme/mcp'])
      expect((await verifierFor(victim, { keys }).verify(await signedTransport(target), now)).kind).toBe('refused')
    const both = verifierFor([identity('buyer', 'acme'), identity('own', 'evil')], { keys })
    for (const target of ['/mcp', '/t/acme/mcp', '/t/evil/mcp'])
      expect(await both.verify(await signedTransport(target), now)).toMatchObject({
        tenant: { tenantId: 'evil' },
        principal: { principalId: 'own' },
      })
  })

  it.each([
    ['another publisher registered', 'evil', true],
    ['another publisher’s agent publishes', 'evil', false],
    ['another agent of the publisher publishes', 'acme', false],
  ])('a copy of the key that %s silences nobody', async (_how, publisher, isPinned) => {
    const copy = registeredKeys('https://other.example/mcp', [agent.jwk])
    const found = async (keyid: string) => {
      const { pinned: _pinned, ...remote } = { ...(await copy.find(keyid, NOW)) }
      return remote
    }
    const copied = keysFor([publisher], isPinned ? copy : ({ find: found } as typeof copy))
    const own = keysFor(['acme'], registeredKeys(AGENT_URL, [agent.jwk]))
    for (const sources of [
      [copied, own],
      [own, copied],
    ])
      for (const target of ['/mcp', '/t/acme/mcp'])
        expect(
          await verifierFor(undefined, { keys: keysOfAgents(sources) }).verify(await signedTransport(target), now),
        ).toMatchObject({ kind: 'verified', tenant: { tenantId: 'acme' }, principal: { principalId: 'buyer' } })
  })

  it('a copy in memory does not sign for an agent whose own keys have to be fetched first', async () => {
    const copied = keysFor(['evil'], registeredKeys('https://other.example/mcp', [agent.jwk]))
    const { find } = registeredKeys(AGENT_URL, [agent.jwk])
    const keys = keysOfAgents([copied, keysFor(['acme'], { find })])
    expect(await verifierFor(undefined, { keys }).verify(await signedTransport(), now)).toMatchObject({ kind: 'verified' })
  })

  it('no signature header: absent', async () => {
    expect(await verifierFor().verify(transport({ authorization: 'Bearer x' }), now)).toEqual({ kind: 'absent' })
  })

  it.each(['Signature', 'Signature-Input'])('%s alone is refused, whatever else is there', async (kept) => {
    const credentials = await signedTransport()
    const dropped = kept === 'Signature' ? 'Signature-Input' : 'Signature'
    const at = credentials.rawHeaders.indexOf(dropped)
    const rawHeaders = [...credentials.rawHeaders.toSpliced(at, 2), 'Authorization', 'Bearer x']
    const verdict = await verifierFor().verify({ ...credentials, rawHeaders, authorization: 'Bearer x' }, now)
    expect(verdict).toMatchObject({ kind: 'refused', challenge: 'Signature error="request_signature_header_malformed"' })
  })

  it('the calls of one batch share one verdict; a copy of the message is a replay', async () => {
    const verifier = verifierFor()
    const credentials = await signedTransport()
    const verdicts = await Promise.all([verifier.verify(credentials, now), verifier.verify(credentials, now)])
    expect(verdicts.map(({ kind }) => kind)).toEqual(['verified', 'verified'])
    expect(await verifier.verify({ ...credentials }, now)).toMatchObject({
      challenge: 'Signature error="request_signature_replayed"',
    })
  })

  it('a signature for another path, body or host is refused', async () => {
    const credentials = await signedTransport()
    for (const change of [
      { target: '/t/acme/mcp' },
      { body: Buffer.from('{}') },
      { rawHeaders: credentials.rawHeaders.with(1, 'evil.example.com') },
    ]) {
      expect((await verifierFor().verify({ ...credentials, ...change }, now)).kind).toBe('refused')
    }
  })

  it('no active principal for the agent: refused', async () => {
    const verdict = await verifierFor([]).verify(await signedTransport(), now)
    expect(verdict).toMatchObject({ kind: 'refused', challenge: 'Signature error="request_signature_key_unknown"' })
  })

  it('an agent of two tenants names one in the path that it signs, or is at the one whose address it is, or where it was first', async () => {
    const two = [identity('buyer', 'globex'), identity('buyer', 'acme')]
    const at = async (publicTenant: string) =>
      verifierFor(two, { publicTenant: async () => publicTenant }).verify(await signedTransport('/mcp'), now)
    expect(await at('acme')).toMatchObject({ kind: 'verified', tenant: { tenantId: 'acme' } })
    expect(await at('initech')).toMatchObject({ kind: 'verified', tenant: { tenantId: 'globex' } })
    const verdict = await verifierFor(two).verify(await signedTransport('/t/globex/mcp'), now)
    expect(verdict).toMatchObject({ kind: 'verified', tenant: { tenantId: 'globex' } })
    expect((await verifierFor(two).verify(await signedTransport('/t/initech/mcp'), now)).kind).toBe('refused')
  })

  it('the path never widens an agent of one tenant', async () => {
    const verdict = await verifierFor([identity('buyer', 'acme')]).verify(await signedTransport('/t/globex/mcp'), now)
    expect(verdict).toMatchObject({ kind: 'verified', tenant: { tenantId: 'acme' } })
  })

  it('keys that cannot be fetched are our failure: transient, thrown', async () => {
    const find = async () => {
      throw new SignatureFault('signature_jwks_unavailable', 'down')
    }
    const outcome = verifierFor(undefined, { keys: { find } }).verify(await signedTransport(), now)
    await expect(outcome).rejects.toMatchObject({ recovery: 'transient', signatureCode: 'request_signature_jwks_unavailable' })
  })
})

describe('singlePrincipal', () => {
  const says = (name: string, principal?: string): Verifier => ({
    name,
    verify: async () => (principal === undefined ? { kind: 'absent' } : { kind: 'verified', ...identity(principal) }),
  })
  const no: Verifier = { name: 'no', verify: async () => ({ kind: 'refused', reason: 'bad', challenge: 'Basic' }) }
  const kindOf = async (...verifiers: Verifier[]) => (await singlePrincipal(verifiers, 'Bearer').verify(transport({}), now)).kind

  it.each([
    ['nothing', [says('a'), says('b')], 'absent'],
    ['one', [says('a'), says('b', 'x')], 'verified'],
    ['two of one principal', [says('a', 'x'), says('b', 'x')], 'verified'],
    ['two of two principals', [says('a', 'x'), says('b', 'y')], 'refused'],
    ['a good one and a bad one', [says('a', 'x'), no], 'refused'],
  ])('%s', async (_name, verifiers, kind) => expect(await kindOf(...verifiers)).toBe(kind))
})
