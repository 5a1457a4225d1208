import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page, type Request } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operatorOn } from '../../src/compose/operator.ts'
import { startMatchRouter } from '../../src/compose/trusted-match/match-router.ts'
import { storeSource } from '../../src/compose/trusted-match/router-source.ts'
import { loadMatchRouterSettings } from '../../src/config/match-router-settings.ts'
import { makeMatchKey } from '../../src/operator/trusted-match/match-keys.ts'
import { registerProvider } from '../../src/operator/trusted-match/match-providers.ts'
import { createLog } from '../../src/platform/log.ts'
import { matchSchemas } from '../../src/protocol/match-schemas.ts'
import { Schemas } from '../../src/protocol/schemas.ts'
import { PROPERTY } from '../support/match-router.ts'
import { acting } from '../support/operator.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'
import { sha256 } from '../support/trusted-match-provider.ts'

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => existsSync(path))
// biome-ignore lint/suspicious/noConsole: a skipped test says why
if (CHROMIUM === undefined) console.log('Trusted Match in a browser is not tested: there is no Chromium.')

const ACCOUNT = { brand: { domain: 'brand.example' }, operator: 'agency.example' }
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')
const PLACE = 'news_home_billboard'
const USER = { identities: [{ user_token: 'reader-1', uid_type: 'uid2' }], consent: { gdpr: false }, country: 'US' }

describe.skipIf(CHROMIUM === undefined)('Trusted Match in a real browser', () => {
  let agent: TestAgent
  let router: Awaited<ReturnType<typeof startMatchRouter>>
  let folder: string
  let browser: Browser
  const site = {
    origin: '',
    html: '',
    server: createServer((_request, response) => void response.setHeader('content-type', 'text/html').end(site.html)),
  }
  let page: Page
  let mediaBuyId: string
  const log: Request[] = []
  const origin = () => new URL(agent.url).origin
  const agentUrl = () => agent.server.services.wiring.agentUrl
  const asked = (path: string) => log.filter((request) => new URL(request.url()).pathname === path && request.method() === 'POST')
  const impressions = () => log.filter((request) => request.url().includes('/trusted-match/demo/impression'))
  const exposures = () => agent.server.store.read.selectFrom('match_exposures').selectAll().execute()

  /** Opens a page with one place and asks for it; gives what the page joined, and how the place ended. */
  const visit = async (opportunity: object) => {
    log.length = 0
    await page.goto(`${site.origin}/page`)
    const asking = { placementId: PLACE, ...opportunity }
    const joined = await page.evaluate(`adcpMatch(${JSON.stringify(asking)}).then(({ packageIds }) => packageIds)`)
    const place = page.locator('[data-ad][data-ad-state]')
    // Without an ad the place has no size, and is not visible.
    await place.waitFor({ state: 'attached', timeout: 60_000 })
    return { joined: joined as string[], state: await place.getAttribute('data-ad-state') }
  }

  beforeAll(async () => {
    agent = await startAgent({ demo: true, flags: { 'adServer.type': 'embedded' } })
    // A page of a real server: browsers refuse what is on this machine to pages from elsewhere.
    await new Promise<void>((resolve) => site.server.listen(0, '127.0.0.1', resolve))
    site.origin = `http://127.0.0.1:${(site.server.address() as AddressInfo).port}`
    folder = mkdtempSync(join(tmpdir(), 'match-browser-'))
    const buyer = await agent.buyerOn(ACCOUNT, { principal: 'advertiser' })
    const run = async (task: string, args: object) => {
      const { isError, data } = await buyer.call(task, { idempotency_key: randomUUID(), account: ACCOUNT, ...args })
      if (isError) throw new Error(JSON.stringify(data))
      return data
    }
    const created = await run('create_media_buy', {
      brand: ACCOUNT.brand,
      start_time: 'asap',
      end_time: new Date(Date.now() + 10 * 86_400_000).toISOString(),
      packages: [{ product_id: 'news_homepage_display', pricing_option_id: 'cpm_usd_fixed', budget: 6_000 }],
    })
    mediaBuyId = created.media_buy_id
    const [{ package_id }] = created.packages
    const seller = encodeURIComponent(agentUrl())
    const tracker = `https://track.example/trusted-match/demo/impression?package_id=${package_id}&seller=${seller}&tmpx={TMPX}&imp_id={IMPRESSION_ID}`
    const image = { asset_type: 'image', url: 'https://cdn.example/970.gif', width: 970, height: 250, format: 'png' }
    const synced = await run('sync_creatives', {
      creatives: [
        {
          creative_id: 'ad',
          name: 'Ad',
          format_id: { agent_url: agentUrl(), id: 'display_970x250' },
          assets: {
            image,
            click_url: { asset_type: 'url', url: 'https://shop.example/boots' },
            impression_tracker: { asset_type: 'url', url: tracker },
          },
        },
      ],
      assignments: [{ creative_id: 'ad', package_id, placement_ids: [PLACE] }],
    })
    expect(synced.creatives.map(({ action, errors }: { action: string; errors?: unknown }) => [action, errors])).toEqual([
      ['created', undefined],
    ])
    const operator = operatorOn(agent.server.store, agent.config)
    await makeMatchKey(acting(operator, 'demo'))
    await registerProvider(acting(operator, 'demo'), {
      providerId: 'own',
      registration: {
        endpoint: `${origin()}/trusted-match/demo`,
        context_match: true,
        identity_match: true,
        countries: ['US'],
        uid_types: ['uid2'],
        timeout_ms: 5000,
        tmpx_slots: ['primary'],
      },
    })
    const file = join(folder, 'router.json')
    const keys = [{ sha256: sha256('page-key'), origins: [site.origin] }]
    writeFileSync(
      file,
      JSON.stringify({
        port: 0,
        development: true,
        tenant: 'demo',
        deadlineMs: 5000,
        contextCacheSeconds: 0,
        publishers: [{ id: 'demo', sellerAgentUrls: [agentUrl()], properties: [PROPERTY], keys }],
      }),
    )
    const schemas = matchSchemas()
    router = await startMatchRouter(loadMatchRouterSettings(new Schemas(), file), {
      schemas,
      log: createLog('silent'),
      source: await storeSource({ config: agent.config, tenantId: 'demo', development: true, schemas, log: createLog('silent') }),
    })
    browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args: ['--no-sandbox', '--disable-gpu', '--no-first-run'] })
    // A headless browser says so, and programs are counted apart.
    const userAgent = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
    page = await (await browser.newContext({ userAgent, viewport: { width: 1280, height: 1000 } })).newPage()
    const html = `<!doctype html><title>Page</title><div data-ad="${PLACE}" data-sizes="970x250" style="min-height:50px"></div>
      <script src="http://127.0.0.1:${router.port}/tmp.js" data-key="page-key" data-property="${PROPERTY}" data-seller="${agentUrl()}"
        data-identity="http://localhost:${router.port}" data-tag="${origin()}/ads/tag.js" data-publisher="demo"></script>
      <script>
        const match = window.adcpMatch
        window.adcpMatch = (opportunity) => match({ tmpxMapping: { own: { primary: 'TMPX' } }, ...opportunity })
      </script>`
    site.html = html
    await page.route('https://cdn.example/**', (route) => route.fulfill({ body: PIXEL, contentType: 'image/gif' }))
    // Trackers are https addresses; this one leads to the provider that the agent is.
    await page.route('https://track.example/**', async (route) => {
      const { pathname, search } = new URL(route.request().url())
      const answer = await fetch(origin() + pathname + search, { signal: AbortSignal.timeout(60_000) })
      await route.fulfill({ status: answer.status, body: Buffer.from(await answer.arrayBuffer()), contentType: 'image/gif' })
    })
    page.on('request', (request) => void log.push(request))
  })
  afterAll(async () => {
    await browser?.close()
    site.server.closeAllConnections()
    await new Promise((resolve) => site.server.close(resolve))
    await router?.close()
    await agent?.stop()
    if (folder) rmSync(folder, { recursive: true, force: true })
  })

  it('shows what was bought, once its line serves', async () => {
    await expect.poll(async () => (await visit({})).state, { timeout: 30_000, interval: 500 }).toBe('shown')
  }, 120_000)

  it('asks two questions that have nothing in common, joins them, and shows what both allow', async () => {
    const before = (await exposures()).length
    const { joined, state } = await visit(USER)
    expect(joined).toHaveLength(1)
    expect(state).toBe('shown')
    const [contexts, identities] = [asked('/context'), asked('/identity')]
    expect([contexts.length, identities.length]).toEqual([1, 1])
    const [context, identity] = [contexts[0]?.postData() ?? '', identities[0]?.postData() ?? '']
    expect(context).not.toMatch(/reader-1|uid2|identities|consent/)
    expect(identity).not.toMatch(new RegExp(`${PLACE}|/page|package|property|${PROPERTY}`))
    const idOf = (body: string) => String(JSON.parse(body).request_id)
    expect(idOf(context).slice(0, 8)).not.toBe(idOf(identity).slice(0, 8))
    expect(new URL(contexts[0]?.url() ?? '').host).not.toBe(new URL(identities[0]?.url() ?? '').host)
    for (const request of [contexts[0], identities[0]]) {
      const headers = (await request?.allHeaders()) ?? {}
      expect([headers.referer, headers.cookie]).toEqual([undefined, undefined])
    }
    // The impression goes to the tracker of the creative with its exposure token, and counts for the user.
    await expect.poll(() => impressions().length, { timeout: 60_000 }).toBe(1)
    const query = new URL(impressions()[0]?.url() ?? '').searchParams
    expect(query.get('tmpx')).toMatch(/^a1\.[A-Za-z0-9_-]+$/)
    expect(query.get('imp_id')).toMatch(/^\w+/)
    await expect.poll(async () => (await exposures()).length, { timeout: 60_000 }).toBe(before + 1)
    expect((await exposures()).at(-1)?.impression_id).toBe(query.get('imp_id'))
    expect(mediaBuyId).not.toBe('')
  })

  it.each([
    ['consent', { ...USER, consent: undefined }],
    ['tokens', { ...USER, identities: [] }],
  ])('asks about the context alone without %s', async (_name, opportunity) => {
    const before = (await exposures()).length
    const { state } = await visit(opportunity)
    expect(state).toBe('shown')
    expect([asked('/context').length, asked('/identity').length]).toEqual([1, 0])
    await expect.poll(() => impressions().length, { timeout: 60_000 }).toBe(1)
    expect((await exposures()).length).toBe(before)
  })

  it('sends a token of the day in the place of lasting ones', async () => {
    const plain = site.html
    site.html = plain.replace('data-publisher=', 'data-rotate="day" data-publisher=')
    try {
      const own = { user_token: 'reader-1', uid_type: 'publisher_first_party' }
      await visit({ ...USER, identities: [...USER.identities, own] })
      const [identity] = asked('/identity')
      expect(JSON.parse(identity?.postData() ?? '{}').identities).toEqual([
        { user_token: expect.stringMatching(/^[0-9a-f]{64}$/), uid_type: 'publisher_first_party' },
      ])
    } finally {
      site.html = plain
    }
  })

  it('serves the first view of a place without the user where the page says so, and asks about the user at the next', async () => {
    const plain = site.html
    site.html = plain.replace('data-publisher=', 'data-first="context" data-publisher=')
    try {
      const before = (await exposures()).length
      expect(await visit(USER)).toMatchObject({ state: 'shown' })
      expect([asked('/context').length, asked('/identity').length]).toEqual([1, 0])
      await expect.poll(() => impressions().length, { timeout: 60_000 }).toBe(1)
      expect((await exposures()).length, 'nobody is counted').toBe(before)
      await page.evaluate(`adcpMatch(${JSON.stringify({ placementId: PLACE, ...USER })}).then(() => true)`)
      expect([asked('/context').length, asked('/identity').length]).toEqual([2, 1])
      await page.evaluate(`adcpMatch(${JSON.stringify({ placementId: 'another-place', ...USER })}).then(() => true)`)
      expect(asked('/identity').length, 'the first view of another place').toBe(1)
    } finally {
      site.html = plain
    }
  })

  it('shows no package that a user is not eligible for', async () => {
    expect(await visit({ ...USER, country: 'FR', consent: { gdpr: false } })).toEqual({ joined: [], state: 'empty' })
    expect(impressions()).toEqual([])
  })
})
