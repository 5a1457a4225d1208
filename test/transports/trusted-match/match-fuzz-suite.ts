import { get } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { matchSchemas } from '../../../src/protocol/match-schemas.ts'
import { pick } from '../../../tools/fuzz/mutations.ts'
import { seededChance } from '../../support/match-attack/page-views.ts'
import { type MatchProvider, offers, startMatchProvider } from '../../support/match-provider.ts'
import {
  contextRequest,
  identityRequest,
  registered,
  SELLER,
  startTestRouter,
  type TestRouter,
} from '../../support/match-router.ts'
import { type ReferenceProvider, sha256, startReferenceProvider } from '../../support/trusted-match-provider.ts'
import { hostileMessages } from './match-fuzz.ts'

const schemas = matchSchemas()
const validError = schemas.validator('trusted-match/error.json')
const PATHS = {
  '/context': { plain: contextRequest(), name: 'context' },
  '/identity': { plain: identityRequest({ consent: { gdpr: false } }), name: 'identity' },
} as const
type Path = keyof typeof PATHS
const paths: readonly Path[] = ['/context', '/identity']

interface Answer {
  readonly status: number
  readonly type: string
  readonly value: unknown
}

/** What is wrong with an answer; undefined for one that follows the schemas or refuses with the status of a malformed request. */
function faultOf({ status, type, value }: Answer, validate: (value: unknown) => readonly unknown[], refusals: readonly number[]) {
  if (refusals.includes(status)) return type.startsWith('text/plain') ? undefined : `a refusal of type ${type}`
  if (status !== 200) return `status ${status}`
  const isError = typeof value === 'object' && value !== null && 'code' in value
  if (isError && !['invalid_request', 'unknown_package'].includes(String(value.code))) return `the error ${value.code}`
  const issues = isError ? validError(value) : validate(value)
  return issues.length === 0 ? undefined : JSON.stringify(issues[0])
}

const AVAILABLE = { package_id: 'p', media_buy_id: 'mb', seller_agent: { agent_url: SELLER } }
const answerTo = (path: Path): object => ({
  type: `${PATHS[path].name}_match_response`,
  status: 'completed',
  request_id: PATHS[path].plain.request_id,
  ...(path === '/context'
    ? { offers: [{ package_id: 'p1' }, { package_id: '__proto__' }] }
    : { eligible_package_ids: ['p1', '__proto__'], serve_window_sec: 60 }),
})

const shortened = (text: string) => (text.length > 500 ? `${text.slice(0, 500)}… (${text.length})` : text)

/** Values of members of an address; percent signs in them are as they are sent. */
const QUERY_VALUES = [
  'any',
  'fans',
  encodeURIComponent(SELLER),
  '__proto__',
  'constructor',
  '',
  '%7BTMPX%7D',
  'k1.AAAA',
  `k1.${'A'.repeat(1_100)}`,
  'x'.repeat(6_000),
  '%00',
  '%',
  '%E0%A4%A',
  '%F0%9F%92%A9'.repeat(60),
  "'%20OR%201=1--",
  '..%2f..%2fetc%2fpasswd',
  '0',
]
const QUERY_NAMES = ['package_id', 'seller', 'tmpx', 'imp_id', 'package_id', '__proto__', 'x'.repeat(300), '']

/** A query of an impression: half of them name a package of a seller, with more after it. */
function hostileQuery(chance: () => number): string {
  const known = chance() < 0.5 ? [`package_id=any`, `seller=${encodeURIComponent(SELLER)}`] : []
  const more = Array.from(
    { length: Math.floor(chance() * 5) },
    () => `${pick(QUERY_NAMES, chance)}=${pick(QUERY_VALUES, chance)}`,
  )
  return [...known, ...more].join('&')
}

/** A `GET` of an address as it is written: `fetch` would mend it. */
function read(address: string): Promise<{ readonly status: number; readonly type: string }> {
  const [, origin = '', path = ''] = /^(https?:\/\/[^/]+)(.*)$/.exec(address) ?? []
  return new Promise((resolve, reject) => {
    const asking = get(origin, { path, signal: AbortSignal.timeout(60_000) }, (answer) => {
      answer.resume().on('end', () => {
        resolve({ status: answer.statusCode ?? 0, type: answer.headers['content-type'] ?? '' })
      })
    })
    asking.on('error', reject)
  })
}

/**
 * Tests that send `count` generated messages to each address of a router and a provider, and as many answers of providers to a router: every reply follows the
 * schemas or refuses with the status of a malformed request, and both answer as before afterwards. The same `seed` gives the same messages.
 */
export function fuzzTrustedMatch({ count, seed }: { readonly count: number; readonly seed: number }): void {
  const timeout = 60_000 + 100 * count
  /** Made before anything is started: a server whose process is busy for seconds closes the connections of its clients. */
  const texts = {
    requests: { '/context': [''], '/identity': [''] },
    answers: { '/context': [''], '/identity': [''] },
    packages: [''],
  }
  beforeAll(() => {
    const made = (schema: string, plain: object) => [
      ...hostileMessages(`trusted-match/${schema}.json`, { plain, count: count, seed }),
    ]
    for (const path of paths) {
      const { name, plain } = PATHS[path]
      texts.requests[path] = made(`${name}-match-request`, plain)
      texts.answers[path] = made(`provider-${name}-match-response`, answerTo(path))
    }
    texts.packages = made('available-package', AVAILABLE)
  }, timeout)

  describe('a router of Trusted Match, whatever it is sent', () => {
    let provider: MatchProvider
    let router: TestRouter

    beforeAll(async () => {
      provider = await startMatchProvider(offers('p1'))
      router = await startTestRouter([registered('one', provider)])
    })
    afterAll(async () => {
      await router?.stop()
      await provider?.stop()
    })

    it.each(paths)('%s: answers by the schemas or refuses, and sends nothing else to providers', { timeout }, async (path) => {
      const { name, plain } = PATHS[path]
      const answered = schemas.validator(`trusted-match/${name}-match-response.json`)
      const forwarded = schemas.validator(`trusted-match/${name}-match-request.json`)
      provider.received.length = 0
      provider.behave = offers('p1')
      const faults: string[] = []
      const tally = { matched: 0, error: 0, refused: 0 }
      for (const text of texts.requests[path]) {
        const { status, headers, value } = await router.post(path, text)
        const type = headers.get('content-type') ?? ''
        const fault = faultOf({ status, type, value }, answered, [400])
        if (fault !== undefined) faults.push(`${fault} for ${shortened(text)}`)
        tally[status !== 200 ? 'refused' : value.type === 'error' ? 'error' : 'matched'] += 1
      }
      expect(faults).toEqual([])
      // Each kind was reached.
      expect(Math.min(...Object.values(tally)), JSON.stringify(tally)).toBeGreaterThan(count / 50)
      expect(provider.received.length).toBeGreaterThan(count / 50)
      const broken = provider.received.filter(({ body }) => forwarded(body).length > 0)
      expect(broken.map(({ body }) => shortened(JSON.stringify(body)))).toEqual([])
      expect((await router.post(path, plain)).value.type).toBe(`${name}_match_response`)
      expect(Object.keys(Object.prototype)).toEqual([])
      expect(router.lines.filter((line) => line.includes('could not be answered'))).toEqual([])
    })

    it.each(paths)('%s: answers by the schemas when providers do not', { timeout }, async (path) => {
      const { name, plain } = PATHS[path]
      const answered = schemas.validator(`trusted-match/${name}-match-response.json`)
      const chance = seededChance(seed)
      let current = ''
      provider.behave = (_received, response) => {
        response.setHeader('content-type', 'application/json')
        response.statusCode = chance() < 0.95 ? 200 : 500
        response.end(current)
        return undefined
      }
      const faults: string[] = []
      for (const text of texts.answers[path]) {
        current = text
        const { status, headers, value } = await router.post(path, plain)
        const fault = faultOf({ status, type: headers.get('content-type') ?? '', value }, answered, [])
        if (fault !== undefined) faults.push(`${fault} for ${shortened(text)}`)
      }
      expect(faults).toEqual([])
      expect(Object.keys(Object.prototype)).toEqual([])
      provider.behave = offers('p1')
      expect((await router.post(path, plain)).value.type).toBe(`${name}_match_response`)
    })
  })

  describe('a provider of Trusted Match, whatever it is sent', () => {
    let provider: ReferenceProvider

    beforeAll(async () => {
      provider = await startReferenceProvider({
        sellers: [{ agentUrl: SELLER, keys: [{ sha256: sha256('sync-key') }] }],
        packages: [
          { packageId: 'any', sellerAgentUrl: SELLER, mediaBuyId: 'mb' },
          {
            packageId: 'fans',
            sellerAgentUrl: SELLER,
            mediaBuyId: 'mb',
            user: { audiences: ['fans'], capLabels: ['campaign:1'] },
          },
        ],
        audiences: [{ id: 'fans', members: ['uid2:tok_1'] }],
        caps: [{ label: 'campaign:1', most: 5, window: { interval: 1, unit: 'days' } }],
      })
    })
    afterAll(() => provider?.stop())

    /** The signature of a text; of the plain message for a text that cannot be signed. */
    const signed = (path: Path, text: string) => {
      try {
        return provider.signatureOf(path, JSON.parse(text))
      } catch {
        return provider.signatureOf(path, PATHS[path].plain)
      }
    }
    const send = async (path: string, body: string, headers: Readonly<Record<string, string>>): Promise<Answer> => {
      const answer = await provider.call(provider.origin + path, { method: 'POST', headers, body })
      return { status: answer.status, type: answer.headers.get('content-type') ?? '', value: answer.value }
    }

    it.each(paths)('%s: answers by the schemas or refuses', { timeout }, async (path) => {
      const { name, plain } = PATHS[path]
      const answered = schemas.validator(`trusted-match/provider-${name}-match-response.json`)
      const faults: string[] = []
      let matched = 0
      for (const text of texts.requests[path]) {
        const answer = await send(path, text, signed(path, text))
        const fault = faultOf(answer, answered, [400, 401])
        if (fault !== undefined) faults.push(`${fault} for ${shortened(text)}`)
        if (answered(answer.value).length === 0) matched += 1
      }
      expect(faults).toEqual([])
      expect(matched).toBeGreaterThan(count / 50)
      expect(answered((await provider.ask(path, plain)).value)).toEqual([])
      expect(Object.keys(Object.prototype)).toEqual([])
      expect(provider.lines.filter((line) => line.includes('"level":50'))).toEqual([])
    })

    it('/impression: shows the pixel or refuses', { timeout }, async () => {
      const chance = seededChance(seed)
      const faults: string[] = []
      const tally = { shown: 0, refused: 0 }
      for (let index = 0; index < count; index += 1) {
        const query = hostileQuery(chance)
        const { status, type } = await read(`${provider.origin}/impression?${query}`)
        // 431: a request line of more than 16 kB is refused by Node's HTTP server (RFC 6585 §5).
        if (status === 431) continue
        if (status === 200 ? type !== 'image/gif' : status !== 400 || !type.startsWith('text/plain'))
          faults.push(`status ${status}, ${type} for ${shortened(query)}`)
        tally[status === 200 ? 'shown' : 'refused'] += 1
      }
      expect(faults).toEqual([])
      expect(Math.min(...Object.values(tally)), JSON.stringify(tally)).toBeGreaterThan(count / 50)
      expect(provider.lines.filter((line) => line.includes('"level":50'))).toEqual([])
      // Nothing of it was counted for a user.
      expect(await provider.store.read.selectFrom('match_exposures').selectAll().execute()).toEqual([])
    })

    it('/packages: takes a sync or refuses it', { timeout }, async () => {
      const faults: string[] = []
      const tally = { taken: 0, refused: 0 }
      for (const text of texts.packages) {
        const { status, type } = await send('/packages', `{"packages":[${text}]}`, { authorization: 'Bearer sync-key' })
        if (status !== 200 && (status !== 400 || !type.startsWith('text/plain')))
          faults.push(`status ${status} for ${shortened(text)}`)
        tally[status === 200 ? 'taken' : 'refused'] += 1
      }
      expect(faults).toEqual([])
      expect(Math.min(...Object.values(tally)), JSON.stringify(tally)).toBeGreaterThan(count / 100)
    })
  })
}
