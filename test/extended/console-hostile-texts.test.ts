import { randomUUID } from 'node:crypto'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operatorOn } from '../../src/compose/operator.ts'
import { setApprovalPolicy } from '../../src/operator/approvals/approval-policy.ts'
import { setCreativeReview } from '../../src/operator/creatives/review-creatives.ts'
import { listOrders } from '../../src/operator/order-list/list-orders.ts'
import { pauseOrder } from '../../src/operator/orders/change-order.ts'
import { savePlacement } from '../../src/operator/placements/manage-placements.ts'
import { saveReport } from '../../src/operator/reports/saved-reports.ts'
import { BASE_SOURCE } from '../../src/protocol/contract-source.ts'
import { Schemas } from '../../src/protocol/schemas.ts'
import { saveBrands } from '../../src/store/brand/brands.ts'
import { BRANDS } from '../support/brand-agent.ts'
import { CHROMIUM, launchChromium, openPage } from '../support/console-browser.ts'
import { invitationOf, PASSWORD } from '../support/console-client.ts'
import { consoleRouteTable } from '../support/console-routes.ts'
import { contradicted } from '../support/contradicted-report.ts'
import { banner } from '../support/creative-agent.ts'
import { enterDirectOrder } from '../support/direct-orders.ts'
import { hostileRequests, type PayloadOf } from '../support/hostile-requests.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { operatorBeside, performAs } from '../support/operator.ts'
import { storeOwnCheck } from '../support/own-check.ts'

/** Texts that end attributes and elements, then run a script or make an element. */
const FULL = `'"></textarea></title></pre><xss-probe></xss-probe><img src=x onerror="window.xss=1"><script>window.xss=1</script>`
const SHORT = `"><xss-probe>`
const payloadOf: PayloadOf = (_member, kind, maxLength) => {
  const text = kind === 'address' ? `https://brand.example/${FULL}` : FULL
  return text.length <= maxLength ? text : SHORT.slice(0, maxLength)
}
/** Code of a buyer that tries to leave its frame. */
const HTML5 = `<script>try{parent.xss=1}catch{};try{top.location='https://brand.example/'}catch{};fetch('/console/account',{credentials:'include'}).then((r)=>r.text()).then(()=>{top.xss=1}).catch(()=>{})</script>`
/** Pages of one route that are loaded: as many as show different kinds of things. */
const PAGES_OF_A_ROUTE = 6

let agent: MediaBuyAgent
let browser: Browser
let base: string
let origin: string
const errors: string[] = []
/** What no page may show: the key of the buyer, and the token that it gave for its webhooks. */
const SECRET = 'webhook-token-of-the-buyer-0123456789'

beforeAll(async () => {
  if (CHROMIUM === undefined) return
  agent = await startMediaBuyAgent([
    productDocument('news', { name: FULL.slice(0, 100), description: FULL }),
    productDocument('takeover', {}, { approval: 'manual' }),
  ])
  const operator = operatorOn(agent.server.store, agent.config)
  await performAs(operator, agent.tenant, setCreativeReview, { mode: 'manual' })
  await performAs(operator, agent.tenant, setApprovalPolicy, { task: 'update_media_buy', when: 'always' })
  await agent.server.store.transaction((tx) => saveBrands(tx, agent.tenant, BRANDS, agent.server.clock()))
  await storeOwnCheck(agent.server.store, FULL, agent.server.clock())
  origin = new URL(agent.url).origin
  base = `/console/t/${agent.tenant}`
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await agent?.stop()
})

async function administrator(): Promise<Page> {
  const page = await openPage(browser, errors, { userAgent: `Mozilla/5.0 ${FULL}` })
  await page.goto(origin + (await invitationOf(agent, 'administrator', agent.tenant)))
  await page.fill('#name', FULL.slice(0, 100))
  await page.fill('#username', 'hostile')
  await page.fill('#password', PASSWORD)
  await page.click('button.primary')
  await page.waitForURL('**/home')
  return page
}

/** Requests that are accepted, by task: what the texts are put into. */
async function acceptedRequests(): Promise<readonly (readonly [task: string, request: object])[]> {
  const order = {
    account: ACCOUNT,
    brand: { domain: 'brand.example' },
    start_time: '2026-03-02T00:00:00Z',
    end_time: '2026-03-12T00:00:00Z',
    packages: [{ product_id: 'news', pricing_option_id: 'cpm', budget: 100 }],
    push_notification_config: {
      url: 'https://93.184.215.14/hook',
      token: SECRET,
    },
  }
  const { data } = await agent.run('create_media_buy', order)
  expect(data.media_buy_id, JSON.stringify(data)).toBeDefined()
  const html5 = {
    ...banner(agent.url, 'html5'),
    format_id: { agent_url: agent.url, id: 'display_300x250_html' },
    assets: { html: { asset_type: 'html', content: HTML5 }, click_url: { asset_type: 'url', url: 'https://brand.example/' } },
  }
  await agent.run('sync_creatives', { creatives: [html5] })
  return [
    ['sync_accounts', { accounts: [{ brand: { domain: 'brand.example' }, operator: 'agency.example', billing: 'operator' }] }],
    ['create_media_buy', order],
    ['create_media_buy', { ...order, packages: [{ product_id: 'takeover', pricing_option_id: 'cpm', budget: 100 }] }],
    ['update_media_buy', { account: ACCOUNT, media_buy_id: data.media_buy_id, end_time: '2026-03-13T00:00:00Z' }],
    ['sync_creatives', { account: ACCOUNT, creatives: [banner(agent.url, 'hostile')] }],
    ['sync_event_sources', { account: ACCOUNT, event_sources: [{ event_source_id: 'shop', name: 'Shop' }] }],
    [
      'provide_performance_feedback',
      {
        media_buy_id: data.media_buy_id,
        measurement_period: { start: '2026-03-01T00:00:00Z', end: '2026-03-01T10:00:00Z' },
        performance_index: 1,
      },
    ],
    ['get_products', { buying_mode: 'brief', brief: 'news' }],
    [
      'acquire_rights',
      {
        account: ACCOUNT,
        rights_id: 'heron',
        pricing_option_id: 'month',
        buyer: { domain: 'brand.example' },
        revocation_webhook: { url: 'https://93.184.215.14/revoked' },
        campaign: { description: 'Spring', uses: ['likeness'], start_date: '2026-03-10', end_date: '2026-04-20' },
      },
    ],
  ]
}

/** Elements and attributes that a payload made, addresses that run code (the QR code of an authenticator app is an image of ours), and whether anything ran. */
const EXAMINE = `(() => {
  const made = [...document.querySelectorAll('xss-probe, img[src="x"], script:not([src])')].map((each) => each.outerHTML)
  const handlers = [...document.querySelectorAll('*')].flatMap((each) => [...each.attributes].filter(({ name }) => name.startsWith('on')).map(({ name }) => name))
  const isCode = (each) => each.matches('img.qr') && each.getAttribute('src').startsWith('data:image/svg+xml;base64,')
  const addresses = [...document.querySelectorAll('[href], [src], [action], [formaction]')]
    .filter((each) => !isCode(each))
    .flatMap((each) => ['href', 'src', 'action', 'formaction'].map((name) => each.getAttribute(name) ?? ''))
    .filter((address) => /^\\s*(javascript|vbscript|data:(?!,))/i.test(address))
  const links = [...document.querySelectorAll('a[href]')].map(({ href }) => href)
  return { found: [...made, ...handlers, ...addresses, ...(window.xss === undefined ? [] : ['it ran'])], links, text: document.documentElement.innerText }
})()`

interface Examined {
  readonly found: readonly string[]
  readonly links: readonly string[]
  readonly text: string
}

describe.skipIf(CHROMIUM === undefined)('every text that a buyer can send (skipped without Chromium)', () => {
  it('is shown as a text on every page: nothing runs, no element is made, and no secret is shown', async () => {
    const schemas = new Schemas(BASE_SOURCE)
    const page = await administrator()
    await page.goto(`${origin}${base}/buyers/buyer/calls`)
    await page.getByRole('button', { name: 'Record its calls for an hour' }).click()
    await page.getByText('are recorded for an hour').waitFor()
    const accepted = new Set<string>()
    for (const [task, right] of await acceptedRequests()) {
      const path = schemas.pathsOf(task)?.request ?? ''
      for (const { member, request } of hostileRequests(schemas, schemas.document(path), right, payloadOf)) {
        const { isError } = await agent.buyer.call(task, { ...request, idempotency_key: randomUUID() })
        if (!isError) accepted.add(`${task} ${member}`)
      }
    }
    const line = {
      line_id: 'line-1',
      product_id: 'news',
      priority: 'standard',
      starts_at: '2026-03-01T00:00:00Z',
      ends_at: '2026-04-01T00:00:00Z',
      creatives: [{ creative_id: 'a', width: 300, height: 250, image: { url: 'https://cdn.brand.example/a.png' } }],
    }
    const direct = { order_id: 'direct', name: FULL.slice(0, 100), advertiser: FULL.slice(0, 100), lines: [line] }
    const operator = operatorBeside(agent, agent.server.clock)
    await enterDirectOrder(operator, agent.tenant, { name: 'direct.json', text: JSON.stringify(direct) })
    await performAs(operator, agent.tenant, savePlacement, { placement: 'rail', name: FULL.slice(0, 100) })
    await performAs(operator, agent.tenant, saveReport, { report: FULL.slice(0, 100), buyer: FULL.slice(0, 100) })
    const reported = { tenantId: agent.tenant, principalId: 'buyer', accountId: 'acc_reported' }
    await contradicted(agent.server.store, reported, agent.server.clock())
    // Only a paused order has the page that resumes one.
    const { items } = await performAs(operator, agent.tenant, listOrders, { status: ['pending_creatives'] })
    const paused = items[0]?.media_buy_id
    await performAs(operator, agent.tenant, pauseOrder, { order: paused })
    // Otherwise the test would show nothing: most members of the requests take free texts.
    expect([...accepted].length).toBeGreaterThan(60)

    const routes = consoleRouteTable()
      .filter(({ method, path }) => method === 'GET' && !/live$|\.(?:csv|xlsx)$|export|callback|elsewhere|preview$/.test(path))
      .map(({ path }) => ({ path, loaded: 0, like: new RegExp(`^/console${path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`) }))
    const queue = [
      `${origin}${base}/orders/${paused}`,
      `${origin}${base}/home`,
      `${origin}/console/account`,
      `${origin}/console/publishers`,
      `${origin}/`,
    ]
    const seen = new Set(queue)
    let shown = 0
    for (let address = queue.shift(); address !== undefined && seen.size < 2_000; address = queue.shift()) {
      const route = routes.find(({ like }) => like.test(new URL(address ?? '').pathname))
      if (route && route.loaded >= PAGES_OF_A_ROUTE) continue
      if (route) route.loaded += 1
      await page.goto(address, { waitUntil: 'domcontentloaded' })
      const { found, links, text }: Examined = await page.evaluate(EXAMINE)
      expect([address, found]).toEqual([address, []])
      if (address.includes('/t/')) expect([address, text]).toEqual([address, expect.stringContaining('Sign out')])
      for (const secret of [SECRET, agent.key])
        expect([address, (await page.content()).includes(secret)]).toEqual([address, false])
      if (text.includes('<xss-probe>')) shown += 1
      for (const link of links.map((each) => each.split('#', 1)[0] ?? '')) {
        if (!link.startsWith(`${origin}/console`) || seen.has(link) || /[./]csv|\.xlsx|export\.|preview$/.test(link)) continue
        seen.add(link)
        queue.push(link)
      }
    }
    const missed = routes.filter(({ loaded }) => loaded === 0).map(({ path }) => path)
    // A second factor is asked for before the sign-in, and passkeys need a domain.
    const before = ['/sign-in', '/sign-in/second-factor', '/join/{token}', '/', '/account/second-factor/passkeys']
    expect(missed).toEqual([...before, ...missed.filter((path) => NEEDS_MORE.test(path))])
    expect(shown).toBeGreaterThan(8)
    const stopped = errors.filter((text) => !/Failed to load resource|net::|brand\.example|sandbox|Refused|blocked/i.test(text))
    expect(stopped).toEqual([])
    await page.context().close()
  })
})

/** Pages that show what this publisher has none of: its invoices, which a month has to end for, and a network of Google Ad Manager; links of mails lead on to pages that are here. */
const NEEDS_MORE =
  /^\/open\/|^\/t\/\{tenant\}\/(settings\/ad-servers\/\{name\}\/(drafts|orders)|adopted-orders\/|billing\/(\{invoice\}|reconciliation\/)|billing\/close(\/lines)?$|products\/\{id\}\/restore|webhooks\/)/
