import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Assets } from '../../src/domain/creative/assets.ts'
import { CHROMIUM, launchChromium, openPage } from '../support/console-browser.ts'
import { invitationOf, PASSWORD } from '../support/console-client.ts'
import { libraryCreative } from '../support/creative-agent.ts'
import { pngOf } from '../support/creative-files.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'
import { keyFrameOf, webmOf } from '../support/webm.ts'

const SIZE = { width: 320, height: 180 }
const SECONDS = 4

let agent: TestAgent
let browser: Browser
let page: Page
let clip: Buffer
const errors: string[] = []

beforeAll(async () => {
  if (CHROMIUM === undefined) return
  agent = await startAgent({ demo: true })
  browser = await launchChromium()
  page = await openPage(browser, errors, { viewport: { width: 1280, height: 900 } })
  clip = webmOf(await keyFrame(), { ...SIZE, seconds: SECONDS })
  // What advertisers have on their servers.
  await page.route(/^https:\/\/cdn\.example\//, (route) => {
    const isClip = route.request().url().endsWith('.webm')
    return route.fulfill(isClip ? { contentType: 'video/webm', body: clip } : { contentType: 'image/png', body: pngOf(970, 250) })
  })
  await page.goto(new URL(agent.url).origin + (await invitationOf(agent, 'administrator', agent.tenant)))
  await page.fill('#name', 'Nora Newcomer')
  await page.fill('#username', 'nora')
  await page.fill('#password', PASSWORD)
  await page.click('button.primary')
  await page.waitForURL('**/home')
})
afterAll(async () => {
  await browser?.close()
  await agent?.stop()
})

async function keyFrame(): Promise<Buffer> {
  const drawn: unknown = await page.evaluate(
    `Object.assign(document.createElement('canvas'), ${JSON.stringify(SIZE)}).toDataURL('image/webp', 0.5)`,
  )
  return keyFrameOf(Buffer.from(String(drawn).split(',')[1] ?? '', 'base64'))
}

/** Opens the page of a new creative. */
async function open(creativeId: string, format: string, assets: Assets): Promise<void> {
  const buyer = await libraryCreative(agent, creativeId, format, assets)
  await page.goto(`${new URL(agent.url).origin}/console/t/${agent.tenant}/creatives/${buyer}/-/${creativeId}`)
}

const shown = () => page.frameLocator('iframe.page')
const image = { asset_type: 'image', url: 'https://cdn.example/i.png', width: 970, height: 250 } as const

describe.skipIf(CHROMIUM === undefined)('creatives in the console (skipped without Chromium)', () => {
  it('a 970 × 250 picture is shown whole, at its size, and in its shape on a phone', async () => {
    await open('billboard', 'display_970x250', { image })
    const frame = await page.locator('iframe.page').evaluate(({ clientWidth, clientHeight }) => [clientWidth, clientHeight])
    expect(frame).toEqual([970, 250])
    const picture = shown().locator('img')
    await picture.waitFor()
    expect(await picture.boundingBox()).toMatchObject({ width: 970, height: 250 })
    await page.getByText('On a phone, 390 pixels wide').click()
    const small = page.frameLocator('iframe.phone').locator('img')
    await small.waitFor()
    await expect.poll(async () => ((await small.boundingBox()) ?? { width: 0 }).width).toBe(390)
    expect(Math.round((await small.boundingBox())?.height ?? 0)).toBe(Math.round((390 * 250) / 970))
  })

  it('code runs in a frame of its size that has no origin, and reaches neither the page nor its cookie', async () => {
    const content = `<!doctype html><body><script>let seen='';try{seen=parent.parent.document.title}catch{seen='nothing'};document.body.textContent=location.origin+' '+self.origin+' '+seen</script>`
    await open('code', 'display_300x250_html5', { html: { asset_type: 'html', content } })
    const inner = shown().frameLocator('iframe')
    await expect.poll(() => inner.locator('body').textContent()).toMatch(/^null null nothing$/)
    const size = await page.locator('iframe.page').evaluate(({ clientWidth, clientHeight }) => [clientWidth, clientHeight])
    expect(size).toEqual([300, 250])
  })

  it('a video lights its quartiles as it plays', async () => {
    const video = { asset_type: 'video', url: 'https://cdn.example/v.webm', ...SIZE, duration_ms: SECONDS * 1000 } as const
    await open('spot', 'video_30s', { video })
    const lit = () => shown().locator('[data-at][style*="background"]').allTextContents()
    await shown().locator('video').waitFor()
    expect(await lit()).toEqual([])
    // Started by hand: Chromium pauses muted videos that a script started where it takes them for hidden.
    await shown().locator('video').scrollIntoViewIfNeeded()
    await shown().locator('video').evaluate('video => { video.muted = true }')
    await shown().locator('video').press('Space')
    await expect.poll(lit, { timeout: 30_000 }).toEqual(['Start', '25 %', '50 %', '75 %', 'Complete'])
  })

  it('the cards of a carousel scroll sideways on a phone', async () => {
    const cards = Object.fromEntries(
      ['1', '2', '3'].flatMap((number) => [
        [`card_${number}_image`, image],
        [`card_${number}_headline`, { asset_type: 'text', content: `Shoe ${number}` } as const],
      ]),
    )
    await open('carousel', 'social_carousel', cards)
    await page.getByText('On a phone, 390 pixels wide').click()
    const phone = page.frameLocator('iframe.phone')
    await phone.getByText('Shoe 1').waitFor()
    const row = phone.locator('body > div')
    const wide = await row.evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
    expect(wide).toBe(true)
  })

  it('nothing that a policy refused, and no error of a script', () => {
    expect(errors).toEqual([])
  })
})
