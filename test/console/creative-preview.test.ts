import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Assets } from '../../src/domain/creative/assets.ts'
import { PLAYER_SCRIPT } from '../../src/domain/creative/preview/player.ts'
import { type ConsoleClient, signedIn } from '../support/console-client.ts'
import { libraryCreative } from '../support/creative-agent.ts'
import { fetchFrom } from '../support/creative-files.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

const vast = (inner: string) => Buffer.from(`<VAST version="4.2"><Ad>${inner}</Ad></VAST>`)
const SPOT = vast(
  '<InLine><TrackingEvents><Tracking event="midpoint">https://t.example/m</Tracking></TrackingEvents><MediaFiles><MediaFile type="video/mp4">https://cdn.example/spot.mp4</MediaFile></MediaFiles></InLine>',
)
const WRAPPER = vast(
  '<Wrapper><VASTAdTagURI>https://tags.example/spot.xml</VASTAdTagURI><TrackingEvents><Tracking event="midpoint">https://t.example/w</Tracking></TrackingEvents></Wrapper>',
)
const FILES = new Map<string, Buffer | number>([
  ['https://tags.example/spot.xml', SPOT],
  ['https://tags.example/wrapper.xml', WRAPPER],
  ['https://tags.example/circle.xml', vast('<Wrapper><VASTAdTagURI>https://tags.example/circle.xml</VASTAdTagURI></Wrapper>')],
])

let agent: TestAgent
let ada: ConsoleClient
beforeAll(async () => {
  agent = await startAgent({ demo: true, safeFetch: fetchFrom(FILES) })
  ada = await signedIn(agent, 'ada', 'ad_operations')
})
afterAll(() => agent?.stop())

/** Puts a creative into the library and gives the path of its page. */
async function pageOf(creativeId: string, format: string, assets: Assets): Promise<string> {
  const buyer = await libraryCreative(agent, creativeId, format, assets)
  return `/console/t/${agent.tenant}/creatives/${buyer}/-/${creativeId}`
}

const image = { asset_type: 'image', url: 'https://cdn.example/i.png', width: 970, height: 250 } as const
const tag = (url: string) => ({ vast: { asset_type: 'vast', delivery_type: 'url', url, duration_ms: 8000 } }) as const

it('the frame of a picture has its size, and that of code the size of its format', async () => {
  const picture = await ada.get(await pageOf('billboard', 'display_970x250', { image }))
  expect(picture.text).toContain('class="preview page fixed" width="970" height="250"')
  expect(picture.text).toContain('class="preview phone fixed" width="390" height="250"')
  const code = await ada.get(await pageOf('code', 'display_300x600_html5', { html: { asset_type: 'html', content: '<p>x' } }))
  expect(code.text).toContain('class="preview page fixed" width="300" height="600"')
})

it('only our own script may run beside a video, and code of a buyer has no origin', async () => {
  const video = { asset_type: 'video', url: 'https://cdn.example/v.mp4', width: 640, height: 360, duration_ms: 8000 } as const
  const shown = await ada.get(`${await pageOf('spot', 'video_30s', { video })}/preview`)
  const policy = shown.headers.get('content-security-policy')
  expect(policy).toContain(
    `script-src 'sha256-${createHash('sha256').update(PLAYER_SCRIPT).digest('base64')}'; sandbox allow-scripts`,
  )
  expect(policy).not.toContain("unsafe-inline' https:; connect")
  const code = await ada.get(
    `${await pageOf('own', 'display_300x250_html5', { html: { asset_type: 'html', content: '<p>' } })}/preview`,
  )
  expect(code.headers.get('content-security-policy')).toMatch(/sandbox allow-scripts$/)
  const still = await ada.get(`${await pageOf('still', 'display_970x250', { image })}/preview`)
  expect(still.headers.get('content-security-policy')).toMatch(/; sandbox$/)
})

it('a VAST tag is followed to its video, with what each quartile calls on the way', async () => {
  const shown = await ada.get(`${await pageOf('tag', 'vast_30s', tag('https://tags.example/wrapper.xml'))}/preview`)
  expect(shown.text).toContain('<video src="https://cdn.example/spot.mp4"')
  expect(shown.text).toContain('50 %<br><small>2 addresses called')
})

it.each([
  ['that nobody serves', 'https://nowhere.example/v.xml', 'the host cannot be reached'],
  ['that wraps itself', 'https://tags.example/circle.xml', 'The tag answers without a video'],
])('a VAST tag %s says so', async (_what, url, reason) => {
  const shown = await ada.get(`${await pageOf(url.replaceAll(/\W/g, '-'), 'vast_30s', tag(url))}/preview`)
  expect([shown.status, shown.text]).toEqual([200, expect.stringContaining(reason)])
})

it('a creative without a picture has a small preview in the list, which does not take part in the page', async () => {
  await pageOf('listed', 'display_300x250_html5', { html: { asset_type: 'html', content: '<p>x' } })
  const { text } = await ada.get(`/console/t/${agent.tenant}/creatives?status=pending_review`)
  const path =
    /<iframe class="thumbnail" title="listed" sandbox="allow-scripts" loading="lazy" inert src="([^"]+)">/.exec(text)?.[1] ?? ''
  expect(path).toMatch(/\/preview\?thumbnail$/)
  // 300 × 250 into 260 × 150.
  expect((await ada.get(path)).text).toContain('zoom:0.6000;width:300px')
})
