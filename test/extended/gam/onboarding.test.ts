import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CHROMIUM, launchChromium, mouse } from '../../support/console-browser.ts'
import { joinedPerson } from '../../support/console-people.ts'
import { type GamEmulator, startGamEmulator } from '../../support/gam-emulator.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'
import { findPython } from '../../support/python.ts'

const found = await findPython()
const PATIENCE = 300_000
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const isSkipped = 'reason' in found || CHROMIUM === undefined

const WORKERS: readonly [string, string, BrowserContextOptions][] = [
  ['a mouse', 'mouse', {}],
  ['no scripts', 'plain', { javaScriptEnabled: false }],
  ['a narrow screen in the dark', 'narrow', { viewport: { width: 360, height: 740 }, colorScheme: 'dark' }],
]

describe.skipIf(isSkipped)('a network of Google Ad Manager is connected, and products are drafted from it', () => {
  let emulator: GamEmulator | undefined
  let agent: MediaBuyAgent | undefined
  let browser: Browser | undefined
  const errors: string[] = []

  beforeAll(async () => {
    emulator = await startGamEmulator('python' in found ? found.python : '', { now: new Date().toISOString(), orders: 200 })
    agent = await startMediaBuyAgent([productDocument('news')], { clock: () => new Date() })
    browser = await launchChromium()
  }, PATIENCE)
  afterAll(async () => {
    await browser?.close()
    await agent?.stop()
    await emulator?.close()
  })

  /** Nothing that axe finds, and no wider than the screen. */
  async function isAccessible(page: Page, options: BrowserContextOptions): Promise<void> {
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true)
    if (options.javaScriptEnabled === false) return
    await page.evaluate(AXE)
    const result = Object(await page.evaluate("axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] })"))
    const violations: unknown = result.violations
    expect(JSON.stringify(violations, undefined, 1)).toBe('[]')
  }

  test.each(WORKERS)('with %s', { timeout: PATIENCE }, async (_who, name, options) => {
    if (!emulator || !agent || !browser) throw new Error('nothing runs')
    const page = await joinedPerson({ agent, browser, errors }, name, options)
    const hand = mouse(page)
    const base = `${new URL(agent.url).origin}/console/t/${agent.tenant}`
    const offered = async () => {
      const { products } = (await agent?.buyer.call('get_products', { buying_mode: 'wholesale' }))?.data ?? {}
      return products.map((product: { product_id: string }) => product.product_id).sort()
    }
    const before = await offered()

    await page.goto(`${base}/settings`)
    await hand.press('link', 'Connect Google Ad Manager')
    await isAccessible(page, options)
    await hand.write('Network code', '4711')
    await hand.write('Name here', name)
    await hand.open('More options')
    await hand.write('Options, as JSON', JSON.stringify({ endpoint: emulator.plain }))
    const key = (more: object) => ({ name: 'key.json', bytes: Buffer.from(JSON.stringify({ ...emulator?.keyFile, ...more })) })
    await hand.upload('Key file of the service account (JSON)', key({ client_email: 'other@project.example' }))
    await hand.press('button', 'Connect the network')
    await page.getByText('does not take these credentials').waitFor()
    await hand.upload('Key file of the service account (JSON)', key({}))
    await hand.press('button', 'Connect the network')

    await page.getByText('Unit 6', { exact: false }).first().waitFor()
    await isAccessible(page, options)
    await hand.write('Name of an ad unit has', 'Unit 1')
    await hand.press('button', 'Find ad units')
    await page.getByText('Unit 12', { exact: false }).first().waitFor()
    expect(await page.getByText('Unit 6', { exact: false }).count()).toBe(0)
    await hand.press('button', 'Draft products')
    await page.getByRole('heading', { name: 'Unit 12', exact: true }).waitFor()
    await isAccessible(page, options)
    expect(await page.locator('section[aria-labelledby^=draft-]').count()).toBe(10)
    expect(await offered()).toEqual(before)

    // Unit 12 was sold with a key and in one of its two sizes alone; its price is what was paid there.
    const draft = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Unit 12', exact: true }) })
    expect(await draft.innerText()).toContain('the median by impressions of')
    expect(await draft.innerText()).toContain('Only where section is sports')
    expect(await draft.innerText()).not.toContain('728x90')
    for (const box of await page.getByLabel(/^Save Unit /).all())
      if ((await box.getAttribute('aria-label')) !== 'Save Unit 12') await box.uncheck()
    await draft.getByLabel('Product id').fill(`twelve_${name}`)
    await draft.getByLabel(/^Price of a thousand/).fill('four')
    await page.getByLabel('For sale at once').check()
    await hand.press('button', 'Save the ticked products')
    await page.getByText('Unit 12: the price is "four"; write a number above 0, such as 4.5').waitFor()
    expect(await offered()).toEqual(before)
    await draft.getByLabel(/^Price of a thousand/).fill('4.5')
    await hand.press('button', 'Save the ticked products')
    await page.getByText('Added.').waitFor()

    expect(await offered()).toEqual([...before, `twelve_${name}`].sort())
    const { products } = (await agent.buyer.call('get_products', { buying_mode: 'wholesale' })).data
    const own = products.find((product: { product_id: string }) => product.product_id === `twelve_${name}`)
    expect(own.pricing_options).toMatchObject([{ fixed_price: 4.5 }])
    await page.goto(`${base}/activity`)
    await page.getByText('saved drafts of products of the ad server').first().waitFor()
    expect(errors.filter((error) => !error.includes('status of 400'))).toEqual([])
  })
})
