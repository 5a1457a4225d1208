import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { CompactSign } from 'jose'
import { describe, expect, it } from 'vitest'
import { resolvedKey } from '../../../src/security/signing/keys.ts'
import type { FetchDocument } from '../../../src/security/signing/remote-keys.ts'
import { allRevocations, operatorRevocations } from '../../../src/security/signing/revocation.ts'
import { publishedRevocations, readRevocationList } from '../../../src/security/signing/revocation-list.ts'
import { AGENT_URL } from '../../support/installed-vectors.ts'
import { publish, testAgent } from './harness.ts'

const ISSUER = 'https://buyer.example.com'
const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const governanceKey = publish(publicKey, 'gov', 'ed25519', 'governance-signing')
const key = resolvedKey(testAgent('ed25519').jwk, AGENT_URL)
const T0 = Date.parse('2026-04-18T14:00:00Z') / 1000

interface ListOptions {
  readonly updated?: number
  readonly interval?: number
  readonly kids?: string[]
  readonly issuer?: string
  readonly typ?: string
  readonly kid?: string
  readonly signWith?: KeyObject
}

function list({
  updated = T0,
  interval = 900,
  kids = [],
  issuer = ISSUER,
  typ,
  kid = 'gov',
  signWith = privateKey,
}: ListOptions = {}) {
  const iso = (seconds: number) => new Date(seconds * 1000).toISOString()
  const payload = {
    version: 1,
    issuer,
    updated: iso(updated),
    next_update: iso(updated + interval),
    revoked_kids: kids,
    revoked_jtis: [],
  }
  return new CompactSign(Buffer.from(JSON.stringify(payload)))
    .setProtectedHeader({ alg: 'EdDSA', kid, typ: typ ?? 'adcp-gov-revocation+jws' })
    .sign(signWith)
}

function publisher(first: () => Promise<string>) {
  const server = { fetches: 0, answer: first }
  const fetchDocument: FetchDocument = async () => {
    server.fetches++
    return { status: 200, body: Buffer.from(await server.answer()) }
  }
  const source = publishedRevocations(`${ISSUER}/list`, ISSUER, async () => [governanceKey], fetchDocument)
  return { server, source }
}

describe('readRevocationList', () => {
  it('reads a list signed by its issuer', async () => {
    const read = await readRevocationList(await list({ kids: ['k'] }), ISSUER, [governanceKey])
    expect(read).toEqual({
      issuer: ISSUER,
      updatedSeconds: T0,
      nextUpdateSeconds: T0 + 900,
      revokedKids: new Set(['k']),
      revokedJtis: new Set(),
    })
  })

  it.each([
    ['another type', { typ: 'JWT' }],
    ['another issuer', { issuer: 'https://evil.example.com' }],
    ['an unknown key', { kid: 'other' }],
    ['another key of the same name', { signWith: generateKeyPairSync('ed25519').privateKey }],
    ['no interval', { interval: 0 }],
  ] as [string, ListOptions][])('refuses %s', async (_name, options) => {
    await expect(readRevocationList(await list(options), ISSUER, [governanceKey])).rejects.toThrow(/list|typ|issuer|next_update/)
  })

  it('refuses a list signed with a request-signing key', async () => {
    const wrongUse = { ...governanceKey, adcp_use: 'request-signing' }
    await expect(readRevocationList(await list(), ISSUER, [wrongUse])).rejects.toThrow('governance key')
  })

  it('reads the JSON forms of a JWS too', async () => {
    const [header = '', payload = '', signature = ''] = (await list({ kids: ['k'] })).split('.')
    for (const form of [
      { payload, protected: header, signature },
      { payload, signatures: [{ protected: header, signature }] },
    ]) {
      const read = await readRevocationList(JSON.stringify(form), ISSUER, [governanceKey])
      expect(read.revokedKids).toEqual(new Set(['k']))
    }
    const two = {
      payload,
      signatures: [
        { protected: header, signature },
        { protected: header, signature },
      ],
    }
    await expect(readRevocationList(JSON.stringify(two), ISSUER, [governanceKey])).rejects.toThrow('verify')
  })

  it('refuses plain JSON', async () => {
    await expect(readRevocationList('{"revoked_kids":[]}', ISSUER, [governanceKey])).rejects.toThrow('verify')
  })
})

describe('publishedRevocations', () => {
  it('knows good from revoked, and polls when the next update is due', async () => {
    const { server, source } = publisher(() => list())
    expect(await source.status(key, T0)).toBe('good')
    server.answer = () => list({ updated: T0 + 900, kids: [key.jwk.kid] })
    expect(await source.status(key, T0 + 899)).toBe('good')
    expect(server.fetches).toBe(1)
    expect(await source.status(key, T0 + 900)).toBe('revoked')
    expect(server.fetches).toBe(2)
  })

  it('is stale four intervals after the missed update, and good again with a new list', async () => {
    const { server, source } = publisher(() => list())
    await source.status(key, T0)
    server.answer = async () => 'nothing'
    expect(await source.status(key, T0 + 900 + 4 * 900)).toBe('good')
    expect(await source.status(key, T0 + 900 + 4 * 900 + 1)).toBe('stale')
    server.answer = () => list({ updated: T0 + 4600 })
    expect(await source.status(key, T0 + 4700)).toBe('good')
  })

  it('is stale before any list was read, asking at most once a minute', async () => {
    const { server, source } = publisher(async () => 'nothing')
    for (let now = T0; now < T0 + 60; now += 10) expect(await source.status(key, now)).toBe('stale')
    expect(server.fetches).toBe(1)
  })

  it('an older list does not bring a revoked key back', async () => {
    const { server, source } = publisher(() => list({ updated: T0, kids: [key.jwk.kid] }))
    expect(await source.status(key, T0)).toBe('revoked')
    server.answer = () => list({ updated: T0 - 900 })
    expect(await source.status(key, T0 + 1000)).toBe('revoked')
    expect(server.fetches).toBe(2)
  })
})

describe('allRevocations', () => {
  it('revoked anywhere is revoked, stale anywhere is stale', async () => {
    const source = (status: 'good' | 'revoked' | 'stale') => ({ status: async () => status })
    const judge = (...all: ('good' | 'revoked' | 'stale')[]) => allRevocations(all.map(source)).status(key, T0)
    expect(await judge('good', 'good')).toBe('good')
    expect(await judge('good', 'stale')).toBe('stale')
    expect(await judge('stale', 'revoked')).toBe('revoked')
    expect(await judge()).toBe('good')
    expect(await operatorRevocations((keyid) => keyid === key.jwk.kid).status(key, T0)).toBe('revoked')
  })
})
