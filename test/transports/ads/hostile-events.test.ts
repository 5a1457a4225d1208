import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EVENT_KINDS } from '../../../src/ad-serving/embedded/line.ts'
import { createSealedValues } from '../../../src/ad-serving/embedded/sealed-values.ts'
import { type AdPublisher, CHROME, startAdPublisher } from '../../support/ad-publisher.ts'
import { codePoint } from '../../support/code-point.ts'

/** The same requests in each run. */
const RUNS = { numRuns: 120, seed: 20_261_123 }
const VIDEO = { place: 'sports_preroll_q2', kind: 'video' }

let publisher: AdPublisher
beforeAll(async () => {
  publisher = await startAdPublisher()
  await publisher.sell('hostile-events', 'video', { productId: 'sports_preroll_q2' })
})
afterAll(() => publisher?.stop())

async function freshToken(): Promise<string> {
  const { body } = await publisher.decide({ placements: [VIDEO] })
  const url = body.placements[0]?.ad?.events.impression
  if (url === undefined) throw new Error(`no ad: ${JSON.stringify(body)}`)
  return new URL(url).searchParams.get('t') ?? ''
}

async function logged(): Promise<readonly { readonly kind: string; readonly events: number }[]> {
  const rows = await publisher.server.store.read
    .selectFrom('embedded_events')
    .select((e) => ['kind', e.fn.countAll<number>().as('events')])
    .groupBy('kind')
    .orderBy('kind')
    .execute()
  return rows.map(({ kind, events }) => ({ kind, events: Number(events) }))
}

function send(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${publisher.origin}${path}`, { redirect: 'manual', headers: { 'User-Agent': CHROME }, ...init })
}

describe('an event', () => {
  it('of every kind counts once, however often and by whichever method it is sent', async () => {
    const before = await logged()
    const token = await freshToken()
    // Its video has 15 seconds.
    publisher.setClock('2026-03-10T12:00:15Z')
    const kinds = EVENT_KINDS.filter((kind) => kind !== 'click')
    for (const kind of kinds) {
      const sent = [...['GET', 'POST', 'POST', 'GET'].map((method) => send(`/ads/e/${kind}?t=${token}`, { method }))]
      expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([200, 200, 200, 200])
    }
    const clicks = await Promise.all([1, 2, 3].map(() => send(`/ads/click?t=${token}`)))
    expect(clicks.map(({ status }) => status)).toEqual([302, 302, 302])
    const grown = (await logged()).map(({ kind, events }) => {
      const known = before.find((each) => each.kind === kind)
      return [kind, events - (known?.events ?? 0)]
    })
    // An error without a code is an undefined one.
    const stored = EVENT_KINDS.map((kind) => (kind === 'error' ? 'error.900' : kind))
    expect(Object.fromEntries(grown)).toEqual(Object.fromEntries(stored.map((kind) => [kind, 1])))
  })

  it.each([
    ['405', '405'],
    ['100', '100'],
    ['999', '999'],
    ['[ERRORCODE]', '900'],
    ['99', '900'],
    ['1000', '900'],
    ['4.5', '900'],
    ['%00', '900'],
    ['', '900'],
    ['x'.repeat(3_000), '900'],
  ])('that is an error counts once, by the code that a player puts in: %.20s', async (code, stored) => {
    const xml = await (await send('/ads/demo/vast?place=sports_preroll_q2')).text()
    const template = /<Error><!\[CDATA\[([^\]]+\[ERRORCODE\])\]\]>/.exec(xml)?.[1] ?? ''
    expect(template).toContain('/ads/e/error?t=')
    const before = await logged()
    for (const sent of [code, '303']) {
      const { pathname, search } = new URL(template.replace('[ERRORCODE]', sent))
      expect((await send(pathname + search)).status).toBe(200)
    }
    const grown = (await logged()).filter(
      ({ kind, events }) => events !== (before.find((each) => each.kind === kind)?.events ?? 0),
    )
    expect(grown.map(({ kind }) => kind)).toEqual([`error.${stored}`])
  })
})

describe('an event that its ad cannot have made', () => {
  beforeAll(async () => {
    await publisher.sell('completed', 'video', {
      productId: 'video_by_completion',
      price: { model: 'cpcv', basis: 'fixed', rateMicros: 50_000 },
    })
    await publisher.sell('banner', 'image', { productId: 'banner_by_completion' })
  })
  const grownBy = async (act: () => Promise<void>) => {
    const before = new Map((await logged()).map(({ kind, events }) => [kind, events]))
    await act()
    const after = (await logged()).map(({ kind, events }) => [kind, events - (before.get(kind) ?? 0)] as const)
    return Object.fromEntries(after.filter(([, events]) => events > 0))
  }
  const eventsOf = async (place: string, kind: 'video' | 'display') => {
    const sizes = kind === 'display' ? ['970x250'] : undefined
    await expect
      .poll(async () => (await publisher.decide({ placements: [{ place, kind, sizes }] })).body.placements[0]?.ad?.kind)
      .toBeDefined()
    const { body } = await publisher.decide({ placements: [{ place, kind, sizes }] })
    const token = new URL(body.placements[0]?.ad?.events.impression ?? '').searchParams.get('t')
    return async (...kinds: string[]) => {
      for (const each of kinds)
        if (each === 'click') expect((await send(`/ads/click?t=${token}`)).status).toBe(302)
        else expect((await send(`/ads/e/${each}?t=${token}`)).status).toBe(200)
    }
  }
  const spent = async () => {
    const orders = { tenantId: publisher.tenant, orderExternalIds: ['completed'], since: '2026-03-01' }
    const { rows } = await publisher.backend.report(orders)
    return rows.reduce((sum, { spendMicros }) => sum + spendMicros, 0)
  }

  it('completions by three quick requests are marked and not billed; the real one counts when it comes, in whatever order', async () => {
    publisher.setClock('2026-03-10T13:00:00Z')
    const early = await eventsOf('video_by_completion', 'video')
    expect(await grownBy(() => early('impression', 'start', 'complete', 'complete', 'midpoint'))).toEqual({
      impression: 1,
      start: 1,
      'invalid.complete': 1,
      'invalid.midpoint': 1,
    })
    expect(await spent()).toBe(0)
    publisher.setClock('2026-03-10T13:00:15Z')
    expect(await grownBy(() => early('complete', 'complete', 'thirdQuartile'))).toEqual({ complete: 1, thirdQuartile: 1 })
    expect(await spent()).toBe(50_000)
    const late = await eventsOf('video_by_completion', 'video')
    publisher.setClock('2026-03-10T13:10:00Z')
    expect(await grownBy(() => late('complete', 'start', 'impression'))).toEqual({ complete: 1, start: 1, impression: 1 })
    expect(await spent()).toBe(100_000)
  })

  it('a picture has no start and no end', async () => {
    const picture = await eventsOf('banner_by_completion', 'display')
    publisher.setClock('2026-03-10T13:20:00Z')
    expect(await grownBy(() => picture('impression', 'start', 'complete', 'viewable', 'error'))).toEqual({
      impression: 1,
      'invalid.start': 1,
      'invalid.complete': 1,
      viewable: 1,
      'error.900': 1,
    })
  })

  it('nothing is viewable before it was in view for a second, a video for two', async () => {
    publisher.setClock('2026-03-10T13:30:00Z')
    const picture = await eventsOf('banner_by_completion', 'display')
    const video = await eventsOf('video_by_completion', 'video')
    await picture('impression')
    await video('impression')
    expect(await grownBy(() => picture('viewable', 'viewable'))).toEqual({ 'invalid.viewable': 1 })
    publisher.setClock('2026-03-10T13:30:01Z')
    expect(await grownBy(() => picture('viewable', 'viewable'))).toEqual({ viewable: 1 })
    expect(await grownBy(() => video('viewable'))).toEqual({ 'invalid.viewable': 1 })
    publisher.setClock('2026-03-10T13:30:02Z')
    expect(await grownBy(() => video('viewable'))).toEqual({ viewable: 1 })
  })

  it('a click without an impression is not billed, and counts in its own hour when the impression comes late', async () => {
    publisher.setClock('2026-03-10T13:59:50Z')
    const clicked = await eventsOf('video_by_completion', 'video')
    const never = await eventsOf('video_by_completion', 'video')
    publisher.setClock('2026-03-10T13:59:58Z')
    expect(await grownBy(() => clicked('click'))).toEqual({ 'invalid.click': 1 })
    expect(await grownBy(() => never('click', 'viewable', 'error'))).toEqual({
      'invalid.click': 1,
      'invalid.viewable': 1,
      'error.900': 1,
    })
    publisher.setClock('2026-03-10T14:00:01Z')
    const hour = '2026-03-10T13:00:00.000Z'
    const clicksOfHour = async () => {
      const rows = publisher.server.store.read.selectFrom('embedded_hours').select('events').where('kind', '=', 'click')
      return (await rows.where('hour', '=', hour).execute()).reduce((sum, { events }) => sum + Number(events), 0)
    }
    const before = await clicksOfHour()
    expect(await grownBy(() => clicked('impression', 'click'))).toEqual({ impression: 1, click: 1 })
    expect(await clicksOfHour()).toBe(before + 1)
    expect(await grownBy(() => never('error'))).toEqual({})
  })
})

/** Tokens of any form: texts, parts of real ones, and values of a wrong shape. */
const tokenText = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.string({ unit: codePoint, maxLength: 60 }),
  fc.base64String({ maxLength: 400 }),
  fc.constantFrom('', '.', '..', 'null', '%', '%00', '__proto__', 'preview.', 'p.', '['.repeat(1_000), 'a.'.repeat(400)),
  fc.json({ maxDepth: 3 }).map((json) => `${Buffer.from(json).toString('base64url')}.${'A'.repeat(22)}`),
)

describe('hostile events', () => {
  it('are answered, count nothing and lead nowhere, whatever kind, token, method and body they have', async () => {
    const before = await logged()
    const kind = fc.oneof(
      fc.constantFrom(...EVENT_KINDS, 'refund', '__proto__', 'constructor', 'IMPRESSION', 'e', 'toString'),
      fc.string({ maxLength: 30 }).map(encodeURIComponent),
    )
    const method = fc.constantFrom('GET', 'POST', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS')
    const body = fc.oneof(fc.constant(undefined), fc.string({ maxLength: 2_000 }), fc.uint8Array({ maxLength: 2_000 }))
    await fc.assert(
      fc.asyncProperty(kind, tokenText, method, body, async (name, token, verb, content) => {
        const at = `/ads/e/${name}?t=${encodeURIComponent(wellFormed(token))}`
        const hasBody = content !== undefined && !['GET', 'HEAD'].includes(verb)
        const answer = await send(at, { method: verb, ...(hasBody && { body: new Blob([content]) }) })
        expect([204, 400, 404, 405], `${verb} ${at}: ${answer.status}`).toContain(answer.status)
        await answer.arrayBuffer()
        const click = await send(`/ads/click?t=${encodeURIComponent(wellFormed(token))}`)
        expect([click.status, click.headers.get('location')]).toEqual([404, null])
      }),
      RUNS,
    )
    expect(await logged()).toEqual(before)
  })

  it('with a token of another deployment, or sealed over other values, count nothing', async () => {
    const before = await logged()
    const token = await freshToken()
    const value = ['d', 'demo', 'line', 'creative', VIDEO.place, 1, 0, Date.now()]
    const foreign = createSealedValues('another secret')
    const tokens = [foreign.seal(value), foreign.seal({ ...value }), foreign.seal(null), `${token}.`, token.slice(0, -4)]
    for (const each of tokens) expect((await send(`/ads/e/impression?t=${each}`)).status, each).toBe(400)
    expect(await logged()).toEqual(before)
  })

  it('of a body of 10 MB do not hold the server up: the body is not read', async () => {
    const token = await freshToken()
    const answer = await send(`/ads/e/impression?t=${token}`, { method: 'POST', body: Buffer.alloc(10_000_000, 'x') }).catch(
      (error: unknown) => error,
    )
    // The answer comes before the body has; a client may see the connection end first.
    if (answer instanceof Response) expect(answer.status).toBe(200)
    expect((await send('/ads/tag.js')).status).toBe(200)
  })

  it('a token twice in one address is read once, and an address that is too long is refused', async () => {
    const token = await freshToken()
    expect((await send(`/ads/e/viewable?t=x&t=${token}`)).status).toBe(400)
    expect([400, 414, 431]).toContain((await send(`/ads/e/viewable?t=${'A'.repeat(60_000)}`)).status)
  })
})

describe('hostile requests for ads', () => {
  const decide = (body: string | Buffer) => send('/ads/demo/decide', { method: 'POST', body })

  it.each<[string, () => string | Buffer]>([
    ['10 MB', () => Buffer.alloc(10_000_000, ' ')],
    ['nesting', () => `{"placements":${'[{"a":'.repeat(5_000)}1${'}]'.repeat(5_000)}}`],
    ['nested key-values', () => `{"placements":[{"place":"a"}],"key_values":${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}}`],
    ['many placements', () => JSON.stringify({ placements: Array.from({ length: 3_000 }, () => ({ place: 'a' })) })],
    ['placements of nothing', () => JSON.stringify({ placements: Array.from({ length: 10_000 }, () => null) })],
    ['many sizes', () => JSON.stringify({ placements: [{ place: 'a', sizes: Array.from({ length: 5_000 }, () => '1x1') }] })],
    [
      'broken UTF-8',
      () => Buffer.concat([Buffer.from('{"placements":[{"place":"'), Buffer.from('c3280080ff', 'hex'), Buffer.from('"}]}')]),
    ],
    ['half of a surrogate pair', () => '{"placements":[{"place":"\\ud800","sizes":["0x0"]}]}'],
    ['repeated keys', () => '{"placements":[],"placements":[{"place":"a"}]}'],
    ['a byte order mark alone', () => Buffer.from('efbbbf', 'hex')],
    ['numbers beyond all bounds', () => '{"placements":[{"place":1e999}]}'],
  ])('%s: refused with the reason', async (_name, body) => {
    const answer = await decide(body()).catch((error: unknown) => error)
    if (answer instanceof Response) {
      expect(answer.status).toBe(400)
      const { error }: { error: { code: string; message: string } } = Object(await answer.json())
      expect(error).toMatchObject({ code: 'INVALID_REQUEST', message: expect.stringMatching(/./) })
    }
    expect((await publisher.decide({ placements: [VIDEO] })).status).toBe(200)
  })

  it('names of Object.prototype are names like others', async () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf']
    const members = names.map((name) => `${JSON.stringify(name)}:["x"]`).join()
    const places = names.map((name) => `{"place":${JSON.stringify(name)}}`).join()
    const answer = await decide(`{"placements":[${places}],"key_values":{${members}}}`)
    expect(answer.status).toBe(200)
    expect(Object(await answer.json()).placements.map(({ ad }: { ad: unknown }) => ad)).toEqual(names.map(() => null))
    expect(Reflect.has({}, 'x')).toBe(false)
  })
})

/** Text that can be part of an address. */
function wellFormed(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8')
}
