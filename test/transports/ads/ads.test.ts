import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AdPublisher, type Decided, startAdPublisher } from '../../support/ad-publisher.ts'

const BILLBOARD = { place: 'news_home_billboard', sizes: ['970x250'] }
const BOX = { place: 'news_home_right', sizes: ['300x250'] }

let publisher: AdPublisher
beforeAll(async () => {
  publisher = await startAdPublisher()
  await publisher.sell('image-order', 'image')
  await publisher.sell('html-order', 'html')
  await publisher.sell('native-order', 'native', { productId: 'native_content' })
  await publisher.sell('video-order', 'video', { productId: 'sports_preroll_q2' })
})
afterAll(() => publisher.stop())

async function adFor(placement: object, more: object = {}) {
  const { status, body } = await publisher.decide({ placements: [placement], ...more })
  expect(status, JSON.stringify(body)).toBe(200)
  const [found] = body.placements
  if (!found?.ad) throw new Error(`no ad: ${JSON.stringify(body)}`)
  return found.ad
}

async function delivered(orderId: string) {
  const order = { tenantId: publisher.tenant, orderExternalIds: [orderId], since: '2026-03-01' }
  return (await publisher.backend.report(order)).rows
}

describe('decisions', () => {
  it('answer a batch of placements, each with what its page needs', async () => {
    const native = { id: 'n', place: 'native_content', kind: 'native' }
    const { body } = await publisher.decide({ placements: [BILLBOARD, BOX, native, { place: 'unknown' }] })
    expect(body.placements.map(({ id, ad }) => [id, ad?.kind])).toEqual([
      ['0', 'image'],
      ['1', 'frame'],
      ['n', 'native'],
      ['3', undefined],
    ])
    expect(body.placements[0]?.ad).toMatchObject({
      width: 970,
      height: 250,
      image: { url: 'https://cdn.example/a.png', alt: 'Boots' },
    })
    expect(body.placements[0]?.ad?.trackers[0]).toMatch(/^https:\/\/track\.example\/i\?cb=[\w-]{20,}$/)
  })

  it('answer pages of other origins, and set no cookies', async () => {
    const answer = await publisher.get(`${publisher.origin}/ads/demo/decide?place=news_home_billboard&sizes=970x250`)
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('set-cookie')).toBeNull()
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const tag = await publisher.get(`${publisher.origin}/ads/tag.js`)
    expect([tag.status, tag.headers.get('content-type'), tag.headers.get('set-cookie')]).toEqual([
      200,
      'text/javascript; charset=utf-8',
      null,
    ])
  })

  it('are shown on a demo page with the elements that a page of the publisher needs', async () => {
    const answer = await publisher.get(`${publisher.origin}/ads/demo/demo`)
    const text = (await answer.text()).replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    expect(text).toContain(`<code><script async src="${publisher.origin}/ads/tag.js" data-publisher="demo"></script></code>`)
    expect(text).toMatch(
      /<code><div data-ad="news_home_billboard" data-kind="display" data-sizes="[\dx,]+" style="min-height:600px"><\/div><\/code>/,
    )
    expect(text).toContain('<h1>Harborline Media (demo)</h1>')
    expect((await publisher.get(`${publisher.origin}/ads/no-such-publisher/demo`)).status).toBe(404)
  })

  it('name the field of a request that is wrong', async () => {
    const cases: [object, string][] = [
      [{ placements: [] }, 'placements'],
      [{ placements: [{ place: 'a', sizes: ['wide'] }] }, 'placements[0].sizes[0]'],
      [{ placements: [{ place: 'a' }], key_values: { a: ['x'.repeat(129)] } }, 'key_values.a[0]'],
      [{ placements: Array.from({ length: 21 }, () => ({ place: 'a' })) }, 'placements'],
      [{ placements: [{ place: 'a' }], visitor: 'x' }, 'visitor'],
      [{ placements: [{ place: 'a' }], preview: 'x' }, 'preview'],
    ]
    for (const [body, field] of cases) {
      const { status, body: answer } = await publisher.decide(body)
      expect(status).toBe(400)
      expect(answer.error, JSON.stringify(answer)).toMatchObject({ code: 'INVALID_REQUEST' })
      expect(JSON.stringify(answer.error)).toContain(field)
    }
  })

  it('survive bodies that are no request', async () => {
    const bodies = [
      '',
      '{',
      'null',
      '[]',
      '"x"',
      '{"placements":',
      '\u0000',
      `{"placements":${'['.repeat(5_000)}`,
      'x'.repeat(70_000),
    ]
    for (const body of bodies) {
      const answer = await fetch(`${publisher.origin}/ads/demo/decide`, { method: 'POST', body })
      expect(answer.status, body.slice(0, 20)).toBe(400)
    }
    const made: object = JSON.parse('{"placements":[{"place":"__proto__"}],"key_values":{"__proto__":["x"],"constructor":["y"]}}')
    expect((await publisher.decide(made)).status).toBe(200)
    expect((await publisher.get(`${publisher.origin}/ads/no-such-publisher/decide?place=a`)).status).toBe(200)
  })

  it('never store or use an id of a visitor without consent', async () => {
    await publisher.sell('capped', 'image', {
      productId: 'sport_display',
      targeting: { frequency_cap: { max_impressions: 1, per: 'individuals', window: { interval: 1, unit: 'days' } } },
    })
    publisher.setClock('2026-03-10T12:00:01Z')
    const place = { place: 'sport_display', sizes: ['970x250'] }
    const ask = async (more: object) => (await publisher.decide({ placements: [place], ...more })).body.placements[0]?.ad?.kind
    // Warms the lines up: a refresh goes beside decisions.
    await expect.poll(() => ask({ visitor_id: 'warm', consent: { gdpr: false } })).toBe('image')
    expect(await ask({ visitor_id: 'anna' })).toBeUndefined()
    expect(await ask({ visitor_id: 'anna', consent: { gdpr: true } })).toBeUndefined()
    expect(await ask({ visitor_id: 'anna', consent: { gdpr: true, tcf: 'garbage' } })).toBeUndefined()
    expect(await ask({ visitor_id: 'anna', consent: { gdpr: false } })).toBe('image')
    expect(await ask({ visitor_id: 'anna', consent: { gdpr: false } })).toBeUndefined()
    const rows = await publisher.server.store.read.selectFrom('embedded_exposures').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain('anna')
    expect(new Set(rows.map(({ viewer }) => viewer)).size).toBe(2)
  })

  it('keep a cap over the whole flight', async () => {
    await publisher.sell('once', 'native', {
      productId: 'native_content',
      targeting: {
        frequency_cap: { max_impressions: 1, per: 'individuals', window: { interval: 1, unit: 'campaign' } },
        keyword_targets: [{ keyword: 'once', match_type: 'exact' }],
      },
    })
    const native = { place: 'native_content', kind: 'native' }
    const visit = { placements: [native], keywords: ['once'], consent: { gdpr: false } }
    const lineOf = async (visitor_id: string) => {
      const ad = (await publisher.decide({ ...visit, visitor_id })).body.placements[0]?.ad
      if (!ad) return undefined
      await publisher.get(ad.events.impression ?? '')
      const rows = await publisher.server.store.read.selectFrom('embedded_exposures').select('line_id').execute()
      return rows.length
    }
    const before = (await publisher.server.store.read.selectFrom('embedded_exposures').selectAll().execute()).length
    await expect.poll(() => lineOf('warm-once'), { timeout: 30_000 }).toBe(before + 1)
    await lineOf('warm-once')
    publisher.setClock('2026-03-29T12:00:00Z')
    expect(await lineOf('warm-once')).toBe(before + 1)
    expect(await lineOf('eve')).toBe(before + 2)
    publisher.setClock('2026-03-10T12:00:01Z')
  })
})

describe('events', () => {
  it('count once each, in the report of their order', async () => {
    const ad = await adFor(BILLBOARD)
    for (const url of [ad.events.impression, ad.events.impression, ad.events.viewable]) {
      if (url === ad.events.viewable) publisher.setClock('2026-03-10T12:00:02Z')
      const answer = await publisher.get(url ?? '')
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/gif'])
    }
    const click = await publisher.get(ad.click_url ?? '')
    expect([click.status, click.headers.get('location')]).toEqual([302, 'https://shop.example/landing?from=news_home_billboard'])
    await publisher.get(ad.click_url ?? '')
    expect(await delivered('image-order')).toMatchObject([
      {
        lineExternalId: 'image-order-line',
        creativeExternalId: 'image',
        period: '2026-03-10T12',
        impressions: 1,
        viewableImpressions: 1,
        clicks: 1,
        spendMicros: 10_000,
      },
    ])
  })

  it('of programs are kept apart', async () => {
    const before = await delivered('html-order')
    const { body } = await publisher.decide(
      { placements: [BOX] },
      { 'User-Agent': 'Googlebot/2.1 (+http://www.google.com/bot.html)' },
    )
    await publisher.get(body.placements[0]?.ad?.events.impression ?? '')
    const ad = await adFor(BOX)
    await publisher.get(ad.events.impression ?? '', { 'User-Agent': 'curl/8.0' })
    await publisher.get(ad.events.impression ?? '', { 'Sec-Purpose': 'prefetch' })
    expect(await delivered('html-order')).toEqual(before)
    const bots = await publisher.server.store.read.selectFrom('embedded_events').select('bot').where('bot', '=', 1).execute()
    expect(bots).toHaveLength(2)
  })

  it('of forged, changed or old tokens count nothing', async () => {
    const ad = await adFor(BOX)
    const url = ad.events.impression ?? ''
    const before = await delivered('html-order')
    const token = new URL(url).searchParams.get('t') ?? ''
    const bytes = Buffer.from(token, 'base64url')
    bytes[30] = (bytes[30] ?? 0) ^ 1
    const forged = bytes.toString('base64url')
    // As tokens were signed before they were sealed.
    const signed = `${Buffer.from(JSON.stringify(['another-decision', 'demo'])).toString('base64url')}.${'A'.repeat(22)}`
    for (const wrong of ['', 'x', forged, `${token}x`, `${token}.`, signed]) {
      expect((await publisher.get(`${publisher.origin}/ads/e/impression?t=${wrong}`)).status, wrong).toBe(400)
      expect((await publisher.get(`${publisher.origin}/ads/click?t=${wrong}`)).status).toBe(404)
      expect((await publisher.get(`${publisher.origin}/ads/frame?t=${wrong}`)).status).toBe(404)
    }
    expect((await publisher.get(`${publisher.origin}/ads/e/refund?t=${token}`)).status).toBe(404)
    publisher.setClock('2026-03-10T12:11:00Z')
    expect((await publisher.get(url)).status).toBe(200)
    expect(await delivered('html-order')).toEqual(before)
    publisher.setClock('2026-03-10T12:00:02Z')
  })

  it('agree with the log, and sums can be made again from it', async () => {
    const { store } = publisher.server
    const { rebuildEmbeddedSums } = await import('../../../src/store/embedded/reports.ts')
    const before = await delivered('image-order')
    const hours = () =>
      store.read
        .selectFrom('embedded_hours')
        .selectAll()
        .orderBy('line_id')
        .orderBy('creative_id')
        .orderBy('kind')
        .orderBy('bot')
        .execute()
    const sums = await hours()
    await store.transaction(async (tx) => {
      await tx.updateTable('embedded_hours').set({ events: 7 }).execute()
      await rebuildEmbeddedSums(tx, publisher.tenant, new Date('2026-03-01T00:00:00Z'))
    })
    expect(await hours()).toEqual(sums)
    expect(await delivered('image-order')).toEqual(before)
  })
})

describe('security', () => {
  it('no address leads elsewhere: a click goes to what is stored, whatever it says besides', async () => {
    const ad = await adFor(BILLBOARD)
    for (const more of [
      '&u=https://evil.example',
      '&url=//evil.example',
      '&redirect=https://evil.example',
      '#https://evil.example',
    ]) {
      const answer = await publisher.get(`${ad.click_url}${more}`)
      expect(new URL(answer.headers.get('location') ?? '').hostname).toBe('shop.example')
    }
    expect((await publisher.get(`${publisher.origin}/ads/click?url=https://evil.example`)).status).toBe(404)
  })

  it('code of advertisers comes in a document without an origin and without features of the browser', async () => {
    const ad = await adFor(BOX)
    const frame = await publisher.get(ad.frame_url ?? '')
    const policy = frame.headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(/^sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox;/)
    expect(policy).not.toContain('allow-same-origin')
    expect(frame.headers.get('permissions-policy')).toContain('geolocation=(), ')
    // Chromium for Linux does not know it, and warns.
    expect(frame.headers.get('permissions-policy')).not.toContain('bluetooth')
    expect(frame.headers.get('x-frame-options')).toBeNull()
    const html = await frame.text()
    const token = new URL(ad.frame_url ?? '').searchParams.get('t')
    expect(html).toContain(`href="${publisher.origin}/ads/click?t=${token}"`)
  })
})

describe('video', () => {
  it.each(['4.2', '3.0'])('comes as VAST %s with tracking of its quartiles', async (version) => {
    const answer = await publisher.get(`${publisher.origin}/ads/demo/vast?place=sports_preroll_q2&v=${version}`)
    const xml = await answer.text()
    expect(answer.headers.get('content-type')).toContain('application/xml')
    expect(xml).toContain(`<VAST version="${version}"`)
    expect(xml).toContain('<Duration>00:00:15.000</Duration>')
    expect(xml).toContain('<![CDATA[https://cdn.example/v.mp4]]>')
    const events = [...xml.matchAll(/<Tracking event="(\w+)"><!\[CDATA\[([^\]]+)\]\]>/g)]
    expect(events.map(([, name]) => name)).toEqual(['start', 'firstQuartile', 'midpoint', 'thirdQuartile', 'complete'])
  })

  it('is an empty document where there is no ad', async () => {
    const answer = await publisher.get(`${publisher.origin}/ads/demo/vast?place=nothing`)
    expect(await answer.text()).toMatch(/<VAST version="4.2" xmlns="[^"]+"\/>$/)
  })
})

describe('a paused order', () => {
  it('stops within a second', async () => {
    const key = { tenantId: publisher.tenant, externalId: 'native-order' }
    const native = { place: 'native_content', kind: 'native' }
    await publisher.backend.setOrderState(key, 'paused')
    publisher.setClock('2026-03-10T12:00:03Z')
    const kind = async () => {
      const { body }: { body: Decided } = await publisher.decide({ placements: [native] })
      return body.placements[0]?.ad?.kind
    }
    await expect.poll(kind).toBeUndefined()
    await publisher.backend.setOrderState(key, 'active')
    publisher.setClock('2026-03-10T12:00:04Z')
    await expect.poll(kind).toBe('native')
  })
})
