import { TASKS } from '../../src/tasks/index.ts'
import { acquire, BRAND, PACKAGE } from '../../test/e2e/isolation/holdings.ts'
import { requestFor } from '../../test/e2e/isolation/requests.ts'
import type { Words } from '../../test/support/arbitrary-request.ts'
import { agentClient } from '../../test/support/client.ts'

/** What a buyer has on an agent, for requests that get past the look-up of their ids. */
export interface SeededWorld {
  /** Values by the name of the field that may hold them. */
  readonly fields: Words
  /** A valid request of each task that takes more than chance. */
  readonly examples: Readonly<Record<string, object>>
}

const PRODUCTS = ['ros_display', 'news_homepage_display', 'ctv_prime_evening']

/** Makes one of everything that a buyer can own. The clock of the agent must be that of the requests (`NOW` of the isolation tests). */
export async function seedWorld(url: string, key: string): Promise<SeededWorld> {
  const own = await acquire(agentClient(url, key), 'the fuzzer', url)
  const account = { account_id: own.account }
  const fields: Words = {
    account: [account],
    account_id: [own.account],
    brand: [BRAND],
    domain: [BRAND.domain],
    product_id: PRODUCTS,
    'product_ids[]': PRODUCTS,
    'packages[]': [PACKAGE],
    pricing_option_id: ['cpm_usd_auction', 'cpm_usd_fixed'],
    media_buy_id: [own.media_buy],
    'media_buy_ids[]': [own.media_buy],
    package_id: [own.package],
    creative_id: [own.creative],
    'creative_ids[]': [own.creative],
    list_id: [own.property_list, own.collection_list],
    standards_id: [own.content_standards],
    task_id: [own.task],
    plan_id: [own.plan],
    'plan_ids[]': [own.plan],
    check_id: [own.check],
    rights_id: ['acme_trail_fox', own.grant],
    session_id: [own.session],
    event_source_id: [own.event_source],
    catalog_id: [own.catalog],
    audience_id: [own.audience],
    agent_url: [url, 'https://ads.example/mcp'],
    currency: ['USD', 'EUR'],
    start_time: ['2026-03-10T00:00:00Z', 'asap'],
    end_time: ['2026-03-20T00:00:00Z'],
    context: [{ trace: 'abc' }],
    limit: [10],
  }
  const examples = Object.fromEntries(TASKS.map(({ name }) => [name, requestFor(name, '', own, url) ?? {}]))
  return { fields, examples }
}
