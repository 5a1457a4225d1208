import type { Contracts } from '../../src/protocol/contracts.ts'
import { TASKS } from '../../src/tasks/index.ts'
import type { Words } from '../../test/support/arbitrary-request.ts'
import { agentClient } from '../../test/support/client.ts'
import { acquire, BRAND, KINDS, type Kind, PACKAGE } from '../../test/support/isolation/holdings.ts'
import { requestFor } from '../../test/support/isolation/requests.ts'
import { AGENT_URL, acquireLater, examplesOf, LATER_KINDS, type LaterOwn, laterExamples } from './later-world.ts'

/** Ids of one of everything that a buyer can own. */
export type Own = Readonly<Record<Kind, string>> & LaterOwn

/** What a buyer has on an agent, for requests that get past the look-up of their ids. */
export interface SeededWorld {
  /** Values by the name of the field that may hold them. */
  readonly fields: Words
  /** A valid request of each task. */
  readonly examples: Readonly<Record<string, object>>
  /** Of a release that wants a task asked in a form of its own, by release and task. */
  readonly examplesOf: Readonly<Record<string, Readonly<Record<string, object>>>>
}

/** A valid request of a task in a release. */
export function exampleIn({ examples, examplesOf }: SeededWorld, line: string, task: string): object {
  return examplesOf[line]?.[task] ?? examples[task] ?? {}
}

const PRODUCTS = ['ros_display', 'news_homepage_display', 'ctv_prime_evening']
const TOKEN = /<own:(\w+)>/g

/** A token in place of each id: requests made with these can be sent for one buyer after another, see {@link withIds}. */
export const OWN_TOKENS: Own = Object.fromEntries([...KINDS, ...LATER_KINDS].map((kind) => [kind, `<own:${kind}>`])) as Own

/** The JSON text of a request with the tokens replaced by ids. */
export function withIds(json: string, own: Own): string {
  const ids: Readonly<Record<string, string>> = own
  return json.replaceAll(TOKEN, (token, kind: string) => ids[kind] ?? token)
}

/** Makes one of everything that a buyer can own. The clock of the agent must be that of the requests (`NOW` of the isolation tests). */
export async function seedWorld(url: string, key: string, contracts: Contracts): Promise<SeededWorld> {
  return worldOf(await acquireAll(url, key, contracts), url)
}

/**
 * Makes one of everything that a buyer can own under these releases and gives the ids. `agentUrl`: of the buyer's own agent, if it has one. Throws when the
 * agent refuses one of the calls.
 */
export async function acquireAll(url: string, key: string, contracts: Contracts, agentUrl?: string): Promise<Own> {
  const client = agentClient(url, key)
  return { ...(await acquire(client, 'the fuzzer', url)), ...(await acquireLater(client, contracts, agentUrl)) }
}

/** Words and valid requests with these ids. */
export function worldOf(own: Own, url: string): SeededWorld {
  const account = { account_id: own.account }
  const fields: Words = {
    adcp_major_version: [3],
    account: [account],
    account_id: [own.account],
    brand: [BRAND],
    domain: [BRAND.domain],
    product_id: PRODUCTS,
    'product_ids[]': PRODUCTS,
    'packages[]': [PACKAGE],
    pricing_option_id: ['cpm_usd_auction', 'cpm_usd_fixed'],
    media_buy_id: [own.media_buy, own.controlled],
    'media_buy_ids[]': [own.media_buy],
    package_id: [own.package],
    creative_id: [own.creative],
    'creative_ids[]': [own.creative],
    feed_version: [own.feed],
    proposal_id: [own.draft, own.committed],
    proposal_terms_digest: [own.digest],
    revision: [1, 2, 3],
    list_id: [own.property_list, own.collection_list],
    standards_id: [own.content_standards],
    task_id: [own.task],
    plan_id: [own.plan],
    'plan_ids[]': [own.plan],
    check_id: [own.check],
    rights_id: ['acme_trail_fox', own.grant],
    brand_id: ['acme_outdoor', 'nova_motors'],
    offering_id: ['novamotors_conversational_v1', 'acme_trail_advice'],
    session_id: [own.session],
    event_source_id: [own.event_source],
    catalog_id: [own.catalog],
    audience_id: [own.audience],
    agent_url: [url, AGENT_URL],
    currency: ['USD', 'EUR'],
    start_time: ['2026-03-10T00:00:00Z', 'asap'],
    end_time: ['2026-03-20T00:00:00Z'],
    context: [{ trace: 'abc' }],
    limit: [10],
  }
  const examples = Object.fromEntries(TASKS.map(({ name }) => [name, exampleOf(name, own, url)]))
  return { fields, examples, examplesOf: examplesOf(own) }
}

/** The isolation tests have a request of each task that names something owned; here are those of the others, and fuller ones. */
function exampleOf(task: string, own: Own, url: string): object {
  const account = { account_id: own.account }
  const fuller: Readonly<Record<string, object>> = {
    get_task_status: { task_id: own.task },
    list_agent_publishers: { agent_url: AGENT_URL, include: ['properties'] },
    get_brand_identity: { brand_id: 'acme_outdoor', fields: ['logos', 'colors', 'tone'] },
    get_rights: { query: 'a drawn animal for outdoor advertising', uses: ['likeness'] },
    acquire_rights: { ...requestFor('acquire_rights', '', own, url), account },
    si_get_offering: { offering_id: 'novamotors_conversational_v1', intent: 'a car for long trips', include_products: true },
    create_content_standards: {
      scope: { languages_any: ['en'], channels_any: ['display'] },
      policies: [{ policy_id: 'calm', enforcement: 'must', policy: 'No violence' }],
    },
    list_content_standards: { channels: ['display'] },
    sync_accounts: { accounts: [{ brand: BRAND, operator: 'fuzzer.example', billing: 'operator' }] },
    comply_test_controller: {
      scenario: 'simulate_delivery',
      params: { media_buy_id: own.media_buy, impressions: 10, clicks: 1 },
    },
  }
  return fuller[task] ?? laterExamples(own)[task] ?? requestFor(task, '', own, url) ?? {}
}
