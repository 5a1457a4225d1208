import { describe, expect, it } from 'vitest'
import { SignatureFault } from '../../../src/security/signing/challenge.ts'
import { keysOfAgents, registeredKeys } from '../../../src/security/signing/keys.ts'
import { type FetchDocument, remoteKeys, UntrustedAddress } from '../../../src/security/signing/remote-keys.ts'
import { AGENT_URL } from '../../support/installed-vectors.ts'
import { testAgent } from './harness.ts'

const { jwk } = testAgent('ed25519')
const JWKS_URI = 'https://buyer.example.com/.well-known/jwks.json'

/** A key server whose answer can be changed; counts what it is asked. */
function keyServer() {
  const server = {
    fetches: 0,
    keys: [jwk] as unknown[],
    answer: (() => ({ status: 200, body: Buffer.from(JSON.stringify({ keys: server.keys })) })) as () => {
      status: number
      body: Buffer
    },
  }
  const fetchDocument: FetchDocument = async () => {
    server.fetches++
    return server.answer()
  }
  return { server, source: remoteKeys(AGENT_URL, async () => JWKS_URI, fetchDocument) }
}

async function faultOf(outcome: Promise<unknown>): Promise<string> {
  const error = await outcome.catch((reason: unknown) => reason)
  return error instanceof SignatureFault ? error.code : `no fault: ${String(error)}`
}

describe('remoteKeys', () => {
  it('fetches once for many, and again when the keys are too old', async () => {
    const { server, source } = keyServer()
    const found = await Promise.all(Array.from({ length: 5 }, () => source.find(jwk.kid, 1000)))
    expect(found.every((key) => key?.agentUrl === AGENT_URL)).toBe(true)
    expect(server.fetches).toBe(1)
    await source.find(jwk.kid, 1000 + 899)
    expect(server.fetches).toBe(1)
    server.keys = []
    expect(await source.find(jwk.kid, 1000 + 900)).toBeUndefined()
    expect(server.fetches).toBe(2)
  })

  it('an unknown keyid triggers one refetch in thirty seconds', async () => {
    const { server, source } = keyServer()
    await source.find(jwk.kid, 1000)
    for (let now = 1001; now < 1030; now++) expect(await source.find('new', now)).toBeUndefined()
    expect(server.fetches).toBe(1)
    server.keys = [jwk, { ...jwk, kid: 'new' }]
    expect((await source.find('new', 1030))?.jwk.kid).toBe('new')
    expect(server.fetches).toBe(2)
  })

  it('keeps known keys while the key server is down, until they are too old', async () => {
    const { server, source } = keyServer()
    await source.find(jwk.kid, 1000)
    server.answer = () => ({ status: 503, body: Buffer.alloc(0) })
    expect(await source.find('new', 1030)).toBeUndefined()
    expect((await source.find(jwk.kid, 1031))?.jwk.kid).toBe(jwk.kid)
    expect(await faultOf(source.find(jwk.kid, 2000))).toBe('signature_jwks_unavailable')
    expect(await faultOf(source.find(jwk.kid, 2010))).toBe('signature_jwks_unavailable')
    expect(server.fetches).toBe(3)
    server.answer = () => ({ status: 200, body: Buffer.from(JSON.stringify({ keys: [jwk] })) })
    expect((await source.find(jwk.kid, 2030))?.jwk.kid).toBe(jwk.kid)
  })

  const throwing = (error: Error) => () => {
    throw error
  }
  it.each([
    ['a server error', () => ({ status: 500, body: Buffer.alloc(0) }), 'signature_jwks_unavailable'],
    ['a failed fetch', throwing(new Error('timeout')), 'signature_jwks_unavailable'],
    ['a refused address', throwing(new UntrustedAddress('private')), 'signature_jwks_untrusted'],
    ['not found', () => ({ status: 404, body: Buffer.alloc(0) }), 'signature_key_unknown'],
    ['no JSON', () => ({ status: 200, body: Buffer.from('<html>') }), 'signature_key_unknown'],
    ['no key set', () => ({ status: 200, body: Buffer.from('[]') }), 'signature_key_unknown'],
  ])('%s', async (_name, answer, code) => {
    const { server, source } = keyServer()
    server.answer = answer
    expect(await faultOf(source.find(jwk.kid, 1000))).toBe(code)
  })

  it('follows a key set that moved, and reports a broken chain', async () => {
    const asked: string[] = []
    let uri: () => Promise<string> = async () => 'https://old.example.com/jwks'
    const source = remoteKeys(
      AGENT_URL,
      () => uri(),
      async (url) => {
        asked.push(url)
        return { status: 200, body: Buffer.from(JSON.stringify({ keys: [jwk] })) }
      },
    )
    await source.find(jwk.kid, 1000)
    uri = async () => 'https://new.example.com/jwks'
    await source.find(jwk.kid, 2000)
    expect(asked).toEqual(['https://old.example.com/jwks', 'https://new.example.com/jwks'])
    uri = async () => {
      throw new SignatureFault('signature_agent_not_in_brand_json', 'gone')
    }
    expect(await faultOf(source.find(jwk.kid, 3000))).toBe('signature_agent_not_in_brand_json')
  })

  it('one broken key server does not lock out the other agents', async () => {
    const { server, source } = keyServer()
    server.answer = () => ({ status: 500, body: Buffer.alloc(0) })
    const keys = keysOfAgents([source, registeredKeys('https://b.example.com', [{ ...jwk, kid: 'b' }])])
    expect((await keys.find('b', 1000))?.agentUrl).toBe('https://b.example.com')
    expect(await faultOf(keys.find(jwk.kid, 1000))).toBe('signature_jwks_unavailable')
  })

  it('a slow key server delays nobody whose key is in memory', async () => {
    const slow = remoteKeys(
      'https://slow.example.com',
      async () => JWKS_URI,
      () => new Promise(() => {}),
    )
    const keys = keysOfAgents([slow, registeredKeys('https://b.example.com', [{ ...jwk, kid: 'b' }])])
    expect((await keys.find('b', 1000))?.agentUrl).toBe('https://b.example.com')
  })
})
