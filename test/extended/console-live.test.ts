import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NOTHING } from '../../src/domain/media-buy/delivery.ts'
import { addDelivery } from '../../src/store/ad-serving/delivery-ledger.ts'
import { CHROMIUM, keyboard, launchChromium } from '../support/console-browser.ts'
import { joinedPerson, orderToApprove, startDecidingPublisher } from '../support/console-people.ts'
import type { MediaBuyAgent } from '../support/media-buy-agent.ts'

/** Changes show within two seconds; a busy machine gets more, and how long it took is printed. */
const PATIENCE_MS = 60_000

let agent: MediaBuyAgent
let browser: Browser
let base: string
const errors: string[] = []

beforeAll(async () => {
  if (CHROMIUM === undefined) return
  const started = await startDecidingPublisher()
  agent = started.agent
  base = started.base
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await agent?.stop()
})

const personOf = (username: string) => joinedPerson({ agent, browser, errors }, username)

/** Waits until a page shows something by itself, and prints how long that took. */
async function appears(what: string, wait: () => Promise<void>): Promise<void> {
  const start = performance.now()
  await wait()
  process.stdout.write(`${what}: ${Math.round(performance.now() - start)} ms\n`)
}

describe.skipIf(CHROMIUM === undefined)('pages that are open follow changes without a reload (skipped without Chromium)', () => {
  it('an order of a buyer, a decision of a colleague at the keyboard, and what an ad server delivered', async () => {
    const [ann, bob] = [await personOf('ann'), await personOf('bob')]
    await ann.goto(`${base}/home`)
    await bob.goto(`${base}/inbox`)
    const shown = { state: 'visible', timeout: PATIENCE_MS } as const
    // A mark of the document: after a reload it would be gone.
    await ann.evaluate('document.documentElement.dataset.mark = "1"')
    await orderToApprove(agent)
    const link = ann.locator('.lines a').getByText('New order', { exact: false })
    await appears('an order on the home of one person', () => link.waitFor(shown))
    await bob.getByRole('heading', { name: /New order/ }).waitFor(shown)

    const hand = keyboard(bob)
    await hand.press('button', 'Approve')
    await bob.getByText('Approved.').waitFor()
    await appears('the decision of a colleague', () => link.waitFor({ state: 'detached', timeout: PATIENCE_MS }))

    const { data } = await agent.create()
    const [{ package_id: packageId }] = data.packages
    await ann.goto(`${base}/reports?first=2026-02-20&last=2026-03-05`)
    await ann.evaluate('document.documentElement.dataset.mark = "1"')
    await ann.getByText('Nothing was delivered in these days').waitFor()
    const now = agent.server.clock()
    await agent.server.store.transaction(async (tx) => {
      await tx
        .updateTable('media_buys')
        .set({ delivery_source: 'ledger' })
        .where('media_buy_id', '=', String(data.media_buy_id))
        .execute()
      const period = now.toISOString().slice(0, 10)
      const row = { ...NOTHING, lineExternalId: packageId, period, impressions: 1234, spendMicros: 12_340_000 }
      await addDelivery(tx, { tenantId: agent.tenant, adServer: 'gam', now }, [row])
    })
    await appears('delivery that an ad server reported', () => ann.getByText('1,234').first().waitFor(shown))
    expect(await ann.evaluate('document.documentElement.dataset.mark')).toBe('1')
    expect(errors).toEqual([])
    await ann.context().close()
    await bob.context().close()
  })
})
