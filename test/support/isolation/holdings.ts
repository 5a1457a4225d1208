import { randomUUID } from 'node:crypto'
import { saveBrands } from '../../../src/store/brand/brands.ts'
import { saveProducts } from '../../../src/store/product/save-products.ts'
import { saveSignals } from '../../../src/store/signal/signals.ts'
import type { AgentClient, TaskReply } from '../client.ts'
import { demoBrands, demoProductsFile, demoSignals } from '../demo-products.ts'
import { startAgent, type TestAgent } from '../start-agent.ts'

/** What can be named by an id and belongs to somebody. */
export type Kind =
  | 'account'
  | 'media_buy'
  | 'package'
  | 'creative'
  | 'property_list'
  | 'collection_list'
  | 'content_standards'
  | 'task'
  | 'plan'
  | 'check'
  | 'grant'
  | 'session'
  | 'event_source'
  | 'catalog'
  | 'audience'

/** One agent and one of everything that it can own. */
export interface Holder {
  readonly name: string
  readonly tenant: string
  readonly client: AgentClient
  readonly own: Readonly<Record<Kind, string>>
}

export interface World extends TestAgent {
  readonly victim: Holder
  /** Another agent of the same publisher, and one of another publisher. */
  readonly attackers: readonly Holder[]
}

const NOTHING: Readonly<Record<Kind, string>> = {
  account: '',
  media_buy: '',
  package: '',
  creative: '',
  property_list: '',
  collection_list: '',
  content_standards: '',
  task: '',
  plan: '',
  check: '',
  grant: '',
  session: '',
  event_source: '',
  catalog: '',
  audience: '',
}
export const KINDS: ReadonlySet<Kind> = new Set(Object.keys(NOTHING) as Kind[])

export const NOW = new Date('2026-03-01T12:00:00Z')
const FLIGHT = { start_time: '2026-03-10T00:00:00Z', end_time: '2026-03-20T00:00:00Z' }
export const BRAND = { domain: 'brand.example' }
export const PACKAGE = { product_id: 'ros_display', pricing_option_id: 'cpm_usd_auction', bid_price: 2, budget: 500 }
/** What somebody asks a governance agent. */
export const INTENT = { caller: 'https://buyer.example/agent', tool: 'create_media_buy', payload: { total_budget: 10 } }
/** A right that anybody gets at once. */
export const RIGHTS = {
  rights_id: 'acme_trail_fox',
  pricing_option_id: 'fox_quarter',
  buyer: BRAND,
  campaign: { description: 'Spring', uses: ['likeness'], start_date: '2026-03-10', end_date: '2026-03-20' },
  revocation_webhook: { url: 'https://93.184.215.14/revoked' },
}
export const CONVERSATION = { intent: 'a tent', identity: { consent_granted: false } }
const MANUAL = { product_id: 'news_homepage_takeover', pricing_option_id: 'time_usd_day', budget: 420_000 }

/** Starts an agent with two publishers that sell the same, and three buyers that each own one of everything. */
export async function startWorld(sandbox: boolean): Promise<World> {
  const agent = await startAgent({ clock: () => NOW, conformance: sandbox })
  const join = async (name: string, tenant: string): Promise<Holder> => {
    const client = agent.client(await agent.addBuyer({ principal: name, tenant, sandbox }))
    const file = demoProductsFile()
    await agent.server.store.transaction(async (tx) => {
      await saveProducts(tx, tenant, file, { merge: false }, NOW)
      await saveSignals(tx, tenant, demoSignals(), { merge: false }, NOW)
      await saveBrands(tx, tenant, demoBrands(), NOW)
    })
    return { name, tenant, client, own: await acquire(client, name, agent.url) }
  }
  const victim = await join('victim', 'acme')
  return { ...agent, victim, attackers: [await join('neighbour', 'acme'), await join('stranger', 'globex')] }
}

/** Makes new things of these kinds for an agent, in an account of their own, so that what else it has is out of sight. */
export async function acquire(
  client: AgentClient,
  name: string,
  agentUrl: string,
  kinds: ReadonlySet<Kind> = KINDS,
): Promise<Record<Kind, string>> {
  const run = async (task: string, args: object): Promise<TaskReply['data']> => {
    const reply = await client.call(task, { idempotency_key: randomUUID(), ...args })
    if (reply.isError) throw new Error(`${task}: ${JSON.stringify(reply.data)}`)
    return reply.data
  }
  const needs = (...some: Kind[]) => some.some((kind) => kinds.has(kind))
  const declared = { brand: BRAND, operator: `${randomUUID()}.example`, billing: 'operator' }
  const account = { account_id: (await run('sync_accounts', { accounts: [declared] })).accounts[0].account_id }
  const order = (packages: object[], more: object = {}) =>
    run('create_media_buy', { account, brand: BRAND, ...FLIGHT, packages, ...more })
  const own: Record<Kind, string> = { ...NOTHING, account: account.account_id }
  if (needs('media_buy', 'package', 'creative')) {
    const buy = await order([PACKAGE])
    own.media_buy = buy.media_buy_id
    own.package = buy.packages[0].package_id
  }
  if (needs('creative')) {
    own.creative = `banner-${randomUUID()}`
    const assignments = [{ creative_id: own.creative, package_id: own.package }]
    await run('sync_creatives', { account, creatives: [banner(agentUrl, own.creative, name)], assignments })
  }
  if (needs('property_list')) {
    const identifiers = [{ type: 'domain', value: 'news.example' }]
    const base_properties = [{ selection_type: 'identifiers', identifiers }]
    own.property_list = (await run('create_property_list', { account, name: `Sites of ${name}`, base_properties })).list.list_id
  }
  if (needs('collection_list')) {
    own.collection_list = (await run('create_collection_list', { account, name: `Shows of ${name}` })).list.list_id
  }
  if (needs('content_standards')) {
    const policies = [{ policy_id: 'calm', enforcement: 'must', policy: `No violence, says ${name}` }]
    const standards = await run('create_content_standards', { scope: { languages_any: ['en'] }, policies })
    own.content_standards = standards.standards_id
  }
  if (needs('task')) own.task = (await order([MANUAL], { end_time: '2026-03-11T00:00:00Z' })).task_id
  if (needs('plan', 'check')) {
    own.plan = `plan-${randomUUID()}`
    const plan = {
      plan_id: own.plan,
      brand: BRAND,
      objectives: `Plan of ${name}`,
      budget: { total: 1000, currency: 'USD', reallocation_unlimited: true },
      flight: { start: FLIGHT.start_time, end: FLIGHT.end_time },
      portfolio: { member_plan_ids: [`member-of-${own.plan}`] },
    }
    await run('sync_plans', { plans: [plan] })
    own.check = (await client.call('check_governance', { ...INTENT, plan_id: own.plan })).data.check_id
  }
  if (needs('grant')) own.grant = (await run('acquire_rights', { account, ...RIGHTS })).rights_id
  if (needs('session')) own.session = (await run('si_initiate_session', CONVERSATION)).session_id
  if (needs('event_source')) {
    own.event_source = `source-${randomUUID()}`
    await run('sync_event_sources', { account, event_sources: [{ event_source_id: own.event_source }] })
  }
  if (needs('catalog')) {
    own.catalog = `catalog-${randomUUID()}`
    const items = [{ item_id: 'a', title: `Item of ${name}` }]
    await run('sync_catalogs', { account, catalogs: [{ catalog_id: own.catalog, type: 'product', items }] })
  }
  if (needs('audience')) {
    own.audience = `audience-${randomUUID()}`
    await run('sync_audiences', { account, audiences: [{ audience_id: own.audience, name: `People of ${name}` }] })
  }
  return own
}

/** A well-formed 300x250 image. */
export function banner(agentUrl: string, creativeId: string, name: string) {
  return {
    creative_id: creativeId,
    name: `Banner of ${name}`,
    format_id: { agent_url: agentUrl, id: 'display_300x250' },
    assets: {
      image: { asset_type: 'image', url: 'https://cdn.example/banner.png', width: 300, height: 250, format: 'png' },
      click_url: { asset_type: 'url', url: 'https://brand.example/?c={MEDIA_BUY_ID}' },
    },
  }
}

/** An id of the same kind and length that nobody has. */
export function absentLike(id: string): string {
  const fresh = randomUUID()
  return id.length > fresh.length ? `${id.slice(0, -fresh.length)}${fresh}` : fresh.slice(0, id.length)
}
