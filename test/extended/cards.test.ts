import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Frame, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedAgent, startAgent } from '../../tools/agent/start-agent.ts'
import { type CardHost, startCardHost } from '../support/card-host.ts'
import { CHROMIUM, launchChromium, openPage } from '../support/console-browser.ts'

// biome-ignore lint/suspicious/noConsole: a skipped test says why
if (CHROMIUM === undefined) console.log('Cards of assistants are not tested: there is no Chromium.')
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const BRIEF = { buying_mode: 'brief', brief: 'sports video in the US, 5000 USD', brand: { domain: 'demo-brand.example' } }

/** Where pictures of the cards go, for a person to look at; undefined: none are taken. */
const PICTURES = process.env.CARD_PICTURES

describe.skipIf(CHROMIUM === undefined)('cards in the host of an assistant', () => {
  let agent: StartedAgent
  let host: CardHost
  let browser: Browser
  let page: Page
  const errors: string[] = []

  beforeAll(async () => {
    agent = await startAgent({ environment: { SALES_AGENT_MODE: 'development' } })
    host = await startCardHost(agent.mcpUrl, agent.key)
    browser = await launchChromium()
    page = await openPage(browser, errors, { viewport: { width: 720, height: 900 } })
  })
  afterAll(async () => {
    await browser?.close()
    await host?.stop()
    await agent?.stop()
  })

  const picture = (name: string) => PICTURES && page.screenshot({ path: `${PICTURES}/${name}.png`, fullPage: true })
  const spendings = () => host.calls.filter(({ name }) => name === 'create_media_buy')

  it('shows products with price, reach and reason, and orders nothing before a person confirms it', async () => {
    const card = await host.show(page, 'get_products', BRIEF)
    const row = card.getByRole('listitem').filter({ hasText: 'Premium Sports Pre-roll' })
    await expect.poll(() => row.innerText()).toContain('$26.00 CPM, at least $2,500.00')
    expect(await row.innerText()).toContain('reaches US, CA')
    expect(await row.innerText()).toContain('Matches the brief')
    await picture('products')

    await row.getByRole('button', { name: 'Choose Premium Sports Pre-roll' }).click()
    await card.getByLabel('Budget in USD').fill('3 000,50')
    await picture('order-form')
    await card.getByRole('button', { name: 'Review the order' }).click()
    await expect.poll(() => card.getByRole('heading').first().innerText()).toBe('Confirm the order')
    expect(await card.locator('dl').innerText()).toContain('$3,000.50')
    expect(spendings()).toEqual([])
    await picture('confirm')

    const place = card.getByRole('button', { name: 'Place the order for $3,000.50' })
    await place.dblclick()
    await card.getByRole('heading', { name: /is placed|waits for the seller/ }).waitFor()
    await picture('ordered')
    expect(spendings()).toHaveLength(1)
    expect(host.told).toHaveLength(1)
    const { structuredContent } = await host.client.callTool({
      name: 'get_media_buys',
      arguments: { status_filter: ['pending_creatives', 'pending_start', 'active'] },
    })
    expect((structuredContent as { media_buys: unknown[] }).media_buys).toHaveLength(1)
  })

  it('says what is wrong with an order, in the words of the seller', async () => {
    const card = await host.show(page, 'get_products', BRIEF)
    await card.getByRole('button', { name: 'Choose Premium Sports Pre-roll' }).click()
    await card.getByLabel('Budget in USD').fill('a lot')
    await card.getByLabel('Budget in USD').press('Enter')
    await expect.poll(() => card.getByRole('alert').innerText()).toContain('"a lot" is not')
    await card.getByLabel('Budget in USD').fill('10')
    await card.getByRole('button', { name: 'Review the order' }).click()
    await card.getByRole('button', { name: 'Place the order for $10.00' }).click()
    await expect.poll(() => card.getByRole('alert').innerText()).toMatch(/^Not ordered: .*2,?500/)
  })

  it('shows orders and how far they are', async () => {
    const card = await host.show(page, 'get_media_buys', { status_filter: ['pending_creatives', 'pending_start', 'active'] })
    await card.getByRole('button', { name: /^Delivery of/ }).click()
    await expect.poll(() => card.getByRole('status').innerText()).toContain('of $3,000.50')
    await picture('orders')
  })

  it('shows what was delivered', async () => {
    const { structuredContent } = await host.client.callTool({
      name: 'get_media_buys',
      arguments: { status_filter: ['pending_creatives', 'pending_start', 'active'] },
    })
    const {
      media_buys: [order],
    } = structuredContent as { media_buys: { media_buy_id: string }[] }
    const card = await host.show(page, 'get_media_buy_delivery', { media_buy_ids: [order?.media_buy_id] })
    expect(await card.locator('main').innerText()).toMatch(/In all|Nothing was delivered/)
    await picture('delivery')
  })

  it('shows hostile texts as texts, and reaches nothing but its host', async () => {
    const attack = '<img src=x onerror="parent.postMessage(1)"><script>alert(1)</script>'
    const card = await host.show(page, 'get_products', BRIEF)
    const hostile = {
      products: [{ product_id: 'p', name: attack, description: attack, pricing_options: [], brief_relevance: attack }],
    }
    await card.evaluate(
      `dispatchEvent(new MessageEvent('message', { source: parent, data: { jsonrpc: '2.0', method: 'ui/notifications/tool-result', params: { structuredContent: ${JSON.stringify(hostile)} } } }))`,
    )
    await expect.poll(() => card.getByRole('heading', { level: 2 }).innerText()).toBe(attack)
    expect(await card.locator('img, main script').count()).toBe(0)
    const reached = await card.evaluate("fetch('http://127.0.0.1:1/').then(() => 'reached', (error) => error.message)")
    expect(reached).toContain('Failed to fetch')
    expect(errors.filter((text) => !/Content Security Policy|Refused to connect|violates/.test(text))).toEqual([])
    expect(errors.some((text) => /Content Security Policy/.test(text))).toBe(true)
    errors.length = 0
  })

  it.each(['US', 'dollars', '$', '12', {}, null, [['USD', 'EUR']]])('shows an amount whose currency is %j', async (currency) => {
    const card = await host.show(page, 'get_products', BRIEF, { locale: 'no language' })
    const option = { pricing_option_id: 'o', pricing_model: 'cpm', currency, fixed_price: 12.5 }
    const strange = { products: [{ product_id: 'p', name: 'Strange', pricing_options: [option] }] }
    await card.evaluate(
      `dispatchEvent(new MessageEvent('message', { source: parent, data: { jsonrpc: '2.0', method: 'ui/notifications/tool-result', params: { structuredContent: ${JSON.stringify(strange)} } } }))`,
    )
    await expect.poll(() => card.getByRole('listitem').innerText()).toContain('12.5')
    expect(errors).toEqual([])
  })

  it.each(['light', 'dark'] as const)('has no serious fault of accessibility, %s', async (theme) => {
    const shown: readonly [string, object][] = [
      ['get_products', BRIEF],
      ['get_media_buys', { status_filter: ['pending_creatives', 'pending_start', 'active'] }],
      ['get_media_buy_delivery', {}],
    ]
    const faults: unknown[] = []
    for (const [tool, input] of shown) {
      const card = await host.show(page, tool, input, { theme })
      faults.push(...(await seriousFaults(card)))
      if (tool !== 'get_products') continue
      await card.getByRole('button', { name: 'Choose Premium Sports Pre-roll' }).click()
      await card.getByLabel('Budget in USD').waitFor()
      faults.push(...(await seriousFaults(card)))
      await picture(`form-${theme}`)
    }
    expect(faults).toEqual([])
  })

  it('is one page of at most 60 kB that declares no origin', async () => {
    const { resources } = await host.client.listResources()
    const cards = resources.filter(({ uri }) => uri.startsWith('ui://'))
    expect(cards).toHaveLength(3)
    for (const { uri, mimeType } of cards) {
      const {
        contents: [content],
      } = await host.client.readResource({ uri })
      expect(mimeType).toBe('text/html;profile=mcp-app')
      expect(content?._meta).toEqual({ ui: { csp: {}, prefersBorder: true } })
      expect(content && 'text' in content ? content.text.length : 0).toBeLessThan(60_000)
    }
  })
})

async function seriousFaults(card: Frame): Promise<readonly unknown[]> {
  // A policy of contents keeps injected scripts out; `evaluate` runs beside the page.
  return (await card.evaluate(
    `${AXE};axe.run().then(({ violations }) => violations.filter(({ impact }) => ['serious', 'critical'].includes(impact)).map(({ id, nodes }) => [id, nodes[0].html]))`,
  )) as readonly unknown[]
}
