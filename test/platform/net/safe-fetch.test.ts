import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  ADS_TXT_POLICY,
  AUTHORITATIVE_POLICY,
  type FetchPolicy,
  WELL_KNOWN_POLICY,
} from '../../../src/platform/net/fetch-policy.ts'
import { createSafeFetch } from '../../../src/platform/net/safe-fetch.ts'
import { type FakeWeb, json, redirect, startFakeWeb, status, wellKnown } from '../../support/fake-web/fake-web.ts'
import { REDIRECT_CASES } from './redirect-cases.ts'

let web: FakeWeb
beforeAll(async () => {
  web = await startFakeWeb()
})
afterAll(() => web.close())
beforeEach(() => web.forgetRequests())

const FILE = { authorized_agents: [] }
const outcome = (url: string, policy: FetchPolicy = WELL_KNOWN_POLICY, options = {}) =>
  web
    .fetch(options)(url, { policy })
    .then(
      (answer) => String(answer.status),
      (error: { code: string }) => error.code,
    )

describe('redirects: the official vectors', () => {
  it.each(REDIRECT_CASES)('%s', async (_id, target, origin, hops, expected) => {
    const urlOf = (host: string) => (host.includes('://') ? `${host}/.well-known/adagents.json` : wellKnown(host))
    const chain = [origin, ...hops].map(urlOf)
    for (const [index, url] of chain.entries()) {
      const next = chain[index + 1]
      web.put(url, next === undefined ? FILE : redirect(next, index % 2 === 0 ? 301 : 302))
    }
    const policy = target === 'well_known' ? WELL_KNOWN_POLICY : AUTHORITATIVE_POLICY
    expect(await outcome(wellKnown(origin), policy)).toBe(expected === 'resolved' ? '200' : expected)
    // The target of a refused redirect is never dialled.
    expect(web.requests).toEqual(expected === 'resolved' ? chain : chain.slice(0, -1))
    for (const url of chain) web.remove(url)
  })

  it('refuses user information in a redirect and follows a relative one', async () => {
    web.put(wellKnown('a.example'), redirect('https://u:p@a.example/x'))
    web.put(wellKnown('b.example'), redirect('/moved'))
    web.put('https://b.example/moved', FILE)
    expect(await outcome(wellKnown('a.example'))).toBe('invalid_url')
    expect(await outcome(wellKnown('b.example'))).toBe('200')
  })

  it('counts the redirects, and the cookies that all answers set', async () => {
    web.put(wellKnown('c.example'), status(302, '', { location: '/moved', 'set-cookie': 'a=1' }))
    web.put('https://c.example/moved', json(FILE, { 'set-cookie': 'b=2' }))
    const answer = await web.fetch()(wellKnown('c.example'), { policy: WELL_KNOWN_POLICY })
    expect([answer.redirects, answer.cookies]).toEqual([1, 2])
  })

  it('lets ads.txt move to any domain, five times at most', async () => {
    for (let hop = 0; hop < 6; hop += 1)
      web.put(`https://h${hop}.example/ads.txt`, redirect(`https://h${hop + 1}.example/ads.txt`))
    web.put('https://h6.example/ads.txt', 'MANAGERDOMAIN=m.example')
    expect(await outcome('https://h1.example/ads.txt', ADS_TXT_POLICY)).toBe('200')
    expect(await outcome('https://h0.example/ads.txt', ADS_TXT_POLICY)).toBe('too_many_redirects')
  })
})

describe('where a fetch may go', () => {
  const strict = (addresses: readonly string[]) => ({
    development: undefined,
    mode: 'production' as const,
    lookup: async () => addresses,
  })

  it.each(['127.0.0.1', '10.1.2.3', '169.254.169.254', '::1', '::ffff:127.0.0.1', 'fd00:ec2::254', '64:ff9b::a00:1'])(
    'refuses a name that resolves to %s',
    async (address) =>
      expect(await outcome('https://pub.example/', WELL_KNOWN_POLICY, strict([address]))).toBe('reserved_address'),
  )

  it('refuses a name when only one of its addresses is reserved', async () => {
    expect(await outcome('https://pub.example/', WELL_KNOWN_POLICY, strict(['93.184.216.34', '10.0.0.1']))).toBe(
      'reserved_address',
    )
  })

  it.each([
    'https://127.0.0.1/',
    'https://127.0.0.1./',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://[::1]/',
    'https://[::ffff:7f00:1]/',
    'https://localhost/',
    'https://localhost./',
    'https://a.localhost/',
    'https://printer.local./',
    'https://metadata.google.internal./',
  ])('refuses the literal or name %s without a look-up', async (url) => {
    const lookup = () => Promise.reject(new Error('asked'))
    expect(await outcome(url, WELL_KNOWN_POLICY, { ...strict([]), lookup })).toBe('reserved_address')
  })

  it('connects to the address it has checked: one look-up, no second answer', async () => {
    web.put(wellKnown('pinned.example'), FILE)
    const answers = [['127.0.0.1'], ['10.0.0.1']]
    let asked = 0
    const lookup = async () => answers[asked++] ?? []
    expect(await outcome(wellKnown('pinned.example'), WELL_KNOWN_POLICY, { lookup })).toBe('200')
    expect(asked).toBe(1)
  })

  it('re-checks every hop of a redirect', async () => {
    web.put(wellKnown('hop.example'), redirect(wellKnown('inner.hop.example')))
    const lookup = async (host: string) => [host === 'hop.example' ? '127.0.0.1' : '10.0.0.1']
    expect(await outcome(wellKnown('hop.example'), WELL_KNOWN_POLICY, { lookup })).toBe('reserved_address')
  })

  it('the development switch opens loopback and nothing else, and never in production mode', async () => {
    expect(await outcome('https://pub.example/', WELL_KNOWN_POLICY, { lookup: async () => ['10.0.0.1'] })).toBe(
      'reserved_address',
    )
    expect(() => createSafeFetch({ userAgent: 't', mode: 'production', development: {} })).toThrow(/production/)
  })

  it.each(['http://pub.example/', 'ftp://pub.example/', 'nonsense', 'https://u@pub.example/'])('refuses %s', async (url) => {
    expect(['not_https', 'invalid_url']).toContain(await outcome(url))
  })

  it('does not accept a certificate of somebody else', async () => {
    web.put(wellKnown('pub.example'), FILE)
    expect(await outcome(wellKnown('pub.example'), WELL_KNOWN_POLICY, { ca: undefined })).toBe('tls')
    const withoutRoot: object = { ca: undefined }
    await expect(web.fetch(withoutRoot)(wellKnown('pub.example'), { policy: WELL_KNOWN_POLICY })).rejects.toThrow(
      'the TLS handshake failed: no trusted root has signed the certificate',
    )
  })
})

describe('what a fetch may cost', () => {
  const small = { ...WELL_KNOWN_POLICY, maxBytes: 2_000 }
  const url = wellKnown('cost.example')

  it('counts bytes after decompression: a gzip bomb stops at the cap', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000, ' '))
    web.put(
      url,
      (_request, response) =>
        void response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(bomb),
    )
    const before = process.memoryUsage().arrayBuffers
    expect(await outcome(url, small)).toBe('too_large')
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000)
  })

  it('reads gzip within the cap', async () => {
    const body = gzipSync(JSON.stringify(FILE))
    web.put(
      url,
      (_request, response) =>
        void response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-encoding': 'gzip' }).end(body),
    )
    const answer = await web.fetch()(url, { policy: small })
    expect(JSON.parse(answer.body.toString())).toEqual(FILE)
  })

  it('refuses an endless plain body, broken gzip, stacked codings', async () => {
    const page = (body: Buffer, encoding: string) => (_request: unknown, response: import('node:http').ServerResponse) =>
      void response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding }).end(body)
    web.put(url, page(Buffer.alloc(3_000), 'identity'))
    expect(await outcome(url, small)).toBe('too_large')
    web.put(url, page(Buffer.from('no gzip at all'), 'gzip'))
    expect(await outcome(url, small)).toBe('bad_encoding')
    web.put(url, page(gzipSync(gzipSync('{}')), 'gzip, gzip'))
    expect(await outcome(url, small)).toBe('bad_encoding')
  })

  it('gives up on silence and on a body that drips', async () => {
    web.put(url, () => undefined)
    expect(await outcome(url, { ...small, readMs: 300 })).toBe('timeout')
    web.put(url, (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const drip = setInterval(() => response.write(' '), 50)
      response.on('close', () => clearInterval(drip))
    })
    // Bytes keep coming; they would take longer than any test to come to the cap.
    expect(await outcome(url, { ...WELL_KNOWN_POLICY, totalMs: 700 })).toBe('timeout')
  })

  it.each(['text/html', 'application/octet-stream', 'application/jsonp', ''])('refuses a 200 of type %j', async (type) => {
    web.put(url, status(200, '{}', type === '' ? {} : { 'content-type': type }))
    expect(await outcome(url)).toBe('wrong_content_type')
    const sent = type === '' ? 'there is none' : `it is ${type}`
    await expect(web.fetch()(url, { policy: WELL_KNOWN_POLICY })).rejects.toThrow(
      `the content type is not application/json (${sent})`,
    )
  })

  it('gives the page of an error, cut at 64 KiB', async () => {
    web.put(url, status(404, 'x'.repeat(200_000)))
    const answer = await web.fetch()(url, { policy: WELL_KNOWN_POLICY })
    expect(answer.status).toBe(404)
    expect(answer.body.length).toBeLessThanOrEqual(65_536)
  })
})

describe('conditional GET and politeness', () => {
  it('sends the validators and passes a 304 on', async () => {
    web.put(wellKnown('etag.example'), json(FILE))
    const first = await web.fetch()(wellKnown('etag.example'), { policy: WELL_KNOWN_POLICY })
    const second = await web.fetch()(wellKnown('etag.example'), { policy: WELL_KNOWN_POLICY, etag: first.etag })
    expect([first.status, second.status, second.body.length]).toEqual([200, 304, 0])
    let since: string | undefined
    web.put(wellKnown('date.example'), (request, response) => {
      since = request.headers['if-modified-since']
      response.writeHead(304).end()
    })
    await web.fetch()(wellKnown('date.example'), { policy: WELL_KNOWN_POLICY, lastModified: 'Sun, 01 Mar 2026 00:00:00 GMT' })
    expect(since).toBe('Sun, 01 Mar 2026 00:00:00 GMT')
  })

  const many = { perHost: 8, perDomain: 8, perAddress: 8, spacingMs: 0 }
  it.each([
    ['host', 'perHost', (index: number) => `https://polite.example/${index}`],
    ['registrable domain', 'perDomain', (index: number) => `https://host-${index}.polite.example/`],
    ['address', 'perAddress', (index: number) => `https://polite-${index}.example/`],
  ])('asks one %s for few things at a time', async (_what, limit, urlOf) => {
    let most = 0
    const running: (() => void)[] = []
    // Two are answered together, and a little later, so that a third would be seen.
    web.fallback(() => (_request, response) => {
      running.push(() => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'))
      most = Math.max(most, running.length)
      if (running.length === 2) {
        setTimeout(() => {
          for (const answer of running.splice(0)) answer()
        }, 50)
      }
    })
    const fetch = web.fetch({ politeness: { ...many, [limit]: 2 } })
    await Promise.all(Array.from({ length: 6 }, (_, index) => fetch(urlOf(index), { policy: WELL_KNOWN_POLICY })))
    expect(most).toBe(2)
  })

  it('takes two tenants of one hosting suffix for two domains', async () => {
    const waiting: (() => void)[] = []
    // Each is answered only when both have asked.
    web.fallback(() => (_request, response) => {
      waiting.push(() => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'))
      if (waiting.length === 2) for (const answer of waiting) answer()
    })
    const fetch = web.fetch({ politeness: { ...many, perDomain: 1 } })
    const ask = (host: string) => fetch(wellKnown(host), { policy: WELL_KNOWN_POLICY })
    const answers = await Promise.all([ask('one.github.io'), ask('two.github.io')])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
  })

  it('gives the place at an address back after a handshake that failed', async () => {
    web.fallback(() => FILE)
    // Trusts the roots of the runtime only, and so none of this web's certificates.
    const strangers = createSafeFetch({
      userAgent: 'directory-test/1',
      mode: 'development',
      development: { port: web.port },
      lookup: async () => ['127.0.0.1'],
      politeness: { ...many, perAddress: 1 },
    })
    const ask = (host: string) => strangers(wellKnown(host), { policy: WELL_KNOWN_POLICY }).catch(({ code }) => code)
    expect(await Promise.all([ask('one.example'), ask('two.example'), ask('three.example')])).toEqual(['tls', 'tls', 'tls'])
  })
})
