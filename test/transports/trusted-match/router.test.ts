import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { contextSignatureBase } from '../../../src/domain/trusted-match/context/context-signature-base.ts'
import { acceptedEpochs } from '../../../src/domain/trusted-match/daily-epoch.ts'
import { identitySignatureBase } from '../../../src/domain/trusted-match/identity/identity-signature-base.ts'
import { matchSchemas } from '../../../src/protocol/match-schemas.ts'
import { signedEpoch } from '../../../src/security/signing/trusted-match-signature.ts'
import { type MatchProvider, offers, startMatchProvider } from '../../support/match-provider.ts'
import { contextRequest, identityRequest, KEY, registered, startTestRouter, type TestRouter } from '../../support/match-router.ts'

const schemas = matchSchemas()
const validContext = schemas.validator('trusted-match/context-match-response.json')
const validIdentity = schemas.validator('trusted-match/identity-match-response.json')
const validError = schemas.validator('trusted-match/error.json')

const IDENTITY_ANSWER = {
  status: 'completed',
  type: 'identity_match_response',
  request_id: 'id-secret',
  eligible_package_ids: [],
  serve_window_sec: 60,
}

describe('a router of Trusted Match', () => {
  let first: MatchProvider
  let second: MatchProvider
  let router: TestRouter

  beforeAll(async () => {
    first = await startMatchProvider(offers())
    second = await startMatchProvider(offers())
    router = await startTestRouter([
      registered('first', first, { tmpx_slots: ['one'] }),
      registered('second', second, { uid_types: ['id5'], priority: 1 }),
    ])
  })
  beforeEach(() => {
    for (const provider of [first, second]) provider.received.length = 0
    first.behave = offers('p1', 'both')
    second.behave = offers('p2', 'both')
  })
  afterAll(async () => {
    await router?.stop()
    await first?.stop()
    await second?.stop()
  })
  const received = () => first.received.length + second.received.length

  it('asks every provider over HTTP/2 and merges their offers', async () => {
    const { status, value } = await router.post('/context', contextRequest())
    expect(status).toBe(200)
    expect(validContext(value)).toEqual([])
    expect(value.offers.map(({ package_id }: { package_id: string }) => package_id).sort()).toEqual(['both', 'p1', 'p2'])
    expect(first.received).toMatchObject([{ path: '/v1/context', httpVersion: '2.0', body: contextRequest() }])
  })

  it('sends each provider only the tokens that it registered, and no country', async () => {
    const identities = [
      { user_token: 'u', uid_type: 'uid2' },
      { user_token: 'i', uid_type: 'id5' },
      { user_token: 'e', uid_type: 'euid' },
    ]
    const { value } = await router.post('/identity', identityRequest({ identities }))
    expect(validIdentity(value)).toEqual([])
    expect([...value.eligible_package_ids].sort()).toEqual(['both', 'p1', 'p2'])
    const { country, ...rest } = identityRequest()
    expect(first.received[0]?.body).toEqual({ ...rest, identities: [identities[0]] })
    expect(second.received[0]?.body).toEqual({ ...rest, identities: [identities[1]] })
    expect(country).toBe('US')
  })

  it('skips a provider that none of the tokens is for', async () => {
    await router.post('/identity', identityRequest())
    expect([first.received.length, second.received.length]).toEqual([1, 0])
  })

  it('signs each request for its provider, with a key that it publishes', async () => {
    await router.post('/context', contextRequest())
    await router.post('/identity', identityRequest())
    const { keys } = JSON.parse(await (await fetch(`${router.origin}/.well-known/agent-signing-key.json`)).text())
    const epochs = acceptedEpochs(new Date())
    for (const { path, headers, body } of first.received) {
      const baseOf = (endpoint: string) => (epoch: number) =>
        path.endsWith('/context') ? contextSignatureBase(body, endpoint, epoch) : identitySignatureBase(body, endpoint, epoch)
      const signature = String(headers['x-adcp-signature'])
      expect(headers['x-adcp-key-id']).toBe('today')
      expect(signedEpoch(keys[0], signature, epochs, baseOf(first.endpoint))).toBeDefined()
      expect(signedEpoch(keys[0], signature, epochs, baseOf(second.endpoint))).toBeUndefined()
      const revoked = { ...keys[0], revoked_at: new Date().toISOString() }
      expect(signedEpoch(revoked, signature, [epochs[0]], baseOf(first.endpoint))).toBeUndefined()
    }
    expect(first.received).toHaveLength(2)
  })

  describe('authenticates publishers before anything is sent', () => {
    it.each([
      ['no key', {}],
      ['a key that nobody has', { authorization: 'Bearer guessed' }],
      ['another scheme', { authorization: 'Basic cHVibGlzaGVyLWtleQ==' }],
      ['a key for pages from a server', { authorization: 'Bearer page-key' }],
      ['a key for pages from another page', { authorization: 'Bearer page-key', origin: 'https://evil.example' }],
    ])('%s: 401', async (_name, headers) => {
      for (const [path, body] of [
        ['/context', contextRequest()],
        ['/identity', identityRequest()],
      ] as const) {
        const { status, headers: answered } = await router.post(path, body, headers)
        expect(status).toBe(401)
        expect(answered.get('www-authenticate')).toMatch(/^Bearer /)
      }
      expect(received()).toBe(0)
    })

    it('a page of the publisher may ask, and browsers are told so', async () => {
      const headers = { authorization: 'Bearer page-key', origin: 'https://news.example' }
      const { value, headers: answered } = await router.post('/context', contextRequest(), headers)
      expect(value.type).toBe('context_match_response')
      expect(answered.get('access-control-allow-origin')).toBe('https://news.example')
    })

    it.each([
      ['the property of another publisher', '/context', contextRequest(), { authorization: 'Bearer other-key' }],
      ['a seller agent of another publisher', '/identity', identityRequest(), { authorization: 'Bearer other-key' }],
    ])('%s: invalid_request', async (_name, path, body, headers) => {
      const { status, value } = await router.post(path, body, headers)
      expect(status).toBe(200)
      expect(validError(value)).toEqual([])
      expect(value.code).toBe('invalid_request')
      expect(received()).toBe(0)
    })
  })

  it.each([
    ['no JSON', '/context', '{'],
    ['a member twice', '/context', JSON.stringify(contextRequest()).replace('{', '{"type":"context_match_request",')],
    ['a list', '/identity', []],
    ['no type', '/context', contextRequest({ type: undefined })],
    ['the type of a user for a context', '/context', identityRequest()],
    ['the type of a context for a user', '/identity', contextRequest()],
    ['no request_id', '/identity', identityRequest({ request_id: undefined })],
    ['a body that is too large', '/identity', identityRequest({ package_ids: ['x'.repeat(300_000)] })],
  ])('%s: 400', async (_name, path, body) => {
    expect((await router.post(path, body)).status).toBe(400)
    expect(received()).toBe(0)
  })

  it.each([
    ['a user in a context', '/context', contextRequest({ identities: [{ user_token: 't', uid_type: 'uid2' }] })],
    ['ext in a context', '/context', contextRequest({ ext: { user: 't' } })],
    ['a page in an identity', '/identity', identityRequest({ placement_id: 'sidebar' })],
    ['no identities', '/identity', identityRequest({ identities: [] })],
    [
      'four identities',
      '/identity',
      identityRequest({ identities: [1, 2, 3, 4].map((n) => ({ user_token: `${n}`, uid_type: 'uid2' })) }),
    ],
    ['no consent where it is required', '/identity', identityRequest({ country: 'DE' })],
    ['a TC string that cannot be read', '/identity', identityRequest({ country: 'DE', consent: { tcf_consent: 'CPx' } })],
    ['no consent in an overseas part of the Union', '/identity', identityRequest({ country: 'GF' })],
    ['no consent in Guernsey', '/identity', identityRequest({ country: 'GG' })],
    ['a line break in a placement', '/context', contextRequest({ placement_id: 'a\nb' })],
  ])('%s: invalid_request, and nothing is sent', async (_name, path, body) => {
    const { status, value } = await router.post(path, body)
    expect(status).toBe(200)
    expect(validError(value)).toEqual([])
    expect(value).toMatchObject({ type: 'error', code: 'invalid_request' })
    expect(received()).toBe(0)
  })

  it.each<[string, object, object?]>([
    ['opted out of sale', { us_privacy: '1YYN' }],
    ['opted out in a section of a GPP string', { gpp: 'DBABLA~CEAQAAAAAABA.QA' }],
    ['consented to no purpose of a match', { gdpr: true, tcf_consent: 'CQdWToAQdWToAAKAAAENAAFgAEAAAAAAAAAAAAAAAAAA' }],
    [
      'consented to none of them outside Europe',
      { tcf_consent: 'CQdWToAQdWToAAKAAAENAAFgAEAAAAAAAAAAAAAAAAAA' },
      { country: 'US' },
    ],
  ])('a user who %s: nothing is eligible, and nothing is sent', async (_name, consent, more = {}) => {
    const { status, value } = await router.post('/identity', identityRequest({ consent, ...more }))
    expect(status).toBe(200)
    expect(validIdentity(value)).toEqual([])
    expect(value).toMatchObject({ type: 'identity_match_response', eligible_package_ids: [] })
    expect(received()).toBe(0)
  })

  it('a browser that sends Global Privacy Control: nothing is eligible, and nothing is sent', async () => {
    const consented = identityRequest({ consent: { gdpr: false } })
    const headers = { authorization: `Bearer ${KEY}`, 'sec-gpc': '1' }
    const { status, value } = await router.post('/identity', consented, headers)
    expect([status, validIdentity(value)]).toEqual([200, []])
    expect(value).toMatchObject({ eligible_package_ids: [] })
    expect(received()).toBe(0)
    await router.post('/identity', consented)
    expect(received()).toBeGreaterThan(0)
  })

  describe('leaves out a provider, and that one alone, which', () => {
    it.each([
      [
        'answers ten megabytes',
        (_: unknown, response: { end(text: string): unknown }) => void response.end(`"${'x'.repeat(10_000_000)}"`),
      ],
      ['answers no JSON', (_: unknown, response: { end(text: string): unknown }) => void response.end('<html>')],
      [
        'answers a member twice',
        (_: unknown, response: { end(text: string): unknown }) =>
          void response.end('{"type":"context_match_response","type":"x"}'),
      ],
      [
        'answers for another request',
        () => ({ type: 'context_match_response', status: 'completed', request_id: 'other', offers: [{ package_id: 'lie' }] }),
      ],
      ['reports an error', () => ({ type: 'error', request_id: 'ctx-1', code: 'internal_error' })],
      [
        'names buckets of others',
        () => ({
          type: 'context_match_response',
          status: 'completed',
          request_id: 'ctx-1',
          offers: [{ package_id: 'lie' }],
          signals_by_provider: {},
        }),
      ],
      [
        'sends ext',
        () => ({
          type: 'context_match_response',
          status: 'completed',
          request_id: 'ctx-1',
          offers: [{ package_id: 'lie' }],
          ext: {},
        }),
      ],
      [
        'redirects',
        (_: unknown, response: { writeHead(status: number, headers: object): unknown; end(): unknown }) => {
          response.writeHead(302, { location: second.endpoint })
          response.end()
          return undefined
        },
      ],
      [
        'fails and does not end its answer',
        (_: unknown, response: { writeHead(status: number): unknown; write(text: string): unknown }) => {
          response.writeHead(500)
          response.write('x')
          return undefined
        },
      ],
      ['hangs up', (_: unknown, response: { stream: { destroy(): unknown } }) => void response.stream.destroy()],
      ['never answers', () => undefined],
    ])('%s', async (_name, behave) => {
      first.behave = behave as MatchProvider['behave']
      const { value } = await router.post('/context', contextRequest())
      expect(validContext(value)).toEqual([])
      expect(value.offers.map(({ package_id }: { package_id: string }) => package_id)).toEqual(['p2', 'both'])
    })
  })

  it('passes exposure tokens on unchanged, in the slots that were registered alone', async () => {
    const token = (slot_id: string) => ({
      type: 'identity_match_response',
      status: 'completed',
      request_id: 'id-1',
      eligible_package_ids: ['p'],
      serve_window_sec: 30,
      tmpx_chunks: [{ slot_id, value: 'kid.abc' }],
    })
    first.behave = () => token('one')
    const good = await router.post('/identity', identityRequest())
    expect(good.value).toMatchObject({
      serve_window_sec: 30,
      tmpx_providers: { first: { chunks: [{ slot_id: 'one', value: 'kid.abc' }] } },
    })
    first.behave = () => token('unknown')
    const bad = await router.post('/identity', identityRequest())
    expect(bad.value.tmpx_providers).toBeUndefined()
    expect(bad.value.eligible_package_ids).toEqual(['p'])
  })

  it('drops the name of a seller that was not asked for', async () => {
    const offer = (agent_url: string) => ({ package_id: agent_url, seller_agent: { agent_url } })
    first.behave = ({ body }) => ({
      type: 'context_match_response',
      status: 'completed',
      request_id: body.request_id,
      offers: [offer('https://SELLER.example:443/mcp'), offer('https://thief.example/mcp')],
    })
    second.behave = offers()
    const { value } = await router.post('/context', contextRequest())
    expect(value.offers).toEqual([offer('https://SELLER.example:443/mcp'), { package_id: 'https://thief.example/mcp' }])
  })

  it('serves the script of pages', async () => {
    const answer = await fetch(`${router.origin}/tmp.js`)
    expect(answer.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(await answer.text()).toContain('window.adcpMatch')
  })

  it('writes nothing about a user to its log', async () => {
    const ask = () =>
      router.post(
        '/identity',
        identityRequest({ identities: [{ user_token: 'tok_secret', uid_type: 'uid2' }], request_id: 'id-secret' }),
      )
    for (const answer of [
      {},
      { type: 'error', code: 'tok_secret' },
      { ...IDENTITY_ANSWER, tmpx_chunks: [{ slot_id: 'a', value: 'b', tok_secret: 1 }] },
    ]) {
      first.behave = () => answer
      await ask()
      expect(router.lines.join('')).not.toContain('secret')
      // Why a provider fails is logged once: which one is asked about a user shows what tokens the user has.
      router.lines.length = 0
      await ask()
      expect(router.lines).toEqual([])
    }
  })
})

describe('a router', () => {
  it('repeats answers about a context as long as the provider lets it', async () => {
    const provider = await startMatchProvider(offers('p'))
    const router = await startTestRouter([registered('only', provider)], { contextCacheSeconds: 60 })
    try {
      await router.post('/context', contextRequest())
      const again = await router.post('/context', contextRequest({ request_id: 'ctx-2' }))
      expect(again.value).toMatchObject({ request_id: 'ctx-2', offers: [{ package_id: 'p' }] })
      expect(provider.received).toHaveLength(1)
      await router.post('/context', contextRequest({ context_signals: { topics: ['632'] } }))
      expect(provider.received).toHaveLength(2)
      provider.behave = (received, response) => ({ ...offers('p')(received, response), cache_ttl: 0 })
      await router.post('/context', contextRequest({ placement_id: 'a' }))
      await router.post('/context', contextRequest({ placement_id: 'a' }))
      expect(provider.received).toHaveLength(4)
      await router.post('/identity', identityRequest())
      await router.post('/identity', identityRequest({ request_id: 'id-2' }))
      expect(provider.received).toHaveLength(6)
    } finally {
      await router.stop()
      await provider.stop()
    }
  })

  it('waits for no provider beyond its deadline', async () => {
    const silent = await startMatchProvider(() => undefined)
    const good = await startMatchProvider(offers('p'))
    const router = await startTestRouter(
      [registered('silent', silent, { timeout_ms: 5000 }), registered('good', good, { timeout_ms: 5000 })],
      {
        deadlineMs: 2000,
      },
    )
    try {
      const { value } = await router.post('/context', contextRequest())
      expect(value.offers).toEqual([{ package_id: 'p' }])
    } finally {
      await router.stop()
      await silent.stop()
      await good.stop()
    }
  })

  it.each([
    ['http://provider.example/v1', false],
    ['https://127.0.0.1/v1', false],
    ['https://[::ffff:169.254.169.254]/v1', false],
    ['https://169.254.169.254/v1', true],
    ['https://10.0.0.1/v1', true],
    ['https://localhost/v1', false],
    ['https://user:password@provider.example/v1', false],
    ['ftp://provider.example/v1', true],
  ])('refuses to start with a provider at %s (development: %s)', async (endpoint, development) => {
    const starting = startTestRouter([registered('bad', { endpoint })], { development })
    await expect(starting.then((router) => router.stop())).rejects.toThrow(/providers: /)
  })

  it('refuses a registration that breaks the schema', async () => {
    const starting = startTestRouter([{ provider_id: 'bad-id', endpoint: 'https://provider.example', context_match: true }])
    await expect(starting.then((router) => router.stop())).rejects.toThrow(/providers: bad-id is refused: provider_id/)
  })

  it('counts by provider for contexts and without one for identities', async () => {
    const provider = await startMatchProvider(offers('p'))
    const router = await startTestRouter([registered('named', provider)], { metricsPort: 0 })
    try {
      await router.post('/context', contextRequest())
      await router.post('/identity', identityRequest())
      const text = await (await fetch(`http://127.0.0.1:${router.metricsPort}/metrics`)).text()
      expect(text).toContain('tmp_context_provider_duration_ms_count{provider="named"} 1')
      expect(text).toContain('tmp_identity_provider_duration_ms_count 1')
      expect(text).toContain('tmp_identity_match_duration_ms_count 1')
    } finally {
      await router.stop()
      await provider.stop()
    }
  })
})
