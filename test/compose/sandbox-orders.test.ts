import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { reconcileDue } from '../../src/ad-serving/reconcile/reconciler.ts'
import { storeCredentials } from '../../src/operator/ad-servers/setting-acts.ts'
import { approve } from '../../src/operator/approvals/decide-approval.ts'
import { makeDue } from '../../src/store/ad-serving/ad-server-orders.ts'
import { settleChanges } from '../../src/tasks/media-buy/settle-changes.ts'
import { type TrappedAdServers, trapAdServers } from '../ad-serving/under-test/trapped-ad-servers.ts'
import { type AdminCall, adminClient } from '../support/admin-client.ts'
import type { AgentClient } from '../support/client.ts'
import { banner } from '../support/creative-agent.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { createAdminKey, operatorBeside, performAs } from '../support/operator.ts'
import { contracts, LINES } from '../support/release-agent.ts'

const NOW = '2026-03-01T12:00:00Z'
const FLIGHT = { start_time: '2026-03-02T00:00:00Z', end_time: '2026-03-12T00:00:00Z' }
const REAL = { brand: { domain: 'brand.example' }, operator: 'agency.example' }
/** The product of each ad server, by its name; `embedded` serves what is given to no other. */
const AD_SERVERS = ['embedded', 'gam', 'upstream', 'manual', 'called', 'reconciled'] as const

let trapped: TrappedAdServers
let agent: MediaBuyAgent
let admin: AdminCall
let now = Date.parse(NOW)
const clock = () => new Date(now)
// biome-ignore lint/suspicious/noExplicitAny: answers are judged by assertions
type Json = any

beforeAll(async () => {
  trapped = await trapAdServers()
  agent = await startMediaBuyAgent(
    AD_SERVERS.flatMap((id) => [productDocument(id), productDocument(`${id}_by_hand`, {}, { approval: 'manual' })]),
    {
      clock,
      contracts,
      flags: { 'adServer.type': 'embedded', 'adServer.products': withByHand(trapped.products) },
      reconciler: { timing: { everyMs: 3_600_000 } },
    },
  )
  await performAs(operatorBeside(agent, clock), agent.tenant, storeCredentials, {
    ...{ name: 'gam', credentials: trapped.keyFile, check: false },
  })
  await performAs(operatorBeside(agent, clock), agent.tenant, storeCredentials, {
    ...{ name: 'upstream', credentials: { apiKey: 'k' }, check: false },
  })
  const { token } = await createAdminKey(operatorBeside(agent, clock), {
    tenantId: agent.tenant,
    role: 'administrator',
    name: 'test',
  })
  admin = adminClient(agent.url, token)
})
afterAll(async () => {
  await agent?.stop()
  await trapped?.close()
})

/** The same ad servers for the products that people approve. */
function withByHand(products: TrappedAdServers['products']): object {
  return Object.fromEntries(
    Object.entries(products).flatMap(([id, setting]) => [
      [id, setting],
      [`${id}_by_hand`, setting],
    ]),
  )
}

interface Buyer {
  readonly client: AgentClient
  readonly account: object
}

/** Every way to a media buy and every change of it, as one buyer takes them in a release. */
function buying({ client, account }: Buyer, line: string) {
  const call = async (task: string, args: object): Promise<Json> => {
    const { data, isError } = await client.call(task, { adcp_version: line, idempotency_key: randomUUID(), account, ...args })
    return isError ? { refused: data.adcp_error ?? data } : data
  }
  const taken = async (task: string, args: object) => {
    const answer = await call(task, args)
    expect(answer.refused, `${task} ${line}: ${JSON.stringify(answer.refused)}`).toBeUndefined()
    return answer
  }
  const pkg = (product_id: string) => ({ product_id, pricing_option_id: 'cpm', budget: 1000 })
  const order = async (product_id: string) =>
    taken('create_media_buy', { brand: REAL.brand, ...FLIGHT, packages: [pkg(product_id)] })
  /** What an ad server cannot keep may be refused; nothing of it may arrive. */
  const change = async (media_buy_id: string, package_id: string) => {
    const name = `c${randomUUID().slice(0, 8)}`
    await taken('sync_creatives', { creatives: [banner(agent.url, name)] })
    for (const members of [
      { packages: [{ package_id, budget: 1500 }] },
      { packages: [{ package_id, creative_assignments: [{ creative_id: name }] }] },
      { paused: true },
      { paused: false },
      { canceled: true },
    ])
      await call('update_media_buy', { media_buy_id, ...members })
  }
  const bought = async (product_id: string) => {
    const { feed_version } = await taken('list_products', { criteria: { product_ids: [product_id] } })
    const made = await taken('buy_products', { feed_version, purchases: [pkg(product_id)], ...FLIGHT })
    const { media_buy_id, revision } = made
    for (const action of ['pause', 'resume', 'cancel'])
      await call('control_media_buy', { media_buy_id, revision, actions: [{ action }] })
    return made
  }
  const accepted = async (product_id: string) => {
    const criteria = { product_ids: [product_id], offer_filters: { start_date: '2026-03-02', end_date: '2026-03-11' } }
    const { proposals } = await taken('request_proposals', { brief: 'News, $1,000', criteria })
    const [draft] = proposals
    const refinements = [{ proposal_id: draft.proposal_id, action: 'finalize' }]
    const { results } = await taken('refine_proposals', { refinements, account: undefined })
    const { proposal_id, terms_digest: proposal_terms_digest } = results[0].proposal
    return taken('accept_proposal', { proposal_id, proposal_terms_digest })
  }
  return { call, order, change, bought, accepted }
}

/** A person's approval, beside the running server, as the command line decides, and by the server itself, as the console does. */
const decide = {
  command: (approval: string) => performAs(operatorBeside(agent, clock), agent.tenant, approve, { approval }),
  async server(approval: string) {
    const { status, data } = await admin('POST', `/approvals/${approval}/approve`, { body: {} })
    expect(status, JSON.stringify(data)).toBe(200)
  },
}

/** Everything that is due is brought to the ad servers that production orders go to. */
async function reconcile(): Promise<void> {
  now += 1000
  const { store, services, clock: ofServer, log } = agent.server
  await store.transaction((tx) => makeDue(tx, agent.tenant, {}, clock()))
  const settle = settleChanges(store, ofServer, services.webhooks.wake)
  await reconcileDue({ store, clock: ofServer, log, backends: services.adServers.backends, settleChanges: settle })
}

/** What is at ad servers, or on its way there. */
async function arrived(): Promise<readonly string[]> {
  const db = agent.server.store.read
  const rows = async (table: 'ad_server_orders' | 'embedded_orders' | 'manual_orders') =>
    (await db.selectFrom(table).selectAll().execute()).map(() => table)
  return [
    ...trapped.calls(),
    ...(await rows('ad_server_orders')),
    ...(await rows('embedded_orders')),
    ...(await rows('manual_orders')),
  ]
}

const orders = async () => (await agent.server.store.read.selectFrom('media_buys').select('media_buy_id').execute()).length

/** Plays every way in a release; gives how many orders were made. */
async function play(buyer: Buyer, line: string): Promise<number> {
  const { order, change, bought, accepted } = buying(buyer, line)
  let made = 0
  for (const adServer of AD_SERVERS) {
    const { media_buy_id, packages } = await order(adServer)
    await reconcile()
    await change(media_buy_id, packages[0].package_id)
    made += 3
    if (line === '3.2') {
      await bought(adServer)
      await accepted(adServer)
      made += 2
    }
    for (const by of ['command', 'server'] as const) {
      const { task_id } = await order(`${adServer}_by_hand`)
      expect(task_id).toBeDefined()
      await decide[by](task_id)
    }
    await reconcile()
  }
  return made
}

describe('orders that cost nobody money', () => {
  const buyers = async (): Promise<readonly (readonly [string, Buyer])[]> => {
    const sandboxAccount = { ...REAL, sandbox: true }
    const tester = await agent.buyerOn(REAL, { principal: 'tester', sandbox: true })
    const owner = await agent.buyerOn(sandboxAccount, { principal: 'owner' })
    return [
      ['a sandbox agent', { client: tester, account: REAL }],
      ['a sandbox account of a production agent', { client: owner, account: sandboxAccount }],
    ]
  }

  test('reach no ad server, whoever orders, in every release, by every task and approval', async () => {
    for (const [who, buyer] of await buyers())
      for (const line of LINES) {
        const before = await orders()
        const made = await play(buyer, line)
        expect((await orders()) - before, `${who}, ${line}`).toBe(made)
        expect(await arrived(), `${who}, ${line}`).toEqual([])
      }
  })

  test('those of a production account reach each of them, so that the same would be seen', async () => {
    const { order, change } = buying({ client: agent.buyer, account: REAL }, '3.0')
    for (const adServer of AD_SERVERS) {
      const { media_buy_id, packages } = await order(adServer)
      await reconcile()
      // Where a person at the ad server confirms orders, there is none yet.
      if (packages) await change(media_buy_id, packages[0].package_id)
    }
    const seen = (await arrived()).join('\n')
    for (const trace of ['POST /token', '/v1/orders', 'called book', 'reconciled putOrder', 'embedded_orders', 'manual_orders'])
      expect(seen).toContain(trace)
  })
})
