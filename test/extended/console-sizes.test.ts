import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operatorOn } from '../../src/compose/operator.ts'
import { CONSOLE } from '../../src/console/route.ts'
import { closeMonth } from '../../src/operator/billing/close-month.ts'
import { setCreativeRule } from '../../src/operator/creatives/creative-rules.ts'
import { listOrders } from '../../src/operator/order-list/list-orders.ts'
import { pauseOrder } from '../../src/operator/orders/change-order.ts'
import { savePlacement } from '../../src/operator/placements/manage-placements.ts'
import { saveReport } from '../../src/operator/reports/saved-reports.ts'
import { BUSY_PRODUCTS, busyPublisher } from '../support/busy-publisher.ts'
import { CHROMIUM, launchChromium, openPage } from '../support/console-browser.ts'
import { invitationOf, PASSWORD } from '../support/console-client.ts'
import { consoleRouteTable } from '../support/console-routes.ts'
import { contradicted } from '../support/contradicted-report.ts'
import { enterDirectOrder } from '../support/direct-orders.ts'
import { type MediaBuyAgent, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { performAs } from '../support/operator.ts'
import { storeOwnCheck } from '../support/own-check.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** Where pictures of every page go, for people to look at; without it none are made. */
const PICTURES = process.env.CONSOLE_PICTURES
/** The smallest text that a person reads, in CSS pixels as they are shown: labels of charts and tables are of it. */
const SMALLEST_TEXT = 12

let agent: MediaBuyAgent
let browser: Browser
let origin: string
const clock = { now: new Date('2026-02-20T09:00:00Z') }
const errors: string[] = []
/** Found once: they are the same on every screen. */
let addresses: readonly string[] = []

beforeAll(async () => {
  if (CHROMIUM === undefined) return
  agent = await startMediaBuyAgent(BUSY_PRODUCTS, { clock: () => clock.now })
  await busyPublisher(agent, clock)
  const operator = { ...operatorOn(agent.server.store, agent.config), clock: () => clock.now }
  const rule = { buyer: 'harbour', advertiser: 'shoes.example', rule: 'approve' }
  await performAs(operator, agent.tenant, setCreativeRule, rule)
  const line = {
    line_id: 'banner',
    product_id: 'newsletter',
    priority: 'standard',
    starts_at: '2026-03-08T00:00:00Z',
    ends_at: '2026-03-20T00:00:00Z',
    targeting: {
      countries: ['DE'],
      devices: ['mobile'],
      browsers: ['chrome'],
      frequency_cap: { max_impressions: 3, window: { interval: 1, unit: 'days' } },
    },
    creatives: [{ creative_id: 'a', width: 300, height: 250, image: { url: 'https://cdn.brand.example/a.png' } }],
  }
  const direct = { order_id: 'spring', name: 'Spring sale', advertiser: 'Garden Centre', lines: [line] }
  await enterDirectOrder(operator, agent.tenant, { name: 'spring.json', text: JSON.stringify(direct) })
  const rail = { placement: 'rail', name: 'Rail', targeting: line.targeting }
  await performAs(operator, agent.tenant, savePlacement, rail)
  // A paused order is what the page that resumes one is for.
  const { items } = await performAs(operator, agent.tenant, listOrders, { status: ['active'] })
  await performAs(operator, agent.tenant, pauseOrder, { order: items[0]?.media_buy_id })
  await performAs(operator, agent.tenant, saveReport, { report: 'week', by: ['day', 'order'], last_days: 7 })
  const reported = { tenantId: agent.tenant, principalId: 'buyer', accountId: 'acc_reported' }
  await contradicted(agent.server.store, reported, agent.server.clock())
  await storeOwnCheck(agent.server.store, 'each answer has the context of its request', agent.server.clock())
  await performAs(operator, agent.tenant, closeMonth, { month: '2026-02' })
  origin = new URL(agent.url).origin
  browser = await launchChromium()
  if (PICTURES !== undefined) mkdirSync(PICTURES, { recursive: true })
})
afterAll(async () => {
  await browser?.close()
  await agent?.stop()
})

/** Routes that answer with something else than a page, or only in the middle of a sign-in. */
const NO_PAGE =
  /\/live$|[./](csv|xlsx)$|export\.|\/billing\/.+\/(pdf|xlsx|csv|ubl|\{format\})$|\/preview$|callback|elsewhere|^\/$/

/** An address for each page of the route table: ids come from the links of lists. Throws for a page that no link leads to. */
async function addressesOf(page: Page): Promise<readonly string[]> {
  const base = `${CONSOLE}/t/${agent.tenant}`
  // A form leads to `billing/close`, no link, and the lines of a preview are linked from there.
  const links = new Set([
    `${base}/home`,
    `${CONSOLE}/account`,
    `${CONSOLE}/publishers`,
    `${base}/billing/close`,
    `${base}/billing/close/lines`,
  ])
  for (const address of links) {
    if (links.size > 400) break
    await page.goto(origin + address, { waitUntil: 'domcontentloaded' })
    const found: string[] = await page.evaluate(`[...document.querySelectorAll('a[href]')].map(({ pathname }) => pathname)`)
    for (const path of found) if (path.startsWith(CONSOLE) && !NO_PAGE.test(path)) links.add(path)
  }
  const pages = consoleRouteTable().filter(({ method, path }) => method === 'GET' && !NO_PAGE.test(path))
  // `/products/import` is a page of its own, and no product.
  const fixed = new Set(pages.map(({ path }) => CONSOLE + path.replace('{tenant}', agent.tenant)))
  const chosen = pages.map(({ path }) => {
    const like = new RegExp(`^${CONSOLE}${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
    return {
      path,
      address: [...links].find(
        (link) => like.test(link) && (link === CONSOLE + path.replace('{tenant}', agent.tenant) || !fixed.has(link)),
      ),
    }
  })
  const missing = chosen.filter(({ address }) => address === undefined).map(({ path }) => path.replace('/t/{tenant}', ''))
  expect(missing.filter((path) => !WITHOUT_EXAMPLE.test(path))).toEqual([])
  return [...chosen.flatMap(({ address }) => address ?? []), '/', `${base}/no-such-page`]
}

/** Pages of people who are not signed in, and of things that this publisher has none of. Those of a network are measured in gam/onboarding.test.ts, those of second factors in second-factor.test.ts. */
const WITHOUT_EXAMPLE =
  /^\/sign-in$|^\/sign-in\/second-factor$|^\/account\/second-factor\/passkeys$|^\/settings\/ad-servers\/\{name\}\/(drafts|orders)|^\/adopted-orders\/|^\/(?:join|open)\/|^\/products\/\{id\}\/restore$|^\/webhooks\/\{id\}$/

const EXAMINE = `(async () => {
  const { violations } = await axe.run()
  const faults = violations.filter(({ impact }) => ['serious', 'critical'].includes(impact)).map(({ id, nodes }) => id + ' ' + nodes[0].html)
  const zoom = Number(getComputedStyle(document.documentElement).zoom || 1)
  const tiny = [...document.querySelectorAll('body *')].filter((element) => {
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '')
    return hasText && element.checkVisibility() && parseFloat(getComputedStyle(element).fontSize) * zoom < ${SMALLEST_TEXT}
  }).map((element) => 'tiny ' + element.outerHTML.slice(0, 120))
  const wide = document.documentElement.scrollWidth > document.documentElement.clientWidth ? ['wider than the screen'] : []
  return [...faults, ...tiny.slice(0, 3), ...wide]
})()`

/** Some fifty pages, each examined by axe: minutes on a slow machine. It only ends what hangs. */
const WHOLE_CONSOLE_MS = 900_000

const SCREENS = [
  ['light', 1280, 800],
  ['dark', 1280, 800],
  ['dark', 360, 740],
  ['light', 360, 740],
  ['light', 3840, 2160],
] as const

describe.skipIf(CHROMIUM === undefined)('every page of the console (skipped without Chromium)', () => {
  it.each(SCREENS)(
    'in %s, %i pixels wide: no serious fault of axe, no tiny text, not wider than the screen',
    async (colorScheme, width, height) => {
      const viewport = { width, height }
      const page = await openPage(browser, errors, { colorScheme, viewport })
      await page.goto(origin + (await invitationOf(agent, 'administrator')))
      await page.fill('#name', 'Nora Newcomer')
      await page.fill('#username', `nora-${colorScheme}-${width}`)
      await page.fill('#password', PASSWORD)
      await page.click('button.primary')
      await page.waitForURL('**/home')
      const found: (readonly [string, readonly string[]])[] = []
      addresses = addresses.length === 0 ? await addressesOf(page) : addresses
      expect(addresses.length).toBeGreaterThan(30)
      for (const address of addresses) {
        await page.goto(origin + address)
        const faults: string[] = await page.evaluate(`${AXE};${EXAMINE}`)
        if (faults.length > 0) found.push([address, faults])
        const name = `${width}-${colorScheme}-${address.replace(`${CONSOLE}/t/${agent.tenant}/`, '').replaceAll(/\W+/g, '-')}`
        if (PICTURES !== undefined) await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: width < 2000 })
      }
      // What a change would come to: a page that a form leads to.
      await page.goto(`${origin}${CONSOLE}/t/${agent.tenant}/direct-orders/spring/edit`)
      await page.fill('#name', 'Summer sale')
      await page.fill('#line-0-countries', 'DE, AT')
      await page.click('button.primary')
      await page.getByRole('button', { name: 'Save the changes' }).waitFor({ timeout: 30_000 })
      const faults: string[] = await page.evaluate(`${AXE};${EXAMINE}`)
      if (faults.length > 0) found.push(['changes of a direct order', faults])
      if (PICTURES !== undefined)
        await page.screenshot({
          path: join(PICTURES, `${width}-${colorScheme}-direct-orders-changes.png`),
          fullPage: width < 2000,
        })
      const visitor = await openPage(browser, errors, { colorScheme, viewport })
      const joining = await invitationOf(agent, 'viewer', agent.tenant)
      for (const address of [
        '/',
        '/console/sign-in',
        '/console/sign-in?next=%2Fconsole',
        joining,
        '/console/join/no-such-link',
      ]) {
        await visitor.goto(origin + address)
        const faults: string[] = await visitor.evaluate(`${AXE};${EXAMINE}`)
        if (faults.length > 0) found.push([address, faults])
      }
      // What a person without the role is shown.
      await visitor.goto(origin + joining)
      await visitor.fill('#name', 'Vera Viewer')
      await visitor.fill('#username', `vera-${colorScheme}-${width}`)
      await visitor.fill('#password', PASSWORD)
      await visitor.click('button.primary')
      await visitor.waitForURL('**/home')
      for (const address of ['products/import', 'home', 'settings']) {
        await visitor.goto(`${origin}${CONSOLE}/t/${agent.tenant}/${address}`)
        const faults: string[] = await visitor.evaluate(`${AXE};${EXAMINE}`)
        if (faults.length > 0) found.push([`${address} of a viewer`, faults])
      }
      await visitor.context().close()
      expect(found).toEqual([])
      await page.context().close()
    },
    WHOLE_CONSOLE_MS,
  )

  it('home shows decisions, orders off their plan, revenue, webhooks and the ad servers on one screen of 1280 by 800', async () => {
    const page = await openPage(browser, errors, { viewport: { width: 1280, height: 800 } })
    await page.goto(origin + (await invitationOf(agent, 'administrator')))
    await page.fill('#name', 'Nora')
    await page.fill('#username', 'nora-home')
    await page.fill('#password', PASSWORD)
    await page.click('button.primary')
    await page.waitForURL('**/home')
    for (const text of ['Revenue today', 'In 7 days', 'In 30 days', 'Running orders', 'Spent', 'Webhooks', 'Ad servers']) {
      const box = await page.locator('.figure .name').getByText(text, { exact: true }).boundingBox()
      expect([text, box !== null && box.y + box.height < 800]).toEqual([text, true])
    }
    for (const list of await page.locator('.halves .panel').all()) {
      const box = await list.boundingBox()
      expect(box !== null && box.y + box.height < 800).toBe(true)
    }
    await page.context().close()
  })
})
