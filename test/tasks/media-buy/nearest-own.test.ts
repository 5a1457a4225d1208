import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AgentClient } from '../../support/client.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

// An unknown order or proposal is answered with the nearest of the buyer's own, and never with those of another.

let agent: MediaBuyAgent
let stranger: AgentClient
const ids: string[] = []
beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news'), productDocument('sports')])
  stranger = await agent.buyerOn(ACCOUNT, { principal: 'stranger' })
  for (let index = 0; index < 6; index++) {
    agent.setClock(`2026-03-01T0${index}:00:00Z`)
    ids.push((await agent.create({ po_number: `order ${index}` })).data.media_buy_id)
  }
}, 120_000)
afterAll(() => agent?.stop())

const messages = async (id: string, client = agent.buyer) => {
  const changed = await agent.run('update_media_buy', { media_buy_id: id, paused: true }, client)
  const read = await client.call('get_media_buys', { account: ACCOUNT, media_buy_ids: [id] })
  const report = await client.call('get_media_buy_delivery', { account: ACCOUNT, media_buy_ids: [id] })
  return [changed.data.adcp_error.message, read.data.errors[0].message, report.data.adcp_error.message]
}

test('an unknown media buy: the one that was meant, else the five newest', async () => {
  const [first = '', ...rest] = ids
  const mistyped = first.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
  for (const message of await messages(mistyped)) expect(message).toContain(`; did you mean "${first}"?`)
  for (const message of await messages('mb_nope')) {
    for (const id of rest) expect(message).toContain(id)
    expect(message).not.toContain(first)
  }
})

test('the same in a report of usage', async () => {
  const reporting_period = { start: '2026-02-01T00:00:00Z', end: '2026-02-28T00:00:00Z' }
  const usage = [{ account: ACCOUNT, media_buy_id: 'mb_nope', vendor_cost: 1, currency: 'USD' }]
  const { data } = await agent.run('report_usage', { account: undefined, reporting_period, usage })
  expect(data.errors[0]).toMatchObject({ code: 'MEDIA_BUY_NOT_FOUND', message: expect.stringContaining(ids.at(-1) ?? '') })
})

test('a media buy of another buyer: none of theirs', async () => {
  for (const id of ['mb_nope', ids[0] ?? ''])
    for (const message of await messages(id, stranger))
      expect(message).toMatch(/(this account|your media buys); get_media_buys lists/)
})

test('an unknown proposal: those that are open for the buyer', async () => {
  const brief = await agent.buyer.call('get_products', {
    account: ACCOUNT,
    buying_mode: 'brief',
    brief: 'news and sports, USD 5000',
  })
  const [{ proposal_id: draft }] = brief.data.proposals
  const refine = (proposal_id: string, client = agent.buyer, action = 'finalize') =>
    client.call('get_products', { account: ACCOUNT, buying_mode: 'refine', refine: [{ scope: 'proposal', proposal_id, action }] })
  expect((await refine(draft)).isError).toBe(false)
  const order = { packages: undefined, proposal_id: 'p-nope', total_budget: { amount: 5000, currency: 'USD' } }
  const own = [await refine('p-nope'), await agent.create(order)]
  for (const { data } of own) expect(data.adcp_error.message).toContain(`is open for you; open ones: ${draft}; get_products`)
  const theirs = [
    await refine('p-nope', stranger),
    await refine(draft.replace(/.$/, '_'), stranger),
    await agent.create(order, stranger),
  ]
  for (const { data } of theirs) expect(JSON.stringify(data)).not.toContain(draft)
})
