import { afterAll, beforeAll, expect, it } from 'vitest'
import { listApprovals } from '../../../src/operator/approvals/list-approvals.ts'
import { saveTenantSettings } from '../../../src/store/identity/tenants.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'
import { operatorBeside, performAs } from '../../support/operator.ts'

let agent: MediaBuyAgent
beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')])
})
afterAll(() => agent?.stop())

const update = async (id: string, change: object) =>
  (await agent.run('update_media_buy', { account: ACCOUNT, media_buy_id: id, ...change })).data

it('a change that waits ends with its order: nobody decides on it, and its buyer is told', async () => {
  const { media_buy_id: id, packages } = (await agent.create()).data
  const other = (await agent.create()).data
  const always = { tasks: { update_media_buy: { when: 'always' } } } as const
  await agent.server.store.transaction((tx) => saveTenantSettings(tx, agent.tenant, { approvals: always }))
  const raise = (of: string, [pkg]: readonly { package_id: string }[]) =>
    update(of, { packages: [{ package_id: pkg?.package_id, budget: 2000 }] })
  const waiting = await raise(id, packages)
  const elsewhere = await raise(other.media_buy_id, other.packages)
  expect([waiting.status, elsewhere.status]).toEqual(['submitted', 'submitted'])
  await agent.server.store.transaction((tx) => saveTenantSettings(tx, agent.tenant, {}))
  expect(await update(id, { canceled: true })).toMatchObject({ media_buy_id: id })
  const operator = operatorBeside(agent, () => agent.server.clock())
  const { items } = await performAs(operator, agent.tenant, listApprovals, {})
  expect(items.map((entry) => entry.id)).toEqual([elsewhere.task_id])
  const task = (await agent.buyer.call('tasks/get', { task_id: waiting.task_id })).data
  expect(task).toMatchObject({ status: 'canceled' })
  expect(JSON.stringify(task)).toContain('the order was canceled')
})
