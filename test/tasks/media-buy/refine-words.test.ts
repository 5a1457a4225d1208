import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadContracts } from '../../../src/protocol/contracts.ts'
import { summarizeProducts } from '../../../src/tasks/media-buy/summaries.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

let agent: MediaBuyAgent
beforeAll(async () => {
  const desk = productDocument('desk', { channels: ['podcast'] })
  const spring = productDocument('spring', { channels: ['display'] })
  agent = await startMediaBuyAgent(
    [
      productDocument('news', { channels: ['display'] }),
      productDocument('clip', { channels: ['olv'] }),
      { ...desk, selling: { ...desk.selling, approval: 'manual' } },
      { ...spring, selling: { ...spring.selling, available_from: '2027-03-01', available_until: '2027-05-31' } },
    ],
    { contracts: loadContracts() },
  )
})
afterAll(() => agent?.stop())

const PINS = [{}, { adcp_version: '3.0' }, { adcp_version: '3.1' }, { adcp_version: '3.2' }]
const ask = async (request: object) => (await agent.buyer.call('get_products', request)).data

test('a change of the whole request says that earlier briefs are not remembered, and takes the brief that is sent again', async () => {
  for (const pinned of PINS) {
    const refine = [{ scope: 'request', ask: 'less display' }]
    const alone = await ask({ ...pinned, buying_mode: 'refine', refine })
    expect(alone.ext.notes[0]).toMatch(/^Earlier briefs are not remembered: this ask was put to all products\./)
    expect(summarizeProducts(alone)).toContain('Earlier briefs are not remembered')
    const again = await ask({ ...pinned, buying_mode: 'refine', brief: 'EUR 20,000 in Sweden, weekly report', refine })
    expect(again.ext.notes.join(' ')).not.toContain('not remembered')
    expect(again.ext.notes.join(' ')).toMatch(/Nothing on this page is priced in EUR\..*the weekly reports \(there are none; /)
  }
})

test('a named product that a filter keeps out says which, and brings nothing that was not asked for', async () => {
  for (const pinned of PINS) {
    const refine = [{ scope: 'product', product_id: 'spring', action: 'include' }]
    const filters = { start_date: '2026-12-11', end_date: '2026-12-24' }
    const { products, refinement_applied: applied } = await ask({ ...pinned, buying_mode: 'refine', refine, filters })
    expect(products).toEqual([])
    expect(applied).toMatchObject([
      { status: 'unable', notes: 'it does not pass filters.end_date: it is on sale from 2027-03-01 until 2027-05-31' },
    ])
  }
})

test('the text of list_tasks has the type of every task, and a read of one order no advice about lists', async () => {
  const packages = [{ product_id: 'desk', pricing_option_id: 'cpm', budget: 1000 }]
  expect((await agent.create({ packages })).data.status).toBe('submitted')
  const { tasks, text } = await (async () => {
    const made = await agent.create({})
    const params = { name: 'get_media_buys', arguments: { media_buy_ids: [made.data.media_buy_id] } }
    const one = await textOf(params)
    expect(one).not.toContain('active orders alone')
    const delivery = await textOf({ name: 'get_media_buy_delivery', arguments: { media_buy_ids: [made.data.media_buy_id] } })
    expect(delivery).toContain('Nothing was delivered in this period')
    expect(delivery).not.toContain('move budgets')
    const { data } = await agent.buyer.call('list_tasks', {})
    return { tasks: data.tasks, text: await textOf({ name: 'list_tasks', arguments: {} }) }
  })()
  expect(tasks.length).toBeGreaterThan(0)
  for (const { task_id, task_type, status } of tasks) expect(text).toContain(`- ${task_id}; ${task_type}; ${status}`)
})

async function textOf(params: object): Promise<string> {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  const response = await agent.buyer.send(message, { 'mcp-protocol-version': '2025-11-25' })
  const reply: unknown = await response.json()
  return JSON.parse(JSON.stringify(reply)).result.content[0].text
}
