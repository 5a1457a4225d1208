import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operatorOn } from '../../src/compose/operator.ts'
import { setCreativeReview } from '../../src/operator/creatives/review-creatives.ts'
import { CHROMIUM, launchChromium } from '../support/console-browser.ts'
import { PASSWORD } from '../support/console-client.ts'
import { joinedPerson, orderToApprove, startDecidingPublisher } from '../support/console-people.ts'
import { banner } from '../support/creative-agent.ts'
import type { MediaBuyAgent } from '../support/media-buy-agent.ts'
import { performAs } from '../support/operator.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** Where the pictures of the pages go; they are for people to look at. */
const PICTURES = process.env.CONSOLE_PICTURES
/** What a hostile buyer writes. */
const HOSTILE = `"><script>alert(1)</script><img src=x onerror=alert(1)>`
const PAGES =
  'home inbox orders creatives products products/import products/news products/news/archive products/seen buyers buyers/buyer buyers/buyer/calls reports activity webhooks directory people settings notifications'

let agent: MediaBuyAgent
let browser: Browser
let origin: string
let base: string
/** Errors that any page logged: a script that the policy stopped, or one that failed. */
const errors: string[] = []

beforeAll(async () => {
  if (CHROMIUM === undefined) return
  const started = await startDecidingPublisher()
  agent = started.agent
  await performAs(operatorOn(agent.server.store, agent.config), agent.tenant, setCreativeReview, { mode: 'manual' })
  origin = started.origin
  base = started.base
  browser = await launchChromium()
  if (PICTURES !== undefined) mkdirSync(PICTURES, { recursive: true })
})
afterAll(async () => {
  await browser?.close()
  await agent?.stop()
})

const personOf = (username: string, options: BrowserContextOptions = {}) =>
  joinedPerson({ agent, browser, errors }, username, options)
const order = (more: object = {}) => orderToApprove(agent, more)
const taskOf = async (id: string) => (await agent.buyer.call('tasks/get', { task_id: id })).data.status

async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES !== undefined) await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true })
}

describe.skipIf(CHROMIUM === undefined)('the console in Chromium (skipped where it is not installed)', () => {
  it('an order of an agent appears by itself, is approved, and paused', async () => {
    const page = await personOf('trafficker')
    await page.goto(`${base}/inbox`)
    await page.getByText('Nothing needs a decision').waitFor()
    const id = await order()
    await page.getByRole('heading', { name: /New order/ }).waitFor()
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByText('Approved.').waitFor()
    expect(await taskOf(id)).toBe('completed')

    const sent = await agent.run('sync_creatives', { creatives: [banner(agent.url, 'c-1', { name: HOSTILE })] })
    expect(sent.isError, JSON.stringify(sent.data)).toBe(false)
    await page.goto(`${base}/creatives`)
    await page.locator('.tile a').first().click()
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByText('Approved.').waitFor()

    await page.goto(`${base}/orders`)
    await page.locator('tbody a').first().click()
    await page.getByRole('link', { name: 'Pause' }).click()
    await page.getByLabel('Reason').fill('the page is down')
    await page.getByRole('button', { name: 'Pause the order' }).click()
    await page.getByText('Paused.').waitFor()
    await expect.poll(() => page.getByText('console:trafficker').count()).toBe(2)
    await page.context().close()
  })

  it('of two people the second one is told by name who was faster: with the mouse, with keys alone, and without scripts', async () => {
    const [first, second, third] = [
      await personOf('ann'),
      await personOf('bob'),
      await personOf('cleo', { javaScriptEnabled: false }),
    ]
    const id = await order()
    for (const page of [first, second, third]) await page.goto(`${base}/inbox/${id}`)
    // Somebody who writes is not interrupted: the page of the second one stays as it is.
    await second.keyboard.press('j')
    await second.keyboard.press('r')
    await second.keyboard.type('not this week')
    await first.keyboard.press('j')
    await first.keyboard.press('a')
    await first.keyboard.press('Enter')
    await first.getByText('Approved.').waitFor()
    await second.keyboard.press('Tab')
    await second.keyboard.press('Enter')
    await second.getByRole('heading', { name: 'Somebody was faster' }).waitFor()
    await second.getByText('ann Example approved it').waitFor()
    await third.getByText('Ask the buyer', { exact: true }).first().click()
    await third.getByLabel('What the buyer has to do before you decide.').fill('send the logo')
    await third.getByRole('button', { name: 'Ask the buyer' }).click()
    await third.getByText('ann Example approved it').waitFor()
    expect(await taskOf(id)).toBe('completed')
    for (const page of [first, second, third]) await page.context().close()
    errors.splice(0)
  })

  it('without scripts people read and decide, and after an expired session are where they wanted to be', async () => {
    const id = await order()
    const page = await personOf('max', { javaScriptEnabled: false })
    await page.context().clearCookies()
    await page.goto(`${base}/inbox/${id}`)
    await page.fill('#username', 'max')
    await page.fill('#password', PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(`**/inbox/${id}`)
    await page.getByText('Reject', { exact: true }).first().click()
    await page.getByLabel('Reason').fill('brand safety')
    await page.getByRole('button', { name: 'Reject' }).click()
    await page.getByText('Rejected.').waitFor()
    expect(await taskOf(id)).toBe('rejected')
    await page.context().close()
  })

  it.each([
    ['light', 1360],
    ['dark', 1360],
    ['light', 360],
  ] as const)(
    'no page has a serious fault for assistive technology, or is wider than the screen: %s, %i px',
    async (colorScheme, width) => {
      await order({ po_number: HOSTILE })
      const page = await personOf(`axe-${colorScheme}-${width}`, { colorScheme, viewport: { width, height: 900 } })
      await page.goto(`${base}/orders`)
      const own = await page.locator('tbody a').first().getAttribute('href')
      const addresses = PAGES.split(' ').map((name) => `${base}/${name}`)
      for (const address of [...addresses, `${origin}${own}`, `${origin}/console/account`, `${origin}/`]) {
        await page.goto(address)
        const found: [string, string][] = await page.evaluate(
          `${AXE};axe.run().then(({ violations }) => violations.filter(({ impact }) => ['serious', 'critical'].includes(impact)).map(({ id, nodes }) => [id, nodes[0].html]))`,
        )
        expect([address, found]).toEqual([address, []])
        expect([address, await page.evaluate('document.documentElement.scrollWidth <= innerWidth')]).toEqual([address, true])
        await picture(page, `${address.slice(origin.length).replaceAll(/\W+/g, '-')}-${colorScheme}-${width}`)
      }
      await page.context().close()
    },
  )

  it('the policy stopped nothing of ours, nothing of a buyer ran, and the scripts are small', async () => {
    const foreign = errors.filter((text) => !/net::|Failed to load resource/.test(text))
    expect(foreign).toEqual([])
    const page = await personOf('last')
    await page.goto(`${base}/reports`)
    const scripts = await page.locator('script[src]').evaluateAll((all) => all.map((each) => each.getAttribute('src')))
    const sizes = await Promise.all(scripts.map(async (src) => (await (await fetch(origin + src)).arrayBuffer()).byteLength))
    expect(sizes.length).toBeGreaterThan(1)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(120_000)
    await page.context().close()
  })
})
