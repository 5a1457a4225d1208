import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { verifyChain } from '../../../src/features/audit/verify-chain.ts'
import { listAudit } from '../../../src/store/audit/audit.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

let agent: MediaBuyAgent
beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')])
})
afterAll(() => agent.stop())

const newest = async (limit: number, tenant = agent.tenant) => {
  await agent.server.audit.settled()
  return listAudit(agent.server.store.read, tenant, { limit })
}
const verify = (expected?: { seq: number; hash: string }) => verifyChain(agent.server.store.read, agent.tenant, expected)

it('keeps who changed what, with which credential and on which account, and never what was sent', async () => {
  const { data } = await agent.create({ po_number: 'PO-SECRET-17' })
  const [entry] = await newest(1)
  expect(entry).toMatchObject({
    tenant: agent.tenant,
    principal: 'buyer',
    transport: 'mcp',
    task: 'create_media_buy',
    account: expect.any(String),
    credential: expect.any(String),
    outcome: 'ok',
  })
  expect(entry).not.toHaveProperty('replay')
  expect(data.media_buy_id).toEqual(expect.any(String))
  const text = JSON.stringify(await newest(100))
  expect(text).not.toContain('PO-SECRET-17')
  expect(text).not.toContain(agent.key)
})

it('tells a replay from a change, and keeps refusals with their code', async () => {
  const args = { idempotency_key: randomUUID() }
  await agent.create(args)
  await agent.create(args)
  await agent.create({ packages: [{ product_id: 'nothing-like-it', pricing_option_id: 'cpm', budget: 10 }] })
  const entries = (await newest(3)).reverse()
  expect(entries.map(({ outcome, replay }) => [outcome, replay ?? false])).toEqual([
    ['ok', false],
    ['ok', true],
    ['PRODUCT_NOT_FOUND', false],
  ])
})

it('a call that fails leaves no entry of a change', async () => {
  const before = (await newest(1000)).filter((entry) => entry.outcome === 'ok').length
  await agent.run('update_media_buy', { media_buy_id: 'mb_none' })
  const after = (await newest(1000)).filter((entry) => entry.outcome === 'ok').length
  expect(after).toBe(before)
})

it('reads that succeed leave nothing', async () => {
  const [last] = await newest(1)
  await agent.buyer.call('get_media_buys', {})
  expect(await newest(1)).toEqual([last])
})

it('counts the refusals of callers that nobody knows instead of writing each', async () => {
  for (let n = 0; n < 20; n += 1) await agent.client('not-a-key').call('create_media_buy', {})
  const entries = await newest(100, '')
  const refused = entries.filter(({ task }) => task === 'create_media_buy')
  expect(refused.reduce((sum, { count }) => sum + (count ?? 1), 0)).toBe(20)
  expect(refused.length).toBeLessThan(20)
})

it('verify follows the chain, and names what was changed, taken out or cut off', async () => {
  const whole = await verify()
  expect(whole.broken).toBeUndefined()
  const head = { seq: whole.links, hash: whole.head }
  const { store } = agent.server
  const log = () => store.read.selectFrom('audit_log').selectAll().where('tenant_id', '=', agent.tenant)
  const second = await log().where('seq', '=', 2).executeTakeFirstOrThrow()
  const last = await log().where('seq', '=', whole.links).executeTakeFirstOrThrow()
  const at =
    (seq: number) => (eb: import('kysely').ExpressionBuilder<import('../../../src/store/tables.ts').Tables, 'audit_log'>) =>
      eb.and([eb('tenant_id', '=', agent.tenant), eb('seq', '=', seq)])

  await store.transaction((tx) =>
    tx
      .updateTable('audit_log')
      .set({ entry: second.entry.replace('"ok"', '"OK"') })
      .where(at(2))
      .execute(),
  )
  expect((await verify()).broken).toBe('number 2 was changed after it was written')
  await store.transaction((tx) => tx.deleteFrom('audit_log').where(at(2)).execute())
  expect((await verify()).broken).toBe('number 2 is missing')
  await store.transaction((tx) => tx.insertInto('audit_log').values(second).execute())
  expect(await verify(head)).toEqual(whole)
  await store.transaction((tx) => tx.updateTable('audit_log').set({ outcome: 'hidden' }).where(at(2)).execute())
  expect((await verify()).broken).toBe('number 2 is filed as something else than it says')
  await store.transaction((tx) => tx.updateTable('audit_log').set({ outcome: second.outcome }).where(at(2)).execute())
  expect(await verify(head)).toEqual(whole)

  await store.transaction((tx) => tx.deleteFrom('audit_log').where(at(whole.links)).execute())
  expect((await verify()).broken, 'a chain cut short looks whole').toBeUndefined()
  expect((await verify(head)).broken).toBe(`it ends at ${whole.links - 1}; ${whole.links} was there`)
  await store.transaction((tx) => tx.insertInto('audit_log').values(last).execute())
})
