import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { openPage } from './console-browser.ts'
import { invitationOf, PASSWORD } from './console-client.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from './media-buy-agent.ts'

/** A publisher with a product that is sold at once and one that a person approves, and the address of its pages. */
export async function startDecidingPublisher(): Promise<{
  readonly agent: MediaBuyAgent
  readonly origin: string
  readonly base: string
}> {
  const agent = await startMediaBuyAgent([productDocument('news'), productDocument('takeover', {}, { approval: 'manual' })])
  const origin = new URL(agent.url).origin
  return { agent, origin, base: `${origin}/console/t/${agent.tenant}` }
}

/** A browser of its own in which an administrator has just joined. */
export async function joinedPerson(
  { agent, browser, errors }: { readonly agent: MediaBuyAgent; readonly browser: Browser; readonly errors: string[] },
  username: string,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const page = await openPage(browser, errors, options)
  await page.goto(new URL(agent.url).origin + (await invitationOf(agent, 'administrator', agent.tenant)))
  await page.fill('#name', `${username} Example`)
  await page.fill('#username', username)
  await page.fill('#password', PASSWORD)
  await page.click('button.primary')
  await page.waitForURL('**/home')
  return page
}

/** An order that a person has to approve: the id of its task. */
export async function orderToApprove({ create }: Pick<MediaBuyAgent, 'create'>, more: object = {}): Promise<string> {
  const packages = [{ product_id: 'takeover', pricing_option_id: 'cpm', budget: 500 }]
  return String((await create({ packages, ...more })).data.task_id)
}
