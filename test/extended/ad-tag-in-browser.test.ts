import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CHROME } from '../support/ad-publisher.ts'
import { CHROMIUM, launchChromium } from '../support/console-browser.ts'
import { pngOf } from '../support/creative-files.ts'
import { enterDirectOrder } from '../support/direct-orders.ts'
import { operatorBeside } from '../support/operator.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

const PICTURE = 'https://cdn.example/970.png'
const PLACE = 'news_home_billboard'

describe.skipIf(CHROMIUM === undefined)('the tag in a page of a publisher', () => {
  let agent: TestAgent
  let browser: Browser
  let site: Server
  let html = ''
  const address = () => `http://127.0.0.1:${(site.address() as AddressInfo).port}/`

  beforeAll(async () => {
    agent = await startAgent({ demo: true, flags: { 'adServer.type': 'embedded' } })
    const line = {
      ...{ line_id: 'own', product_id: 'news_homepage_display', priority: 'house' },
      starts_at: new Date(Date.now() - 3_600_000).toISOString(),
      ends_at: new Date(Date.now() + 10 * 86_400_000).toISOString(),
      creatives: [{ creative_id: 'own', width: 970, height: 250, click_url: 'https://daily.example/', image: { url: PICTURE } }],
    }
    const order = { order_id: 'own', name: 'Own', currency: 'USD', lines: [line] }
    const operator = operatorBeside(agent, () => new Date())
    await enterDirectOrder(operator, agent.tenant, { name: 'own.json', text: JSON.stringify(order) })
    site = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(html))
    await new Promise<void>((resolve) => void site.listen(0, '127.0.0.1', resolve))
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
    site?.close()
    await agent?.stop()
  })

  /** A page with the tag and places; `known` is what it says of itself. */
  async function open(places: string, { known = {}, script = '' } = {}): Promise<Page> {
    const source = `${new URL(agent.url).origin}/ads/tag.js`
    html = `<!doctype html><title>Daily</title><body style="margin:0">
<script>
  window.moved = 0
  new PerformanceObserver((list) => { for (const { value } of list.getEntries()) window.moved += value }).observe({ type: 'layout-shift', buffered: true })
  window.adcpAds = ${JSON.stringify(known)}
</script>
<script async src="${source}" data-publisher="${agent.tenant}" ${script}></script>
${places}<p id="after">What follows</p>`
    const context = await browser.newContext({ userAgent: CHROME, viewport: { width: 1_280, height: 800 } })
    await context.route(PICTURE, (route) => route.fulfill({ contentType: 'image/png', body: Buffer.from(pngOf(970, 250)) }))
    const page = await context.newPage()
    await page.clock.install()
    await page.goto(address())
    return page
  }
  const billboard = (attributes = '') =>
    `<div id="ad" data-ad="${PLACE}" data-sizes="970x250" style="min-height:266px" ${attributes}></div>`
  const stateOf = (page: Page) => page.locator('#ad').getAttribute('data-ad-state')

  it('writes a label above an ad, in the room that the page keeps, so that nothing moves', async () => {
    const page = await open(billboard(), { script: 'data-label="Annons"' })
    await expect.poll(() => stateOf(page)).toBe('shown')
    expect(await page.locator('#ad .ad-label').innerText()).toBe('Annons')
    expect(await page.locator('#ad').evaluate((place) => (place as unknown as { offsetHeight: number }).offsetHeight)).toBe(266)
    expect(await page.evaluate('window.moved')).toBe(0)
    await page.context().close()
  })

  it('gives the room of an empty place back where nobody sees what follows, and keeps it elsewhere', async () => {
    const empty = (id: string) => `<div id="${id}" data-ad="nothing_here" data-sizes="300x250" style="min-height:250px"></div>`
    const page = await open(`${empty('ad')}<p style="height:640px"></p>${empty('below')}`)
    await expect.poll(() => stateOf(page)).toBe('empty')
    await expect.poll(() => page.locator('#below').getAttribute('data-ad-state')).toBe('empty')
    const heights = await page.evaluate(`['ad', 'below'].map((id) => document.getElementById(id).offsetHeight)`)
    expect(heights).toEqual([250, 0])
    expect(await page.evaluate('window.moved')).toBe(0)
    await page.context().close()
  })

  it('is served whatever a page says wrongly of itself, and names what was left out', async () => {
    const known = {
      keyValues: { section: 'sport', article: 4711, long: ['x'.repeat(200)], nested: [{ a: 1 }] },
      keywords: ['football', 'y'.repeat(300)],
      visitorId: '',
    }
    const bodies: Record<string, unknown>[] = []
    const warnings: string[] = []
    const page = await open('', { known })
    page.on('request', (request) => void (request.url().endsWith('/decide') && bodies.push(JSON.parse(request.postData() ?? ''))))
    page.on('console', (message) => void warnings.push(message.text()))
    await page.evaluate(`document.body.insertAdjacentHTML('afterbegin', ${JSON.stringify(billboard())})`)
    await page.evaluate('window.adcpAds.scan()')
    await expect.poll(() => stateOf(page)).toBe('shown')
    expect(bodies.at(-1)?.key_values).toEqual({ section: ['sport'], article: ['4711'], nested: [] })
    expect(bodies.at(-1)).not.toHaveProperty('keywords')
    expect(bodies.at(-1)).not.toHaveProperty('visitor_id')
    const leftOut = warnings.filter((each) => each.startsWith('ads: left out'))
    expect(leftOut).toHaveLength(3)
    for (const member of ['key_values.long', 'keywords', 'visitor_id']) expect(leftOut.join(' ')).toContain(member)
    await page.context().close()
  })

  it('asks again when an ad was viewable for the time of its place, which is 30 seconds at least', async () => {
    const page = await open(billboard('data-refresh="10"'))
    let asked = 0
    page.on('request', (request) => {
      if (request.url().endsWith('/decide')) asked += 1
    })
    const viewable = page.waitForRequest((request) => request.url().includes('/ads/e/viewable'))
    await expect.poll(() => stateOf(page)).toBe('shown')
    await page.clock.fastForward(1_500)
    await viewable
    const before = asked
    await page.clock.fastForward(20_000)
    await page.waitForTimeout(300)
    expect(asked).toBe(before)
    await page.clock.fastForward(11_000)
    await expect.poll(() => asked).toBe(before + 1)
    await page.context().close()
  })
})
