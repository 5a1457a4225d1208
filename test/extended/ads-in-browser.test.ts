import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AgentClient } from '../support/client.ts'
import { fetchFrom, pngOf } from '../support/creative-files.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'
import { keyFrameOf, webmOf } from '../support/webm.ts'

/** Where Debian and most others put it; CI installs it. */
const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => existsSync(path))
// biome-ignore lint/suspicious/noConsole: a skipped test says why
if (CHROMIUM === undefined) console.log('Ads in a browser are not tested: there is no Chromium.')

const ACCOUNT = { brand: { domain: 'brand.example' }, operator: 'agency.example' }
/** Of the spot: long enough for its format, with few bytes. */
const [WIDTH, HEIGHT, SECONDS] = [1280, 720, 15]
const click = { asset_type: 'url', url: 'https://shop.example/boots' }
const image = (width: number, height: number) => ({
  asset_type: 'image',
  url: `https://cdn.example/${width}.png`,
  width,
  height,
  format: 'png',
})

/** What an advertiser's code would try, told to whoever embeds it. */
const PROBE = `<p id="ran">HTML5</p><script>
  const tried = {}
  for (const [name, attempt] of Object.entries({
    page: () => parent.document.title,
    cookie: () => document.cookie,
    storage: () => localStorage.length,
    // Opened by itself it is the top, and may lead itself elsewhere.
    ...(top !== self && { top: () => { top.location.href = 'https://evil.example/' } }),
    text: () => eval('1'),
    worker: () => navigator.serviceWorker.register('/ads/tag.js'),
  })) { try { attempt(); tried[name] = 'allowed' } catch (error) { tried[name] = error.name } }
  tried.origin = self.origin
  tried.features = ['camera', 'microphone', 'geolocation', 'payment', 'usb', 'fullscreen', 'autoplay', 'clipboard-read']
    .filter((name) => document.featurePolicy.allowsFeature(name))
  const form = document.body.appendChild(document.createElement('form'))
  form.action = 'https://evil.example/'
  form.submit()
  const broken = []
  addEventListener('securitypolicyviolation', ({ effectiveDirective }) => broken.push(effectiveDirective))
  const object = document.body.appendChild(document.createElement('object'))
  object.data = '/ads/tag.js'
  Promise.allSettled([
    fetch('http://127.0.0.1:9/').then(() => 'allowed', ({ name }) => name),
    new Promise((resolve, reject) => navigator.geolocation.getCurrentPosition(() => resolve('allowed'), ({ code }) => resolve(code === 1 ? 'denied' : 'failed'))),
  ]).then((found) => {
    ;[tried.plainHttp, tried.position] = found.map(({ value }) => value)
    setTimeout(() => {
      tried.broken = [...new Set(broken)].sort()
      parent.postMessage({ tried }, '*')
    }, 300)
  })
</script>`

const KEEP_TRIED = "addEventListener('message', ({ data }) => { if (data?.tried) window.tried = data.tried })"

/** A frame of video, as the browser encodes it. */
async function keyFrame(browser: Browser): Promise<Buffer> {
  const page = await browser.newPage()
  const image: unknown = await page.evaluate(`(() => {
    const canvas = Object.assign(document.createElement('canvas'), { width: ${WIDTH}, height: ${HEIGHT} })
    const context = canvas.getContext('2d', { alpha: false })
    context.fillStyle = 'teal'
    context.fillRect(0, 0, ${WIDTH / 2}, ${HEIGHT})
    return canvas.toDataURL('image/webp', 0.5)
  })()`)
  await page.close()
  return keyFrameOf(Buffer.from(String(image).split(',')[1] ?? '', 'base64'))
}

/** A package for each kind of ad: product, price, format and assets. */
const PACKAGES = [
  {
    product_id: 'news_homepage_display',
    pricing_option_id: 'cpm_usd_fixed',
    format: 'display_970x250',
    place: 'news_home_billboard',
    assets: { image: image(970, 250), click_url: click },
  },
  {
    product_id: 'news_homepage_display',
    pricing_option_id: 'cpm_usd_fixed',
    format: 'display_300x250_html5',
    place: 'news_home_right',
    assets: { html: { asset_type: 'html', content: PROBE }, click_url: click },
  },
  {
    product_id: 'native_content',
    pricing_option_id: undefined,
    format: 'native_content',
    place: 'native_content',
    assets: {
      image: image(1200, 628),
      headline: { asset_type: 'text', content: 'Walk <b>further</b>' },
      body: { asset_type: 'text', content: 'Boots for long ways.' },
      click_url: click,
    },
  },
  {
    product_id: 'sports_preroll_q2',
    pricing_option_id: undefined,
    format: 'video_15s',
    place: 'sports_preroll_q2',
    assets: {
      video: {
        asset_type: 'video',
        url: 'https://cdn.example/v.webm',
        width: WIDTH,
        height: HEIGHT,
        duration_ms: SECONDS * 1000,
        container_format: 'webm',
        video_codec: 'vp9',
        video_bitrate_kbps: 2500,
        has_audio: true,
      },
      click_url: click,
    },
  },
] as const

describe.skipIf(CHROMIUM === undefined)('the demo page in a real browser', () => {
  let agent: TestAgent
  let buyer: AgentClient
  let browser: Browser
  let page: Page
  let mediaBuyId: string
  let packageIds: readonly string[]

  const run = async (task: string, args: object) => {
    const { isError, data } = await buyer.call(task, { idempotency_key: randomUUID(), account: ACCOUNT, ...args })
    if (isError) throw new Error(JSON.stringify(data))
    return data
  }
  const origin = () => new URL(agent.url).origin
  const delivery = async () => {
    const report = await run('get_media_buy_delivery', { media_buy_ids: [mediaBuyId] })
    const rows: readonly {
      package_id: string
      impressions: number
      clicks?: number
      views?: number
      completed_views?: number
    }[] = report.media_buy_deliveries[0].by_package
    return packageIds.map((id) => rows.find((row) => row.package_id === id))
  }

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args: ['--no-sandbox', '--disable-gpu', '--no-first-run'] })
    // What advertisers have on their servers; pages get it from ours.
    const files = new Map(
      [970, 1200].map((width) => [`https://cdn.example/${width}.png`, pngOf(width, width === 970 ? 250 : 628)]),
    )
    files.set('https://cdn.example/v.webm', webmOf(await keyFrame(browser), { width: WIDTH, height: HEIGHT, seconds: SECONDS }))
    agent = await startAgent({
      demo: true,
      safeFetch: fetchFrom(files),
      flags: { 'adServer.type': 'embedded', 'ads.creativeFiles': 'hosted' },
    })
    buyer = await agent.buyerOn(ACCOUNT, { principal: 'advertiser' })
    const agentUrl = agent.server.services.wiring.agentUrl
    const { products } = await run('get_products', {
      buying_mode: 'wholesale',
      pagination: { max_results: 100 },
      fields: ['pricing_options'],
    })
    const priceOf = (productId: string): string => {
      const found = products.find((product: { product_id: string }) => product.product_id === productId)
      return found.pricing_options.find(
        (option: { pricing_model: string; fixed_price?: number }) => option.pricing_model === 'cpm',
      ).pricing_option_id
    }
    const created = await run('create_media_buy', {
      brand: ACCOUNT.brand,
      start_time: 'asap',
      end_time: new Date(Date.now() + 10 * 86_400_000).toISOString(),
      packages: PACKAGES.map(({ product_id, pricing_option_id }) => ({
        product_id,
        pricing_option_id: pricing_option_id ?? priceOf(product_id),
        budget: 6_000,
      })),
    })
    mediaBuyId = created.media_buy_id
    packageIds = created.packages.map(({ package_id }: { package_id: string }) => package_id)
    const synced = await run('sync_creatives', {
      creatives: PACKAGES.map(({ format, assets }, index) => ({
        creative_id: `ad-${index}`,
        name: `Ad ${index}`,
        format_id: { agent_url: agentUrl, id: format },
        assets,
      })),
      assignments: packageIds.map((package_id, index) => {
        const { place, product_id } = PACKAGES[index] ?? PACKAGES[0]
        return { creative_id: `ad-${index}`, package_id, ...(place !== product_id && { placement_ids: [place] }) }
      }),
    })
    expect(
      synced.creatives.map(({ action }: { action: string }) => action),
      JSON.stringify(synced.creatives),
    ).toEqual(PACKAGES.map(() => 'created'))
    // A headless browser says so, and programs are counted apart.
    const userAgent = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
    page = await (await browser.newContext({ userAgent, viewport: { width: 1280, height: 5_000 } })).newPage()
    await page.addInitScript(KEEP_TRIED)
  })
  afterAll(async () => {
    await browser?.close()
    await agent?.stop()
  })

  it('shows image, HTML5 and native soon after approval', async () => {
    const shown = (place: string) => page.locator(`[data-ad="${place}"][data-ad-state="shown"]`)
    // Lines begin with the minute of the order; a page that comes too early is asked again.
    await expect
      .poll(
        async () => {
          await page.goto(`${origin()}/ads/demo/demo`)
          await page
            .waitForFunction("document.querySelectorAll('[data-ad]:not([data-ad-state])').length === 0", undefined, {
              timeout: 4_000,
            })
            .catch(() => {})
          return Promise.all(PACKAGES.slice(0, 3).map(({ place }) => shown(place).count()))
        },
        { timeout: 60_000, interval: 500 },
      )
      .toEqual([1, 1, 1])
    const banner = shown('news_home_billboard').locator('img')
    expect(await banner.getAttribute('src')).toMatch(/\/ads\/files\/demo\/[0-9a-f]{32}\.png$/)
    const pixels = await page.evaluate(
      `(({ naturalWidth, naturalHeight }) => [naturalWidth, naturalHeight])(document.querySelector('[data-ad="news_home_billboard"] img'))`,
    )
    expect(pixels).toEqual([970, 250])
    expect(await shown('native_content').innerText()).toContain('Walk <b>further</b>')
    expect(await page.frameLocator('[data-ad="news_home_right"] iframe').locator('#ran').innerText()).toBe('HTML5')
  })

  it('keeps code of advertisers out of the page', async () => {
    await expect.poll(() => page.evaluate('window.tried?.origin')).toBe('null')
    const tried = await page.evaluate('window.tried')
    expect(tried).toEqual({
      page: 'SecurityError',
      cookie: 'SecurityError',
      storage: 'SecurityError',
      top: 'SecurityError',
      text: 'EvalError',
      worker: expect.stringMatching(/^(SecurityError|TypeError)$/),
      origin: 'null',
      features: [],
      plainHttp: 'TypeError',
      position: 'denied',
      broken: expect.arrayContaining(['connect-src', 'object-src']),
    })
    expect(page.url()).toContain('/ads/demo/demo')
    expect(await page.context().cookies()).toEqual([])
  })

  it('keeps code of advertisers without an origin where its document is opened by itself, beside a signed-in person', async () => {
    const address = await page.locator('[data-ad="news_home_right"] iframe').getAttribute('src')
    const alone = await page.context().newPage()
    await alone.context().addCookies([{ name: 'session', value: 'secret', url: origin() }])
    // It is its own parent.
    await alone.addInitScript(KEEP_TRIED)
    await alone.goto(address ?? '')
    // Polled from here: its policy has no place for the evaluation that a wait in the page takes.
    await expect.poll(() => alone.evaluate('window.tried?.origin')).toBe('null')
    expect(await alone.evaluate('window.tried')).toMatchObject({
      cookie: 'SecurityError',
      storage: 'SecurityError',
      text: 'EvalError',
      origin: 'null',
      features: [],
      position: 'denied',
    })
    expect(alone.url()).toBe(address)
    await alone.context().clearCookies()
    await alone.close()
  })

  it('counts no event again that another browser sends', async () => {
    const before = await delivery()
    const sent: string[] = []
    page.on('request', (request) => void (request.url().includes('/ads/e/impression') && sent.push(request.url())))
    await page.goto(`${origin()}/ads/demo/demo`)
    await expect.poll(() => sent.length).toBeGreaterThan(0)
    await page.waitForTimeout(1_000)
    const first = [...sent]
    const sum = (rows: Awaited<ReturnType<typeof delivery>>) => rows.reduce((all, row) => all + (row?.impressions ?? 0), 0)
    await expect.poll(async () => sum(await delivery()) - sum(before)).toBe(first.length)
    // The browser of somebody else sends the same addresses again.
    const stranger = await browser.newContext({ userAgent: 'Mozilla/5.0 (Windows NT 10.0) Chrome/141.0.0.0 Safari/537.36' })
    for (const url of first) expect((await stranger.request.post(url)).status()).toBe(200)
    expect(sum(await delivery()) - sum(before)).toBe(first.length)
    await stranger.close()
  })

  it('plays video by VAST in a client of others, and the buyer is told what the browser saw', async () => {
    const path = createRequire(import.meta.url)
      .resolve('@dailymotion/vast-client')
      .replace(/dist[\\/].*$/, 'dist/vast-client.min.js')
    const source = readFileSync(path, 'utf8')
    // The demo page plays the same spot.
    await page.goto('about:blank')
    const before = (await delivery())[3]
    const player = await page.context().newPage()
    const seen: string[] = []
    player.on('request', (request) => seen.push(...(/\/ads\/e\/(\w+)\?/.exec(request.url())?.slice(1) ?? [])))
    await player.route(`${origin()}/player`, (route) =>
      route.fulfill({ body: '<!doctype html><title>Player</title>', contentType: 'text/html' }),
    )
    await player.goto(`${origin()}/player`)
    const library = `data:text/javascript;base64,${Buffer.from(source).toString('base64')}`
    const tag = `${origin()}/ads/demo/vast?place=sports_preroll_q2`
    // A text, so that the test's own compiler leaves the import alone.
    const played = await player.evaluate(`(async () => {
      const { VASTClient, VASTTracker } = await import(${JSON.stringify(library)})
      const client = new VASTClient()
      let ad
      // A line that is paced evenly has an impression every few moments.
      for (let tries = 0; tries < 40 && !ad; tries += 1) {
        if (tries > 0) await new Promise((resolve) => setTimeout(resolve, 500))
        ad = (await client.get(${JSON.stringify(tag)})).ads[0]
      }
      const [creative] = ad.creatives
      const [file] = creative.mediaFiles
      const tracker = new VASTTracker(client, ad, creative)
      const video = document.createElement('video')
      Object.assign(video, { muted: true, src: file.fileURL })
      document.body.append(video)
      video.addEventListener('playing', () => tracker.trackImpression(), { once: true })
      video.addEventListener('timeupdate', () => tracker.setProgress(video.currentTime))
      const ended = new Promise((resolve, reject) => {
        video.addEventListener('ended', resolve)
        video.addEventListener('error', () => reject(new Error('the file does not play: ' + video.error.message)))
        setTimeout(() => reject(new Error('stopped at ' + video.currentTime)), 30_000)
      })
      await video.play()
      await ended
      tracker.complete()
      return { file: file.fileURL, type: file.mimeType, duration: video.duration, declared: creative.duration, width: video.videoWidth, height: video.videoHeight }
    })()`)
    expect(played).toEqual({
      file: expect.stringMatching(new RegExp(`^${origin()}/ads/files/demo/[0-9a-f]{32}\\.webm$`)),
      type: 'video/webm',
      duration: SECONDS,
      declared: SECONDS,
      width: WIDTH,
      height: HEIGHT,
    })
    const kinds = ['impression', 'start', 'firstQuartile', 'midpoint', 'thirdQuartile', 'complete']
    await expect.poll(() => [...seen].sort()).toEqual([...kinds].sort())
    const grown = async () => {
      const after = (await delivery())[3]
      const by = (name: 'impressions' | 'views' | 'completed_views') => (after?.[name] ?? 0) - (before?.[name] ?? 0)
      return [by('impressions'), by('views'), by('completed_views')]
    }
    await expect.poll(grown).toEqual([1, 1, 1])
    await player.close()
  })

  it('is reported to the buyer exactly as the browser saw it', async () => {
    const before = await delivery()
    const seen: string[] = []
    page.on('request', (request) => {
      const [, kind] = /\/ads\/e\/(\w+)\?/.exec(request.url()) ?? []
      if (kind !== undefined) seen.push(kind)
    })
    const places = PACKAGES.slice(0, 3).map(({ place }) => place)
    for (let load = 0; load < 3; load += 1) {
      await page.goto(`${origin()}/ads/demo/demo`)
      for (const place of places)
        await page.locator(`[data-ad="${place}"][data-ad-state]:not([data-ad-state="failed"])`).waitFor()
    }
    const [popup] = await Promise.all([page.waitForEvent('popup'), page.locator('[data-ad="news_home_billboard"] a').click()])
    await popup.close()
    const impressions = () => seen.filter((kind) => kind === 'impression').length
    const counted = (rows: Awaited<ReturnType<typeof delivery>>) => rows.reduce((sum, row) => sum + (row?.impressions ?? 0), 0)
    await expect.poll(async () => counted(await delivery()) - counted(before)).toBe(impressions())
    expect((await delivery())[0]?.clicks).toBe(1)
    expect(impressions()).toBeGreaterThan(0)
  })

  it('fits a screen of 360 pixels', async () => {
    const phone = await page.context().newPage()
    await phone.setViewportSize({ width: 360, height: 780 })
    await phone.goto(`${origin()}/ads/demo/demo`)
    await phone.locator('video, [data-video][data-ad-state="empty"]').first().waitFor()
    expect(await phone.evaluate('document.documentElement.scrollWidth')).toBe(360)
    await phone.close()
  })
})
