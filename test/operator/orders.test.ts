import { randomUUID } from 'node:crypto'
import { userInfo } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AdServer } from '../../src/ad-serving/ad-server.ts'
import { createSimulator } from '../../src/ad-serving/simulator/simulator.ts'
import type { Act } from '../../src/operator/act.ts'
import type { FieldSet, Values } from '../../src/operator/fields.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { listOrders } from '../../src/operator/order-list/list-orders.ts'
import { cancelOrder, extendOrder, pauseOrder, previewOrderChange, resumeOrder } from '../../src/operator/orders/change-order.ts'
import { orderHistory, showOrder } from '../../src/operator/orders/show-order.ts'
import { listAudit } from '../../src/store/audit/audit.ts'
import { setPrincipalStatus } from '../../src/store/identity/principals.ts'
import type { AgentClient } from '../support/client.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { operatorBeside, performAs } from '../support/operator.ts'

const BOOKED = '2026-03-01T12:00:00.000Z'
const MIDDLE = '2026-03-07T00:00:00.000Z'

let agent: MediaBuyAgent
let operator: OperatorContext
let now = new Date(BOOKED)
const calls: string[] = []

/** The simulator, with a record of the changes that it was sent. */
function recordingAdServer(): AdServer {
  const simulator = createSimulator()
  return {
    ...simulator,
    change: async (anchor, orderId, lines, mediaBuyId) => {
      calls.push(`change ${lines.map(({ terms }) => (terms.running ? 'running' : 'stopped')).join(' ')}`)
      return simulator.change(anchor, orderId, lines, mediaBuyId)
    },
    cancel: async (anchor, orderId, lineIds) => {
      calls.push('cancel')
      return simulator.cancel(anchor, orderId, lineIds)
    },
  }
}

beforeAll(async () => {
  const products = [productDocument('news'), productDocument('sport'), productDocument('video', { delivery_type: 'guaranteed' })]
  const adServer = recordingAdServer()
  agent = await startMediaBuyAgent(products, { clock: () => now, adServer })
  operator = operatorBeside(agent, () => now, adServer)
})
afterAll(() => agent.stop())

async function ordered(overrides: object = {}, client?: AgentClient): Promise<string> {
  const { data, isError } = await agent.create(overrides, client)
  if (isError) throw new Error(JSON.stringify(data))
  return data.media_buy_id
}

type Query = Values<typeof listOrders.fields>
const act = <F extends FieldSet, A extends object>(of: Act<F, A>, members: Readonly<Record<string, unknown>> = {}) =>
  performAs(operator, agent.tenant, of, members)
const list = (query: Query = {}) => act(listOrders, query)
const atBuyer = async (id: string, client: AgentClient = agent.buyer) =>
  (await client.call('get_media_buys', { account: ACCOUNT, media_buy_ids: [id], include_history: 10 })).data.media_buys[0]

describe('the list of orders', () => {
  const ids: string[] = []
  beforeAll(async () => {
    for (const [index, budget] of [3000, 1000, 2000, 1000, 500].entries()) {
      now = new Date(Date.parse(BOOKED) + index * 1000)
      const product_id = index % 2 === 0 ? 'news' : 'sport'
      ids.push(
        await ordered({
          packages: [{ product_id, pricing_option_id: 'cpm', budget }],
          end_time: `2026-03-${20 - index}T00:00:00Z`,
          ...(index === 2 && { po_number: 'PO_77% Spring' }),
        }),
      )
    }
  })

  const everyPage = async (query: Query) => {
    const found: string[] = []
    let cursor: string | undefined
    do {
      const page = await list({ ...query, ...(cursor !== undefined && { cursor }), limit: 2 })
      found.push(...page.items.map(({ media_buy_id: id }) => id))
      cursor = page.next_cursor ?? undefined
    } while (cursor !== undefined)
    return found
  }

  it('comes newest first, by pages that neither repeat nor leave out an order', async () => {
    expect(await everyPage({})).toEqual(ids.toReversed())
    expect(await everyPage({ ascending: true })).toEqual(ids)
    expect(await everyPage({ sort: 'end' })).toEqual(ids)
    const budgets = async (ascending: boolean) => {
      const found = await everyPage({ sort: 'budget', ascending })
      expect([...found].sort()).toEqual([...ids].sort())
      return found
    }
    expect(await budgets(true)).toEqual((await budgets(false)).toReversed())
  })

  it('is narrowed by status, product, buyer and words of a search', async () => {
    expect(await everyPage({ product: 'sport' })).toEqual([ids[3], ids[1]])
    expect(await everyPage({ search: 'po_77%' })).toEqual([ids[2]])
    expect(await everyPage({ search: 'SPRING news' })).toEqual([ids[2]])
    expect(await everyPage({ search: 'spring sport' })).toEqual([])
    expect(await everyPage({ search: ids[1] ?? '' })).toEqual([ids[1]])
    expect(await everyPage({ buyer: 'nobody' })).toEqual([])
    expect(await everyPage({ status: ['pending_creatives'] })).toEqual(ids.toReversed())
    expect(await everyPage({ status: ['active', 'paused'] })).toEqual([])
  })

  it('shows nothing of another publisher', async () => {
    expect(await performAs(operator, 'other', listOrders, {})).toEqual({ items: [], next_cursor: null })
  })

  it('says what is wrong with a query', async () => {
    await expect(act(listOrders, { status: ['running'] })).rejects.toThrow('status must be a list of some of pending_creatives')
    await expect(list({ limit: 0 })).rejects.toThrow('from 1 to 200')
    const { next_cursor: cursor } = await list({ limit: 1 })
    await expect(list({ limit: 1, sort: 'end', cursor: cursor ?? '' })).rejects.toThrow('does not belong to this query')
    await expect(list({ search: 'a '.repeat(9) })).rejects.toThrow('at most 8 words')
  })
})

describe('an order in flight', () => {
  let id: string
  beforeAll(async () => {
    now = new Date(BOOKED)
    const creative = { creative_id: 'c1', name: 'Spring', format_id: { agent_url: `${agent.url}`, id: 'display_300x250' } }
    const synced = await agent.run('sync_creatives', {
      creatives: [
        {
          ...creative,
          assets: {
            image: { asset_type: 'image', url: 'https://cdn.brand.example/a.png', width: 300, height: 250 },
            click_url: { asset_type: 'url', url: 'https://brand.example/', url_type: 'clickthrough' },
          },
        },
      ],
    })
    if (synced.isError) throw new Error(JSON.stringify(synced.data))
    id = await ordered({
      packages: [{ product_id: 'news', pricing_option_id: 'cpm', budget: 1000, creative_assignments: [{ creative_id: 'c1' }] }],
    })
    now = new Date(MIDDLE)
    calls.length = 0
  })

  it('shows what it has delivered beside the plan', async () => {
    const order = await act(showOrder, { order: id })
    expect(order).toMatchObject({ status: 'active', buyer: 'buyer', advertiser: 'brand.example', currency: 'USD', budget: 1000 })
    expect(order.pacing).toEqual({ elapsed: 0.5, expected: 0.5, recognized: 0.5, delivered: 0.5, state: 'on_track' })
    expect(order.spent).toBe(500)
    // Named by the ad server, unlike the order itself.
    expect([order.ad_server_order_id, order.media_buy_id]).toEqual([expect.stringMatching(/^sim_order_/), id])
    expect(order.order_id).toBe(id)
    expect(order.days.reduce((sum, { spent }) => sum + spent, 0)).toBe(order.spent)
    expect(order.packages).toMatchObject([
      { product_id: 'news', spent: 500, creatives: [{ creative_id: 'c1', approval: 'approved' }] },
    ])
  })

  it('is paused at the ad server; the buyer sees it and why, and not the person', async () => {
    const { changed, order } = await act(pauseOrder, { order: id, reason: 'page is down' })
    expect([changed, order.status]).toEqual([true, 'paused'])
    expect(calls).toEqual(['change stopped'])
    const seen = await atBuyer(id)
    expect(seen.status).toBe('paused')
    expect(seen.history[0]).toMatchObject({ actor: 'acme', action: 'paused', summary: 'Paused by the publisher: page is down' })
    expect(JSON.stringify(seen)).not.toContain(userInfo().username)
    const [entry] = (await act(orderHistory, { order: id })).items
    expect(entry).toMatchObject({ person: `os:${userInfo().username}`, summary: 'Paused by the publisher: page is down' })
  })

  it('is the same when it is paused again: nothing is sent or written', async () => {
    calls.length = 0
    const before = await act(showOrder, { order: id })
    const { changed, order } = await act(pauseOrder, { order: id })
    expect([changed, order.revision, calls]).toEqual([false, before.revision, []])
  })

  it('is resumed, unless somebody changed it meanwhile', async () => {
    const { revision } = await act(showOrder, { order: id })
    await expect(act(resumeOrder, { order: id, revision: revision - 1 })).rejects.toMatchObject({ code: 'CONFLICT' })
    expect((await act(resumeOrder, { order: id, revision })).order.status).toBe('active')
    expect((await atBuyer(id)).status).toBe('active')
  })

  it('is extended, with the consequences shown before', async () => {
    const endsAt = '2026-03-15T00:00:00.000Z'
    const preview = await act(previewOrderChange, { order: id, action: 'extend', ends_at: endsAt })
    expect(preview).toMatchObject({ changed: true, ends_at_before: '2026-03-12T00:00:00.000Z', ends_at_after: endsAt })
    expect((await act(showOrder, { order: id })).ends_at).toBe('2026-03-12T00:00:00.000Z')
    expect((await act(extendOrder, { order: id, ends_at: endsAt })).order.ends_at).toBe(endsAt)
    expect((await atBuyer(id)).end_time).toBe(endsAt)
  })

  it('is canceled by the seller, of a suspended buyer too, and then over', async () => {
    await agent.server.store.transaction((tx) => setPrincipalStatus(tx, agent.tenant, 'buyer', 'suspended'))
    calls.length = 0
    const preview = await act(previewOrderChange, { order: id, action: 'cancel' })
    expect(preview).toMatchObject({ budget: 1000, spent: 500, unspent: 500 })
    await act(cancelOrder, { order: id, reason: 'fraud' })
    expect(calls).toEqual(['cancel'])
    await agent.server.store.transaction((tx) => setPrincipalStatus(tx, agent.tenant, 'buyer', 'active'))
    expect(await atBuyer(id)).toMatchObject({ status: 'canceled', cancellation: { canceled_by: 'seller', reason: 'fraud' } })
    await expect(act(pauseOrder, { order: id })).rejects.toMatchObject({ code: 'INVALID_STATE' })
    await expect(act(cancelOrder, { order: id, reason: 'again' })).rejects.toMatchObject({ code: 'NOT_CANCELLABLE' })
  })

  it('leaves an audit entry of each change with the person, and of nothing else', async () => {
    await agent.server.audit.settled()
    const entries = await listAudit(agent.server.store.read, agent.tenant, { limit: 100 })
    const ofOrder = entries.filter(({ subject }) => subject === id).reverse()
    const [first, ...own] = ofOrder
    expect(first).toMatchObject({ task: 'create_media_buy' })
    expect(own.map(({ task }) => task)).toEqual(['orders.pause', 'orders.resume', 'orders.extend', 'orders.cancel'])
    for (const entry of own) expect(entry).toMatchObject({ principal: 'operator', credential: `os:${userInfo().username}` })
    expect(own.map((entry) => entry.changes)).toMatchObject([
      { paused: [false, true] },
      { paused: [true, false] },
      { ends_at: ['2026-03-12T00:00:00.000Z', '2026-03-15T00:00:00.000Z'] },
      {},
    ])
  })

  it('is not found under another publisher, or by an id that there is not', async () => {
    const missing = { code: 'REFERENCE_NOT_FOUND' }
    await expect(performAs(operator, 'other', showOrder, { order: id })).rejects.toMatchObject(missing)
    await expect(act(pauseOrder, { order: randomUUID() })).rejects.toMatchObject(missing)
  })
})
