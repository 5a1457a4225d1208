import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BUSY_PRODUCTS, busyPublisher } from '../support/busy-publisher.ts'
import { CHROMIUM, launchChromium, openPage } from '../support/console-browser.ts'
import { invitationOf, PASSWORD } from '../support/console-client.ts'
import { type MediaBuyAgent, startMediaBuyAgent } from '../support/media-buy-agent.ts'

/** `docs/pictures` puts the pictures where the docs show them; without it they go to a folder that is removed. */
const CHOSEN = process.env.CONSOLE_PICTURES
/** What a page of the docs loads at most for one picture, in bytes. */
const MAX_BYTES = 150_000

let agent: MediaBuyAgent
let browser: Browser
const clock = { now: new Date('2026-03-01T09:00:00Z') }
let folder: string

beforeAll(async () => {
  if (CHROMIUM === undefined) return
  folder = CHOSEN ?? mkdtempSync(join(tmpdir(), 'sales-agent-pictures-'))
  mkdirSync(folder, { recursive: true })
  agent = await startMediaBuyAgent(BUSY_PRODUCTS, { clock: () => clock.now })
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await agent?.stop()
  if (CHOSEN === undefined && folder !== undefined) rmSync(folder, { recursive: true, force: true })
})

/** In the place of buyers' servers: a picture for each address. */
const DRAWN = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 250"><rect width="300" height="250" fill="#f3e9dc"/><circle cx="150" cy="105" r="58" fill="#8a5a35"/><rect x="70" y="190" width="160" height="26" rx="13" fill="#2f2a26"/></svg>`

async function administrator(): Promise<Page> {
  const page = await openPage(browser, [], { viewport: { width: 1280, height: 720 } })
  await page.route(/^https:/, (route) => route.fulfill({ contentType: 'image/svg+xml', body: DRAWN }))
  await page.goto(new URL(agent.url).origin + (await invitationOf(agent, 'administrator', agent.tenant)))
  await page.fill('#name', 'Nora Newcomer')
  await page.fill('#username', 'nora')
  await page.fill('#password', PASSWORD)
  await page.click('button.primary')
  await page.waitForURL('**/home')
  return page
}

describe.skipIf(CHROMIUM === undefined)('pictures for the docs (skipped without Chromium)', () => {
  it('show the main pages of a publisher in the middle of a week', async () => {
    await busyPublisher(agent, clock)
    const page = await administrator()
    const origin = new URL(agent.url).origin
    const base = `${origin}/console/t/${agent.tenant}`
    const picture = async (name: string, address?: string) => {
      if (address !== undefined) await page.goto(address)
      const bytes = await page.screenshot({ path: join(folder, `${name}.png`) })
      expect([name, bytes.byteLength < MAX_BYTES]).toEqual([name, true])
    }
    await picture('home', `${base}/home`)
    await picture('inbox', `${base}/inbox`)
    await picture('orders', `${base}/orders`)
    await page.getByRole('row').filter({ hasText: '$12,000.00' }).getByRole('link').first().click()
    await page.locator('.chart canvas').first().waitFor()
    await picture('order')
    await page.goto(`${base}/creatives`)
    await page.waitForFunction('[...document.images].slice(0, 3).every(({ naturalWidth }) => naturalWidth > 0)')
    await picture('creatives')
    await picture('reports', `${base}/reports?first=2026-03-01&last=2026-03-07`)
    await picture('landing', `${origin}/`)
    await page.context().close()
  })
})
