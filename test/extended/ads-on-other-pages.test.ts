import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAdTokens } from '../../src/ad-serving/embedded/tokens.ts'
import { deploymentSecrets } from '../../src/compose/deployment-secrets.ts'
import { operatorOn } from '../../src/compose/operator.ts'
import { uploadCreative } from '../../src/operator/creatives/upload-file.ts'
import { derivedSecrets } from '../../src/security/secrets/derived-secret.ts'
import { CHROMIUM, launchChromium, openPage } from '../support/console-browser.ts'
import { performAs } from '../support/operator.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

const ACCOUNT = { brand: { domain: 'brand.example' }, operator: 'agency.example' }
/** A GIF by its first bytes, and a script that sets a variable. */
const POLYGLOT = Buffer.from(
  'GIF89a=0/*\x01\x01\x00\x00\x2c\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x00\x3b*/;window.ran=1;//',
  'latin1',
)

let agent: TestAgent
let browser: Browser
let site: Server
let address: string
let ads: string
/** Where pixels of the site lead to. */
let redirect: string | undefined
const errors: string[] = []
const pages = new Map<string, { readonly html: string; readonly policy?: string }>()

beforeAll(async () => {
  if (CHROMIUM === undefined) return
  agent = await startAgent({ demo: true, flags: { 'adServer.type': 'embedded' } })
  ads = new URL(agent.url).origin
  const buyer = await agent.buyerOn(ACCOUNT, { principal: 'advertiser' })
  const run = async (task: string, args: object) => {
    const { isError, data } = await buyer.call(task, { idempotency_key: randomUUID(), account: ACCOUNT, ...args })
    if (isError) throw new Error(JSON.stringify(data))
    return data
  }
  const { packages } = await run('create_media_buy', {
    brand: ACCOUNT.brand,
    start_time: 'asap',
    end_time: new Date(Date.now() + 10 * 86_400_000).toISOString(),
    packages: [{ product_id: 'ros_display', pricing_option_id: 'cpm_usd_auction', bid_price: 3, budget: 5_000 }],
  })
  const html = { asset_type: 'html', content: '<p id="shown">Boots</p>' }
  await run('sync_creatives', {
    creatives: [
      {
        creative_id: 'boots',
        name: 'Boots',
        format_id: { agent_url: agent.server.services.wiring.agentUrl, id: 'display_300x250_html5' },
        assets: { html, click_url: { asset_type: 'url', url: 'https://brand.example/' } },
      },
    ],
    assignments: [{ creative_id: 'boots', package_id: packages[0].package_id }],
  })
  site = createServer((request, response) => {
    if (redirect !== undefined && request.url?.startsWith('/redirect')) {
      response.writeHead(302, { Location: redirect }).end()
      return
    }
    const { html: text, policy } = pages.get(request.url ?? '') ?? { html: '' }
    if (policy !== undefined) response.setHeader('Content-Security-Policy', policy)
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(`<!doctype html><title>News</title>${text}`)
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  const bound: AddressInfo | string | null = site.address()
  // Another host than that of the ad server, and another origin.
  address = `http://localhost:${typeof bound === 'object' ? bound?.port : ''}`
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await agent?.stop()
  site?.close()
})

const shownAt = (page: Page, id: string) => page.locator(`#${id}[data-ad-state="shown"]`).count()

describe.skipIf(CHROMIUM === undefined)('on a page of another origin (skipped without Chromium)', () => {
  it('the tag works under a policy that allows the ad server alone, asks for what comes into view, and sets no cookie', async () => {
    const place = (id: string) => `<div id="${id}" data-ad="ros_display" data-kind="display" data-sizes="300x250"></div>`
    pages.set('/strict', {
      policy: `default-src 'none'; script-src ${ads}; connect-src ${ads}; frame-src ${ads}; img-src ${ads}`,
      html: `<script async src="${ads}/ads/tag.js" data-publisher="demo"></script>${place('first')}${'<br>'.repeat(400)}${place('last')}`,
    })
    const page = await openPage(browser, errors)
    const asked: string[] = []
    page.on('request', (request) => request.url().includes('/decide') && asked.push(request.postData() ?? ''))
    // A line begins with the minute of its order: a page that comes too early is loaded again.
    await expect
      .poll(
        async () => {
          asked.length = 0
          await page.goto(`${address}/strict`)
          await page.waitForSelector('#first[data-ad-state]', { timeout: 60_000 })
          return shownAt(page, 'first')
        },
        { timeout: 30_000, interval: 1_000 },
      )
      .toBe(1)
    expect(await page.frameLocator('#first iframe').locator('#shown').innerText()).toBe('Boots')
    expect(asked).toHaveLength(1)
    await page.locator('#last').scrollIntoViewIfNeeded()
    await page.waitForSelector('#last[data-ad-state]')
    expect(asked).toHaveLength(2)
    expect(await page.context().cookies()).toEqual([])
    expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(0)
    expect(errors).toEqual([])
  })

  /** Loads a page until it shows its ad. */
  async function openUntilShown(page: Page, path: string): Promise<void> {
    await expect
      .poll(
        async () => {
          await page.goto(`${address}${path}`)
          await page.waitForSelector('#only[data-ad-state]', { timeout: 60_000 })
          return shownAt(page, 'only')
        },
        { timeout: 30_000, interval: 1_000 },
      )
      .toBe(1)
  }
  const tagWith = (consent: object) =>
    `<script>window.adcpAds = ${JSON.stringify({ consent })}</script><script async src="${ads}/ads/tag.js" data-publisher="demo"></script><div id="only" data-ad="ros_display" data-sizes="300x250"></div>`
  const isCounted = async (url: string | undefined): Promise<number> => {
    const tokens = createAdTokens(derivedSecrets(deploymentSecrets(agent.config), 'ad-tokens', 'served'))
    const served = tokens.read(new URL(url ?? '').searchParams.get('t') ?? '')
    if (!served) throw new Error(`the address of an event has no token of this deployment: ${url}`)
    const rows = await agent.server.store.read
      .selectFrom('embedded_events')
      .select('event_id')
      .where('event_id', '=', `${served.decisionId}.impression`)
      .execute()
    return rows.length
  }

  it('the tag sends an impression again that was not answered, which counts once, and stores nothing without consent', async () => {
    pages.set('/unanswered', { html: tagWith({}) })
    const page = await openPage(browser, [])
    const sent: string[] = []
    // Nothing comes back, then a full spool, then an answer that is lost after the event was counted.
    await page.route('**/ads/e/impression**', async (route) => {
      const url = route.request().url()
      const tries = sent.push(url) && sent.filter((each) => each === url).length
      if (tries === 1) return route.abort('connectionreset')
      if (tries === 2) return route.fulfill({ status: 503, headers: { 'Access-Control-Allow-Origin': '*' } })
      await route.fetch()
      return tries === 3
        ? route.abort('connectionreset')
        : route.fulfill({ status: 200, headers: { 'Access-Control-Allow-Origin': '*' } })
    })
    await openUntilShown(page, '/unanswered')
    const triesOfLast = () => sent.filter((each) => each === sent.at(-1)).length
    await expect.poll(triesOfLast, { timeout: 30_000 }).toBe(4)
    expect(await isCounted(sent.at(-1))).toBe(1)
    expect(await page.evaluate('localStorage.length')).toBe(0)
    await page.context().close()
  })

  it('the tag sends from the next page what no server answered, where storage is consented to', async () => {
    pages.set('/consented', { html: tagWith({ gdpr: false }) })
    pages.set('/next', { html: tagWith({ gdpr: false }).replace('data-ad=', 'data-none=') })
    const page = await openPage(browser, [])
    const sent: string[] = []
    await page.route('**/ads/e/**', (route) => {
      sent.push(route.request().url())
      return route.abort('connectionreset')
    })
    await openUntilShown(page, '/consented')
    await expect.poll(() => page.evaluate("localStorage.getItem('adcp-ads-events')")).toContain('/ads/e/impression')
    const lost = sent.find((url) => url.includes('impression'))
    expect(await isCounted(lost)).toBe(0)
    await page.unrouteAll()
    await page.goto(`${address}/next`)
    await expect.poll(() => isCounted(lost), { timeout: 30_000 }).toBe(1)
    await expect.poll(() => page.evaluate('localStorage.length')).toBe(0)
    await page.context().close()
  })

  it('a pixel counts through a redirect of another host, once', async () => {
    pages.set('/redirected', { html: tagWith({}) })
    const page = await openPage(browser, [])
    let url: string | undefined
    await page.route('**/ads/e/**', (route) => {
      url ??= route.request().url()
      return route.fulfill({ status: 200, headers: { 'Access-Control-Allow-Origin': '*' } })
    })
    await openUntilShown(page, '/redirected')
    await expect.poll(() => url).toContain('/ads/e/impression')
    await page.unrouteAll()
    redirect = url
    for (const again of [1, 2])
      await page.evaluate(
        `new Promise((resolve) => { const image = new Image(); image.onload = resolve; image.onerror = resolve; image.src = '/redirect?${again}' })`,
      )
    await expect.poll(() => isCounted(url)).toBe(1)
    await page.context().close()
  })

  it('a hosted file that is a picture and a script at once runs nowhere', async () => {
    const operator = operatorOn(agent.server.store, agent.config)
    const { url } = await performAs(operator, agent.tenant, uploadCreative, { name: 'a.gif', content: POLYGLOT })
    const file = url.replace(/^https?:\/\/[^/]+/, ads)
    pages.set('/polyglot', {
      html: `<script src="${file}"></script><script type="module" src="${file}"></script><iframe src="${file}"></iframe><object data="${file}"></object>`,
    })
    const page = await openPage(browser, errors)
    const answers: string[] = []
    page.on(
      'response',
      (response) => response.url() === file && answers.push(`${response.status()} ${response.headers()['content-type']}`),
    )
    await page.goto(`${address}/polyglot`)
    await page.waitForLoadState('networkidle')
    expect(new Set(answers)).toEqual(new Set(['200 image/gif']))
    expect(await page.evaluate('window.ran')).toBeUndefined()
    expect(errors.join()).toContain('is not executable')
  })
})
