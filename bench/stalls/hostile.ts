import { randomUUID } from 'node:crypto'
import { text } from '../../test/support/fake-web/fake-web.ts'
import type { MeasuredAgent } from './agent.ts'
import { type Ask, callOf, send } from './stall.ts'

/** An input that is made to take long. */
export interface HostileInput {
  readonly title: string
  ask(round: number): Ask
}

export const ACCOUNT = { brand: { domain: 'brand.example' }, operator: 'agency.example' }

/** What a buyer has before the inputs make sense. */
export interface Buyer {
  readonly standards_id: string
  readonly list_id: string
  readonly media_buy_id: string
}

/** Declares an account, an event source, content standards and a property list. */
export async function prepareBuyer({ port, key }: MeasuredAgent): Promise<Buyer> {
  const run = async (task: string, args: object) => {
    const { body } = await send(port, callOf(key, task, { idempotency_key: randomUUID(), ...args }))
    const { result } = JSON.parse(body)
    if (!result || result.isError) throw new Error(`${task}: ${body.slice(0, 1_000)}`)
    return result.structuredContent
  }
  await run('sync_accounts', { accounts: [{ ...ACCOUNT, billing: 'operator' }] })
  await run('sync_event_sources', { account: ACCOUNT, event_sources: [{ event_source_id: 'site', name: 'site' }] })
  const policy = { policy_id: 'calm', enforcement: 'must', policy: 'No violent imagery', policy_categories: ['brand_safety'] }
  const { standards_id } = await run('create_content_standards', { scope: { languages_any: ['en'] }, policies: [policy] })
  const { list } = await run('create_property_list', { name: 'list' })
  const { media_buy_id } = await run('create_media_buy', {
    account: ACCOUNT,
    brand: ACCOUNT.brand,
    start_time: at(1),
    end_time: at(40),
    packages: [{ product_id: 'ros_display', pricing_option_id: 'cpm_usd_auction', bid_price: 2, budget: 500 }],
  })
  return { standards_id, list_id: list.list_id, media_buy_id }
}

const FEED = 'https://feeds.example/shop.json'
const DAY_MS = 86_400_000
const at = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()

/** Inputs that an authorised test found to stop the server, and their larger relatives. */
export function hostileInputs({ key, web }: MeasuredAgent, { standards_id, list_id }: Buyer): HostileInput[] {
  const call = (title: string, task: string, args: () => object): HostileInput => ({
    title,
    ask: () => callOf(key, task, { idempotency_key: randomUUID(), account: ACCOUNT, ...args() }),
  })
  const feed = (title: string, html: string) =>
    call(title, 'sync_catalogs', () => {
      web.put(FEED, text(JSON.stringify({ products: [{ id: 1, title: 'a', body_html: html }] })))
      return { catalogs: [{ catalog_id: `feed-${randomUUID()}`, type: 'product', url: FEED, feed_format: 'shopify' }] }
    })
  const artifact = (title: string, content_format: string, content: string) =>
    call(title, 'calibrate_content', () => ({
      account: undefined,
      standards_id,
      artifact: {
        property_rid: '01916f3a-9c4e-7000-8000-000000000010',
        artifact_id: 'a',
        assets: [{ type: 'text', content, content_format }],
      },
    }))
  const order = (title: string, packages: number, years: number) =>
    call(title, 'create_media_buy', () => ({
      brand: ACCOUNT.brand,
      start_time: at(1),
      end_time: at(365 * years),
      packages: Array.from({ length: packages }, () => ({
        product_id: 'news_homepage_display',
        pricing_option_id: 'cpm_usd_fixed',
        budget: 2_500,
      })),
    }))
  const event = (title: string, click_id: string) =>
    call(title, 'log_event', () => ({
      account: undefined,
      event_source_id: 'site',
      events: [{ event_id: 'e', event_type: 'purchase', event_time: at(0), user_match: { click_id, click_id_type: 'gclid' } }],
    }))
  const audience = (title: string, value: string) =>
    call(title, 'sync_audiences', () => ({
      audiences: [{ audience_id: 'a', name: 'a', add: [{ external_id: 'x', uids: [{ type: 'other', value }] }] }],
    }))
  return [
    {
      title: 'If-None-Match: 15,000 spaces',
      ask: () => ({ path: '/.well-known/jwks.json', headers: { 'if-none-match': `a${' '.repeat(15_000)}b` } }),
    },
    audience('sync_audiences: uids value of 100 kB', `a@${'a'.repeat(100_000)}`),
    audience('sync_audiences: uids value of 200 kB of @', '@'.repeat(199_999)),
    event('log_event: click_id of 100 kB', `a@${'a'.repeat(100_000)}`),
    feed('feed: body_html of 100 kB of <', '<'.repeat(100_000)),
    feed('feed: body_html of 9 MB of <', '<'.repeat(9_000_000)),
    call('update_property_list: webhook_url with 100,000 dots', 'update_property_list', () => ({
      account: undefined,
      list_id,
      webhook_url: `https://a${'.'.repeat(100_000)}b.example/hook`,
    })),
    artifact('calibrate_content: text/html of 100 kB of <', 'text/html', '<'.repeat(100_000)),
    artifact("calibrate_content: 's' × 60,000", 'text/plain', 's'.repeat(60_000)),
    order('create_media_buy: 10,000 packages over three years', 10_000, 2.99),
    order('create_media_buy: 200 packages over three years', 200, 2.99),
  ]
}
