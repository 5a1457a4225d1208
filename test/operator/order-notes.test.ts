import { afterAll, beforeAll, expect, it } from 'vitest'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { listNotes, noteOrder } from '../../src/operator/orders/note-order.ts'
import { listAudit } from '../../src/store/audit/audit.ts'
import { signedIn } from '../support/console-client.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { operatorBeside, performAs } from '../support/operator.ts'

let agent: MediaBuyAgent
let operator: OperatorContext
let order: string
let now = new Date('2026-03-01T12:00:00.000Z')

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')], { clock: () => now })
  operator = operatorBeside(agent, () => now)
  order = (await agent.create()).data.media_buy_id
})
afterAll(() => agent.stop())

it('a note on an order is for colleagues, in every door, and in the audit log without its words', async () => {
  await performAs(operator, agent.tenant, noteOrder, { order, note: 'agency <b>calls</b> back' })
  now = new Date('2026-03-01T13:00:00.000Z')
  const ann = await signedIn(agent, 'ann', 'ad_operations', agent.tenant)
  const path = `/console/t/${agent.tenant}/orders/${order}`
  await ann.post(`${path}/notes`, { note: 'PO is missing' })
  const { items } = await performAs(operator, agent.tenant, listNotes, { order })
  expect(items.map(({ note, author }) => [note, author.split(':')[0]])).toEqual([
    ['PO is missing', 'console'],
    ['agency <b>calls</b> back', 'os'],
  ])
  const { text } = await ann.get(path)
  expect(text).toContain('PO is missing')
  expect(text).toContain('agency &lt;b&gt;calls&lt;/b&gt; back')
  const seen = await agent.buyer.call('get_media_buys', { account: ACCOUNT, media_buy_ids: [order], include_history: 10 })
  expect(JSON.stringify(seen.data)).not.toContain('PO is missing')
  await agent.server.audit.settled()
  const entries = await listAudit(agent.server.store.read, agent.tenant, { limit: 10, task: 'orders.note' })
  expect(entries.map(({ subject }) => subject)).toEqual([order, order])
  expect(JSON.stringify(entries)).not.toContain('PO is missing')
})

it('a viewer reads notes and writes none; an empty one and one of an unknown order are refused', async () => {
  const vera = await signedIn(agent, 'vera', 'viewer', agent.tenant)
  const path = `/console/t/${agent.tenant}/orders/${order}`
  expect((await vera.get(path)).text).not.toContain('New note')
  expect((await vera.post(`${path}/notes`, { note: 'mine' })).status).toBe(403)
  for (const note of ['', ' \n '])
    await expect(performAs(operator, agent.tenant, noteOrder, { order, note })).rejects.toMatchObject({ field: 'note' })
  expect(await performAs(operator, agent.tenant, noteOrder, { order, note: '  kept  ' })).toMatchObject({ note: 'kept' })
  await expect(performAs(operator, agent.tenant, noteOrder, { order: 'mb_none', note: 'x' })).rejects.toMatchObject({
    code: 'REFERENCE_NOT_FOUND',
  })
})

it('an order has 200 notes at most', async () => {
  const other = (await agent.create()).data.media_buy_id
  const write = (note: string) => performAs(operator, agent.tenant, noteOrder, { order: other, note })
  for (let written = 0; written < 200; written += 1) await write('once more')
  await expect(write('too many')).rejects.toThrow('the order has 200 notes, which is the most')
})
