import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type AdPublisher, startAdPublisher } from '../../support/ad-publisher.ts'

/** The same requests in each run. */
const RUNS = { numRuns: 80, seed: 20_261_122 }

let publisher: AdPublisher
let token: string
beforeAll(async () => {
  publisher = await startAdPublisher()
  await publisher.sell('hostile-order', 'image')
  const { body } = await publisher.decide({ placements: [{ place: 'news_home_billboard', sizes: ['970x250'] }] })
  const url = body.placements[0]?.ad?.click_url
  if (url === undefined) throw new Error(`no ad: ${JSON.stringify(body)}`)
  token = new URL(url).searchParams.get('t') ?? ''
})
afterAll(() => publisher?.stop())

/** Members of a decision request with values of any kind, and others that nobody knows. */
const hostileBody = fc.oneof(
  fc.json(),
  fc.string({ maxLength: 300 }),
  fc
    .record(
      {
        placements: fc.oneof(
          fc.anything(),
          fc.array(fc.record({ place: fc.anything(), sizes: fc.anything() }, { requiredKeys: [] }), { maxLength: 30 }),
        ),
        consent: fc.anything(),
        key_values: fc.anything(),
        visitor_id: fc.anything(),
        page_url: fc.webUrl(),
      },
      { requiredKeys: [] },
    )
    .map((value) => JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? String(each) : each)) ?? ''),
)

it('the decision endpoint answers whatever it is sent with an ad, none, or the reason why not', async () => {
  await fc.assert(
    fc.asyncProperty(hostileBody, async (body) => {
      const answer = await fetch(`${publisher.origin}/ads/${publisher.tenant}/decide`, { method: 'POST', body })
      expect([200, 400], body).toContain(answer.status)
      const { placements, error }: { placements?: unknown; error?: unknown } = Object(await answer.json())
      if (answer.status === 200) expect(placements).toBeInstanceOf(Array)
      else expect(error).toMatchObject({ code: 'INVALID_REQUEST', message: expect.any(String) })
    }),
    RUNS,
  )
})

it('VAST answers whatever its query says with a document or the reason why not', async () => {
  const query = fc.dictionary(
    fc.constantFrom('place', 'v', 'sizes', 'gdpr', 'gpp', 'kv.a', 'language', 'x'),
    fc.string({ maxLength: 200 }),
  )
  await fc.assert(
    fc.asyncProperty(query, async (members) => {
      const url = `${publisher.origin}/ads/${publisher.tenant}/vast?${new URLSearchParams(members)}`
      const answer = await fetch(url)
      expect([200, 400], url).toContain(answer.status)
      if (answer.status === 200) expect(await answer.text()).toContain('<VAST version="')
      else await answer.arrayBuffer()
    }),
    RUNS,
  )
})

it('a token that was changed anywhere counts nothing and leads nowhere', async () => {
  const change = fc.tuple(fc.nat(token.length - 1), fc.constantFrom(...'AZaz09-_.~%'))
  await fc.assert(
    fc.asyncProperty(change, async ([at, letter]) => {
      fc.pre(token[at] !== letter)
      const forged = encodeURIComponent(`${token.slice(0, at)}${letter}${token.slice(at + 1)}`)
      const click = await fetch(`${publisher.origin}/ads/click?t=${forged}`, { redirect: 'manual' })
      expect([click.status, click.headers.get('location')]).toEqual([404, null])
      expect((await fetch(`${publisher.origin}/ads/e/impression?t=${forged}`)).status).toBe(400)
      expect((await fetch(`${publisher.origin}/ads/frame?t=${forged}`)).status).toBe(404)
    }),
    RUNS,
  )
})

it('no word in the address of a click leads to another site', async () => {
  const members = fc.dictionary(fc.constantFrom('u', 'url', 'redirect', 'to', 'r', 't2'), fc.webUrl())
  await fc.assert(
    fc.asyncProperty(members, async (more) => {
      const url = `${publisher.origin}/ads/click?t=${token}&${new URLSearchParams(more)}`
      const answer = await fetch(url, { redirect: 'manual' })
      expect(new URL(answer.headers.get('location') ?? '').hostname).toBe('shop.example')
    }),
    { ...RUNS, numRuns: 50 },
  )
})
