import { randomUUID } from 'node:crypto'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { consoleLines } from '../../src/cli/console-lines.ts'
import { operatorOn } from '../../src/compose/operator.ts'
import { agentClient } from '../support/client.ts'
import { CHROMIUM, type Hand, keyboard, launchChromium, mouse, openPage } from '../support/console-browser.ts'
import { PASSWORD } from '../support/console-client.ts'
import { banner } from '../support/creative-agent.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'
import { workbook } from '../support/workbook.ts'

const ACCOUNT = { brand: { domain: 'coffee.example' }, operator: 'agency.example' }

let browser: Browser
let agent: TestAgent | undefined
let now: Date
const errors: string[] = []

beforeAll(async () => {
  if (CHROMIUM !== undefined) browser = await launchChromium()
})
afterEach(async () => {
  await agent?.stop()
  agent = undefined
})
afterAll(() => browser?.close())

/** The link that `serve` prints while nobody can sign in. */
async function printedLink({ server, config }: TestAgent): Promise<string> {
  const operator = { ...operatorOn(server.store, config), clock: server.clock }
  const lines = await consoleLines(operator, { port: server.port })
  return lines.join('\n').match(/\/console\/join\/\S+/)?.[0] ?? ''
}

const hasNoScripts = (options: object) => 'javaScriptEnabled' in options

const WORKERS: readonly [string, (page: Page) => Hand, object][] = [
  ['a mouse', mouse, {}],
  ['the keyboard alone', keyboard, {}],
  ['no scripts', mouse, { javaScriptEnabled: false }],
  ['a narrow screen in the dark', mouse, { viewport: { width: 360, height: 740 }, colorScheme: 'dark' }],
]

describe.skipIf(CHROMIUM === undefined)('from the first link to the first invoice (skipped without Chromium)', () => {
  it.each(WORKERS)('with %s', async (_name, handOf, options) => {
    now = new Date('2026-03-01T09:00:00Z')
    agent = await startAgent({ empty: true, clock: () => now })
    const origin = new URL(agent.url).origin
    const page = await openPage(browser, errors, options)
    const hand = handOf(page)
    const told = (text: string) => page.getByText(text).first().waitFor()
    const base = `${origin}/console/t/daily`

    await page.goto(origin + (await printedLink(agent)))
    await hand.write('Your name', 'Nora Newcomer')
    await hand.write('User name', 'nora')
    await hand.write('Password', PASSWORD)
    await hand.press('button', 'Create the account')

    await hand.write('Name', 'Daily News')
    await hand.write('Domain', 'daily.example')
    await hand.write('Id', 'daily')
    await hand.press('button', 'Add the publisher')
    await told('Products are for sale')

    await hand.press('link', 'Settings')
    await hand.choose('New creatives need approval', 'Always')
    await hand.press('button', 'Save the rule for new creatives')
    await told('Saved.')
    await hand.choose('New orders need approval', 'Always')
    await hand.press('button', 'Save the rule for new orders')
    await told('Saved.')

    await products(hand)
    const key = await buyerWithKey(hand)
    const buyer = agentClient(agent.url, key)
    const run = async (task: string, args: object) => {
      const reply = await buyer.call(task, { idempotency_key: randomUUID(), account: ACCOUNT, ...args })
      expect([task, reply.isError, JSON.stringify(reply.data)]).toEqual([task, false, JSON.stringify(reply.data)])
      return reply.data
    }
    await buyer.call('sync_accounts', { idempotency_key: randomUUID(), accounts: [{ ...ACCOUNT, billing: 'operator' }] })
    const { products: offered } = (await buyer.call('get_products', { buying_mode: 'wholesale' })).data
    expect(offered.map(({ product_id: id }: { product_id: string }) => id).sort()).toEqual(['home', 'newsletter', 'sport'])
    const order = await run('create_media_buy', {
      brand: { domain: 'coffee.example' },
      start_time: '2026-03-02T00:00:00Z',
      end_time: '2026-03-12T00:00:00Z',
      packages: [{ product_id: 'sport', pricing_option_id: offered[0].pricing_options[0].pricing_option_id, budget: 1000 }],
    })
    expect(order.status).toBe('submitted')

    // With scripts the menu counts by itself what waits.
    if (hasNoScripts(options)) await page.reload()
    await hand.press('link', /^Inbox \d+$/)
    await told('coffee.example')
    await hand.open('Approve with conditions')
    await hand.write('Conditions, one a line. The buyer gets them.', 'No sound before a click')
    await hand.press('button', 'Approve with conditions')
    await told('Approved.')
    const task = (await buyer.call('tasks/get', { task_id: order.task_id, include_result: true })).data
    expect([task.status, JSON.stringify(task)]).toEqual(['completed', expect.stringContaining('No sound before a click')])
    const { media_buy_id: mediaBuyId, packages } = task.result

    await run('sync_creatives', {
      creatives: [banner(agent.url, 'beans', { name: 'Beans' })],
      assignments: [{ creative_id: 'beans', package_id: packages[0].package_id }],
    })
    await hand.press('link', 'Creatives')
    await hand.tick('Choose Beans')
    await hand.press('button', 'Approve the chosen')
    await told('Approved.')

    // Half the flight later the session is over; after sign-in the person is where they wanted to be.
    now = new Date('2026-03-07T09:00:00Z')
    await page.goto(`${base}/orders/${mediaBuyId}`)
    await hand.write('User name', 'nora')
    await hand.write('Password', PASSWORD)
    await hand.press('button', 'Sign in')
    await told('Spend by day')
    const spent = await page.locator('.figure').filter({ hasText: 'Spent' }).locator('.value').innerText()
    expect(Number(spent.replaceAll(/[^\d.]/g, ''))).toBeGreaterThan(400)
    await hand.press('link', 'Pause')
    await hand.write('Reason, for the buyer and the history', 'the page is rebuilt')
    await hand.press('button', 'Pause the order')
    await told('Paused.')
    await told('console:nora')
    const { media_buys: buys } = (await buyer.call('get_media_buys', { media_buy_ids: [mediaBuyId] })).data
    expect(buys[0].status).toBe('paused')

    await hand.press('link', 'Reports')
    await hand.write('From', '2026-03-01')
    await hand.write('To', '2026-03-31')
    await hand.press('button', 'Show')
    await told('Delivery by product')
    const revenue = await page.locator('.figure').filter({ hasText: 'Revenue in USD' }).locator('.value').innerText()
    expect(revenue).toBe(spent)

    now = new Date('2026-04-02T09:00:00Z')
    await page.goto(`${base}/billing`)
    await hand.write('User name', 'nora')
    await hand.write('Password', PASSWORD)
    await hand.press('button', 'Sign in')
    await hand.press('button', 'Show what closing means')
    await told('Nothing is stored yet')
    await hand.press('button', 'Close 2026-03 for good')
    await told('The month is closed.')
    await hand.press('link', '2026-03-0001')
    await page.getByText(revenue).filter({ visible: true }).first().waitFor()

    await hand.press('link', 'Activity')
    await told('Nora')
    expect(errors.filter((text) => !/net::|Failed to load resource/.test(text))).toEqual([])
    await page.context().close()
  })
})

/** One product by a workbook whose columns have other names and one wrong cell, two by a CSV of the import format. */
async function products(hand: Hand): Promise<void> {
  const { page } = hand
  await hand.press('link', 'Products')
  await hand.press('link', 'Import a file')
  const sheet = workbook([
    ['SKU', 'Title', 'Rate'],
    ['sport', 'Sport page', 'abc'],
  ])
  await hand.upload('Spreadsheet (.xlsx), CSV, or JSON of the import format', { name: 'rates.xlsx', bytes: sheet })
  await hand.press('button', 'Check the file')
  const values = { ...FIXED, description: 'Banners beside the results', delivery_type: 'guaranteed' }
  for (const [label, value] of Object.entries(values)) await hand.write(label, value)
  await hand.press('button', 'Check the file')
  await page.getByText('1 to repair').waitFor()
  await hand.write('price of line 2', '20')
  await hand.press('button', 'Check again')
  await page.getByText('1 new').waitFor()
  await hand.press('button', 'Import it')
  await page.getByText('Imported.').waitFor()

  await hand.press('link', 'Import a file')
  const columns = ['product_id', 'name', 'price', 'delivery_type', 'description', ...Object.keys(FIXED)]
  const rows = [
    ['home', 'Home page', '15', 'non_guaranteed', 'Above the news', ...Object.values(FIXED)],
    ['newsletter', 'Newsletter', '30', 'non_guaranteed', 'Each morning', ...Object.values(FIXED)],
  ]
  const csv = [columns, ...rows].map((cells) => cells.join(';')).join('\r\n')
  await hand.upload('Spreadsheet (.xlsx), CSV, or JSON of the import format', { name: 'more.csv', bytes: Buffer.from(csv) })
  await hand.press('button', 'Check the file')
  await page.getByText('2 new').waitFor()
  await hand.press('button', 'Import it')
  await page.getByText('3 in all').waitFor()
}

const FIXED = {
  channels: 'display',
  format_ids: 'display_300x250',
  publisher_domain: 'daily.example',
  daily_capacity: '100000',
  pricing_model: 'cpm',
  currency: 'USD',
}

/** The key as the page shows it, once. */
async function buyerWithKey(hand: Hand): Promise<string> {
  const { page } = hand
  await hand.press('link', 'Buyers and keys')
  await hand.write('Id', 'agency')
  await hand.write('Name', 'Example Agency')
  await hand.press('button', 'Add the buyer')
  await page.getByText('Added.').waitFor()
  await hand.open('Make a key')
  await hand.press('button', 'Make the key')
  await page.getByText('the only time').waitFor()
  const key = await page.locator('.copy code').first().innerText()
  await page.goto(page.url())
  expect(await page.content()).not.toContain(key)
  return key
}
