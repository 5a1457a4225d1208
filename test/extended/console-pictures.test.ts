import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operatorOn } from '../../src/compose/operator.ts'
import { setCreativeReview } from '../../src/operator/creatives/review-creatives.ts'
import { createKey } from '../../src/operator/keys/create-key.ts'
import { addPrincipal } from '../../src/operator/principals/add-principal.ts'
import { setTenant } from '../../src/operator/tenants/set-tenant.ts'
import { agentClient } from '../support/client.ts'
import { CHROMIUM, launchChromium, openPage } from '../support/console-browser.ts'
import { invitationOf, PASSWORD } from '../support/console-client.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { banner } from '../tasks/creative/creative-agent.ts'

/** `docs/pictures` puts the pictures where the docs show them; without it they go to a folder that is removed. */
const CHOSEN = process.env.CONSOLE_PICTURES
/** What a page of the docs loads at most for one picture, in bytes. */
const MAX_BYTES = 120_000

let agent: MediaBuyAgent
let browser: Browser
let now = new Date('2026-03-01T09:00:00Z')
let folder: string

beforeAll(async () => {
  if (CHROMIUM === undefined) return
  folder = CHOSEN ?? mkdtempSync(join(tmpdir(), 'sales-agent-pictures-'))
  mkdirSync(folder, { recursive: true })
  agent = await startMediaBuyAgent(PRODUCTS, { clock: () => now })
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await agent?.stop()
  if (CHOSEN === undefined && folder !== undefined) rmSync(folder, { recursive: true, force: true })
})

const cpm = (fixed_price: number) => ({
  pricing_options: [{ pricing_option_id: 'cpm', pricing_model: 'cpm' as const, currency: 'USD', fixed_price }],
})
const PRODUCTS = [
  productDocument('home', { name: 'Home page, top banner', description: 'Above the news', ...cpm(15) }),
  productDocument('sport', { name: 'Sport, beside the results', description: 'On each match page', ...cpm(12) }),
  productDocument('newsletter', { name: 'Morning newsletter', description: 'Each morning at six', ...cpm(30) }),
  productDocument(
    'takeover',
    { name: 'Home page takeover', description: 'All places for a day', delivery_type: 'guaranteed', ...cpm(40) },
    { approval: 'manual', daily_capacity: 400_000 },
  ),
]

interface Buyer {
  readonly brand: string
  readonly run: (task: string, args: object) => Promise<Readonly<Record<string, unknown>>>
}

async function buyer(id: string, name: string, brand: string): Promise<Buyer> {
  const operator = { ...operatorOn(agent.server.store, agent.config), clock: agent.server.clock }
  const who = { tenantId: agent.tenant, principalId: id }
  await addPrincipal(operator, { ...who, name, agentUrl: undefined, sandbox: false, signingRequired: false })
  const { token } = await createKey(operator, { ...who, scopes: undefined, expires: undefined })
  const client = agentClient(agent.url, token)
  const account = { brand: { domain: brand }, operator: `${id}.example` }
  const run: Buyer['run'] = async (task, args) => {
    const { isError, data } = await client.call(task, { idempotency_key: randomUUID(), account, ...args })
    if (isError) throw new Error(JSON.stringify(data))
    return data
  }
  await run('sync_accounts', { account: undefined, accounts: [{ ...account, billing: 'operator' }] })
  return { brand, run }
}

async function order({ brand, run }: Buyer, product_id: string, budget: number, days: number, creatives: readonly string[] = []) {
  await run('create_media_buy', {
    brand: { domain: brand },
    start_time: new Date(now.getTime() + 3_600_000).toISOString(),
    end_time: new Date(now.getTime() + days * 86_400_000).toISOString(),
    packages: [
      {
        product_id,
        pricing_option_id: 'cpm',
        budget,
        ...(creatives.length > 0 && { creative_assignments: creatives.map((creative_id) => ({ creative_id })) }),
      },
    ],
  })
}

/** A publisher in the middle of a week: orders of three buyers, of which some run, one has no creative, and two wait. */
async function publisher(): Promise<void> {
  const operator = { ...operatorOn(agent.server.store, agent.config), clock: agent.server.clock }
  await setTenant(operator, agent.tenant, { name: 'Daily News', domain: 'daily.example' })
  const coffee = await buyer('north', 'North Media', 'coffee.example')
  const shoes = await buyer('harbour', 'Harbour Agency', 'shoes.example')
  const trains = await buyer('plain', 'Plain & Partners', 'trains.example')
  const creatives = (names: readonly string[]) => ({
    creatives: names.map((name) => banner(agent.url, name.toLowerCase().replaceAll(' ', '-'), { name })),
  })
  await coffee.run('sync_creatives', creatives(['Roast']))
  await shoes.run('sync_creatives', creatives(['Spring run']))
  await trains.run('sync_creatives', creatives(['Night trains']))
  await order(coffee, 'home', 12_000, 14, ['roast'])
  await order(coffee, 'sport', 3_400, 21, ['roast'])
  await order(shoes, 'sport', 8_250, 10, ['spring-run'])
  await order(trains, 'newsletter', 1_800, 9, ['night-trains'])
  await order(trains, 'home', 5_000, 30)
  now = new Date('2026-03-07T14:20:00Z')
  await order(shoes, 'newsletter', 2_600, 12, ['spring-run'])
  await setCreativeReview(operator, agent.tenant, 'manual')
  await coffee.run('sync_creatives', creatives(['Espresso', 'Filter', 'Cold brew']))
  await trains.run('sync_creatives', creatives(['Day trains', 'Weekend']))
  now = new Date('2026-03-07T15:05:00Z')
  await order(shoes, 'takeover', 18_000, 2)
  await order(trains, 'takeover', 9_500, 4)
}

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
    await publisher()
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
