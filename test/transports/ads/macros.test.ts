import { XMLParser } from 'fast-xml-parser'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AdPublisher, format, startAdPublisher } from '../../support/ad-publisher.ts'

const NAMES = [
  ...['MEDIA_BUY_ID', 'PACKAGE_ID', 'CREATIVE_ID', 'IMPRESSION_ID', 'CACHEBUSTER', 'TIMESTAMP', 'CLICK_URL', 'PLACEMENT_ID'],
  ...['AD_WIDTH', 'AD_HEIGHT', 'PAGE_URL', 'DOMAIN', 'KEYWORDS', 'GDPR', 'GDPR_CONSENT', 'GPP_STRING', 'TMPX'],
  ...['DEVICE_ID', 'IP_ADDRESS', 'USER_AGENT', 'LAT', 'NO_SUCH_MACRO', 'CITY'],
]
const template = `https://track.example/i?${NAMES.map((name) => `${name}={${name}}`).join('&')}&vast=[CACHEBUSTING]`
const landing = 'https://shop.example/?buy={MEDIA_BUY_ID}&pkg={PACKAGE_ID}&cr={CREATIVE_ID}&id={IMPRESSION_ID}&dev={DEVICE_ID}'
const click_url = { asset_type: 'url', url: landing, url_type: 'clickthrough' }
const impression_tracker = { asset_type: 'url', url: template, url_type: 'tracker_pixel' }
const image = { asset_type: 'image', url: 'https://cdn.example/a.png', width: 970, height: 250, format: 'png' }
const video = { asset_type: 'video', url: 'https://cdn.example/v.mp4', width: 1280, height: 720, duration_ms: 15_000 }
const MARKUP =
  '<a id="a" href="https://t.example/c?id={CREATIVE_ID}&page={PAGE_URL}">{CREATIVE_ID}</a><script>var buy = "{MEDIA_BUY_ID}", other = "{DEVICE_ID}"</script>'

/** Ids and texts that would end a URL, an attribute, a script, a section of XML, if they were written as they are. */
const HOSTILE = `x"'><script>alert(1)</script>&a=b#c]]><b {CREATIVE_ID}%0d%0a`

let publisher: AdPublisher
beforeAll(async () => {
  publisher = await startAdPublisher()
  const creative = (name: string, id: string, assets: object) => ({ name, formatId: format(id), assets: { ...assets } })
  await publisher.sell('mb_macros', creative('buyer-creative', 'display_970x250', { image, click_url, impression_tracker }))
  await publisher.sell('mb_video', creative('buyer-video', 'video_15s', { video, click_url, impression_tracker }), {
    productId: 'sports_preroll_q2',
  })
  const html = { asset_type: 'html', content: MARKUP }
  await publisher.sell('mb_html', creative(HOSTILE, 'display_300x250_html5', { html, click_url }), { productId: 'sport_display' })
  await publisher.sell('mb_hostile', creative(HOSTILE, 'video_15s', { video, click_url, impression_tracker }), {
    productId: 'kitchen_video',
  })
})
afterAll(() => publisher?.stop())

const PAGE = 'https://news.example/a?b=c&d="e"'
const REQUEST = {
  page_url: PAGE,
  keywords: ['hiking', 'wool & silk'],
  consent: { gdpr: true, tcf: 'CPtcf', gpp: 'DBABMA~x' },
  exposure_tokens: { TMPX: 'k1.token', CREATIVE_ID: 'of-the-page' },
}

async function adAt(place: object) {
  const { body } = await publisher.decide({ placements: [place], ...REQUEST })
  const ad = body.placements[0]?.ad
  if (!ad) throw new Error(`no ad: ${JSON.stringify(body)}`)
  return ad
}

const BILLBOARD = { place: 'news_home_billboard', sizes: ['970x250'] }

describe('universal macros of a tracker', () => {
  let values: URLSearchParams
  let raw: string
  beforeAll(async () => {
    raw = (await adAt(BILLBOARD)).trackers[0] ?? ''
    values = new URL(raw).searchParams
  })

  it.each([
    ['MEDIA_BUY_ID', 'mb_macros'],
    ['PACKAGE_ID', 'mb_macros-line'],
    ['CREATIVE_ID', 'buyer-creative'],
    ['IMPRESSION_ID', /^[\w-]{20,}$/],
    ['CACHEBUSTER', /^[\w-]{20,}$/],
    ['TIMESTAMP', String(Date.parse('2026-03-10T12:00:00Z'))],
    ['CLICK_URL', /^http:\/\/127\.0\.0\.1:\d+\/ads\/click\?t=/],
    ['PLACEMENT_ID', 'news_home_billboard'],
    ['AD_WIDTH', '970'],
    ['AD_HEIGHT', '250'],
    ['PAGE_URL', PAGE],
    ['DOMAIN', 'news.example'],
    ['KEYWORDS', 'hiking,wool & silk'],
    ['GDPR', '1'],
    ['GDPR_CONSENT', 'CPtcf'],
    ['GPP_STRING', 'DBABMA~x'],
    ['TMPX', 'k1.token'],
  ])('{%s} is filled', (name, expected) => {
    if (typeof expected === 'string') expect(values.get(name)).toBe(expected)
    else expect(values.get(name)).toMatch(expected)
  })

  it.each(['DEVICE_ID', 'IP_ADDRESS', 'USER_AGENT', 'LAT', 'CITY', 'NO_SUCH_MACRO'])('{%s} stays as it was written', (name) => {
    expect(raw).toContain(`${name}={${name}}`)
  })

  it('a macro of VAST stays for the player', () => {
    expect(raw).toContain('vast=[CACHEBUSTING]')
  })

  it('no value brings a character that a URL gives a meaning', () => {
    expect(raw).toContain('PAGE_URL=https%3A%2F%2Fnews.example%2Fa%3Fb%3Dc%26d%3D%22e%22')
    expect(raw).toContain('KEYWORDS=hiking%2Cwool%20%26%20silk')
    expect([...values.keys()]).toEqual([...NAMES, 'vast'])
  })
})

describe('click macros', () => {
  it('lead to the landing page with the ids of the buyer, and with those of the impression', async () => {
    const ad = await adAt(BILLBOARD)
    const answer = await publisher.get(ad.click_url ?? '')
    const { searchParams } = new URL(answer.headers.get('location') ?? '')
    const impression = new URL(ad.trackers[0] ?? '').searchParams.get('IMPRESSION_ID')
    expect(Object.fromEntries(searchParams)).toEqual({
      buy: 'mb_macros',
      pkg: 'mb_macros-line',
      cr: 'buyer-creative',
      id: impression,
      dev: '{DEVICE_ID}',
    })
  })

  it('stay the same after the line has ended, for pages that are still open', async () => {
    const ad = await adAt({ place: 'sports_preroll_q2', kind: 'video' })
    await publisher.backend.setOrderState({ tenantId: publisher.tenant, externalId: 'mb_video' }, 'paused')
    publisher.setClock('2026-03-10T12:00:05Z')
    const empty = async () => (await publisher.decide({ placements: [{ place: 'sports_preroll_q2', kind: 'video' }] })).body
    await expect.poll(async () => (await empty()).placements[0]?.ad ?? null).toBeNull()
    const { searchParams } = new URL((await publisher.get(ad.click_url ?? '')).headers.get('location') ?? '')
    expect([searchParams.get('buy'), searchParams.get('pkg'), searchParams.get('cr')]).toEqual([
      'mb_video',
      'mb_video-line',
      'buyer-video',
    ])
    await publisher.backend.setOrderState({ tenantId: publisher.tenant, externalId: 'mb_video' }, 'active')
    publisher.setClock('2026-03-10T12:00:10Z')
    await expect.poll(async () => (await empty()).placements[0]?.ad?.kind).toBe('video')
  })
})

describe('hostile values', () => {
  it('do not leave a document of HTML', async () => {
    const ad = await adAt({ place: 'sport_display', sizes: ['300x250'] })
    const html = await (await publisher.get(ad.frame_url ?? '')).text()
    // Two scripts of ours: that of clickTag, and the one of the creative.
    expect(html.match(/<script/g)).toHaveLength(2)
    expect(html).not.toContain('<script>alert')
    expect(html).toContain('buy = "mb\\u005fhtml"')
    expect(html).toContain('&#60;script&#62;alert(1)')
    // What the frame does not know stays.
    expect(html).toContain('other = "{DEVICE_ID}"')
  })

  it.each(['3.0', '4.2'])('do not leave a document of VAST %s', async (version) => {
    const query = new URLSearchParams({
      place: 'kitchen_video',
      v: version,
      page_url: `${PAGE}]]><Impression>`,
      gpp: ']]></VAST>',
    })
    const answer = await publisher.get(`${publisher.origin}/ads/demo/vast?${query}`)
    const xml = await answer.text()
    const parsed = new XMLParser({ ignoreAttributes: false, cdataPropName: '' }).parse(xml)
    const inLine = parsed.VAST.Ad.InLine
    expect(inLine.AdTitle).toContain('alert(1)')
    expect(inLine.Impression).toHaveLength(2)
    const tracker = new URL(String(inLine.Impression[1]))
    expect(tracker.searchParams.get('CREATIVE_ID')).toBe(HOSTILE)
    expect(tracker.searchParams.get('PAGE_URL')).toBe(`${PAGE}]]><Impression>`)
  })
})
