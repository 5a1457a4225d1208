import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createGzip } from 'node:zlib'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { identityProvider } from '../../../src/security/auth/identity-provider.ts'

let server: Server
let asked: string[]
let closed: Promise<void>[]
let answers: Record<string, (response: ServerResponse) => void>

/** Writes JSON that never ends, a few kilobytes of gzip for each megabyte, until the other side hangs up. */
function endless(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
  const gzip = createGzip()
  gzip.pipe(response)
  const write = () => {
    while (!response.destroyed && gzip.write(' '.repeat(1_000_000)));
    if (!response.destroyed) gzip.once('drain', write)
  }
  write()
}

beforeEach(async () => {
  asked = []
  closed = []
  server = createServer((request, response) => {
    asked.push(request.url ?? '')
    closed.push(new Promise((resolve) => response.once('close', resolve)))
    answers[request.url ?? '']?.(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterEach(() => new Promise((resolve) => server.close(resolve)))

const issuerOf = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const DISCOVERY = '/.well-known/openid-configuration'
const provider = () =>
  identityProvider({ issuer: issuerOf(), clientId: 'agent', clientSecret: 'secret', userClaim: 'sub' } as Parameters<
    typeof identityProvider
  >[0])

it('a discovery document without end is hung up on, and its provider is not asked again at once', async () => {
  answers = { [DISCOVERY]: endless }
  const asking = provider()
  const both = [asking.begin('https://seller.example/back'), asking.begin('https://seller.example/back')]
  for (const each of both) await expect(each).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  await Promise.all(closed)
  await expect(asking.begin('https://seller.example/back')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  expect(asked).toEqual([DISCOVERY])
})

/** A token of the provider whose signature nobody can check without its keys. */
function tokenOf(issuer: string, nonce: string): string {
  const now = Math.floor(Date.now() / 1000)
  const parts = [
    { alg: 'RS256', kid: 'k' },
    { iss: issuer, aud: 'agent', sub: 'somebody', exp: now + 60, iat: now, nonce },
  ]
  return [...parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')), 'c2ln'].join('.')
}

const keyed = (n: string) => JSON.stringify({ keys: [{ kty: 'RSA', kid: 'k', alg: 'RS256', use: 'sig', n, e: 'AQAB' }] })

it.each<[string, (response: ServerResponse) => void]>([
  ['is cut off', (response) => response.writeHead(200, { 'content-length': '1000' }).write('{}', () => response.destroy())],
  ['hangs up', (response) => void response.destroy()],
  ['is broken gzip', (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('xxxx')],
  ['is too large', (response) => response.end(' '.repeat(300_000))],
  ['is empty (204)', (response) => response.writeHead(204).end()],
  ['is an error (500)', (response) => response.writeHead(500).end('x')],
  ['leads elsewhere', (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
  ['is no JSON', (response) => response.end('no json')],
  ['is a list', (response) => response.end('[]')],
  ['nests 100,000 deep', (response) => response.end('['.repeat(100_000) + ']'.repeat(100_000))],
  ['has a key that is too short', (response) => response.end(keyed('AQAB'))],
  ['has a key of 1.2 million bits', (response) => response.end(keyed('A'.repeat(200_000)))],
])('a key set that %s says that the provider is away, not that this server is broken', async (_what, answer) => {
  const issuer = issuerOf()
  const addresses = { authorization_endpoint: `${issuer}/login`, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/keys` }
  let nonce = ''
  answers = {
    [DISCOVERY]: (response) => response.end(JSON.stringify({ issuer, ...addresses })),
    '/token': (response) => response.end(JSON.stringify({ id_token: tokenOf(issuer, nonce) })),
    '/keys': answer,
  }
  const asking = provider()
  const { login } = await asking.begin('https://seller.example/back')
  nonce = login.nonce
  const finished = asking.finish(new URLSearchParams({ code: 'c' }), login, 'https://seller.example/back')
  await expect(finished).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', http: { status: 503 } })
})

it('tokens and key sets without end are hung up on', async () => {
  const issuer = issuerOf()
  const addresses = { authorization_endpoint: `${issuer}/login`, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/keys` }
  answers = {
    [DISCOVERY]: (response) => response.end(JSON.stringify({ issuer, ...addresses })),
    '/token': endless,
    '/keys': endless,
  }
  const asking = provider()
  const { login } = await asking.begin('https://seller.example/back')
  const finish = () => asking.finish(new URLSearchParams({ code: 'x' }), login, 'https://seller.example/back')
  await expect(finish()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const idToken = `${part({ alg: 'ES256', kid: 'one' })}.${part({ sub: 'a' })}.${Buffer.alloc(64).toString('base64url')}`
  answers['/token'] = (response) => response.end(JSON.stringify({ id_token: idToken }))
  await expect(finish()).rejects.toThrow()
  await Promise.all(closed)
  expect(asked).toEqual([DISCOVERY, '/token', '/token', '/keys'])
})
