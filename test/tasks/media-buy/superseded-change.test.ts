import { afterAll, beforeAll, expect, it } from 'vitest'
import { saveTenantSettings } from '../../../src/store/identity/tenants.ts'
import { approve } from '../../../src/tasks/approvals/decide.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

let agent: MediaBuyAgent
beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')])
})
afterAll(() => agent?.stop())

const approvals = (when: 'always' | 'never') =>
  agent.server.store.transaction((tx) =>
    saveTenantSettings(tx, agent.tenant, when === 'always' ? { approvals: { tasks: { update_media_buy: { when } } } } : {}),
  )
const update = async (id: string, change: object) =>
  (await agent.run('update_media_buy', { account: ACCOUNT, media_buy_id: id, ...change })).data
const waits = async (id: string, change: object): Promise<string> => {
  await approvals('always')
  const { status, task_id: taskId } = await update(id, change)
  await approvals('never')
  expect(status).toBe('submitted')
  return taskId
}
const approved = (taskId: string) =>
  approve({ ...agent.server.services, store: agent.server.store }, agent.tenant, taskId, [], agent.server.clock())
const read = async (id: string) => (await agent.buyer.call('get_media_buys', { media_buy_ids: [id] })).data.media_buys[0]
const statusOf = async (taskId: string) => (await agent.buyer.call('tasks/get', { task_id: taskId })).data
const inState = (taskId: string, state: 'approving' | 'waiting') =>
  agent.server.store.transaction((tx) => tx.updateTable('approvals').set({ state }).where('task_id', '=', taskId).execute())
const created = async () => {
  const { media_buy_id: id, packages } = (await agent.create()).data
  return { id: id as string, packageId: packages[0].package_id as string }
}

it('a smaller budget ends the raise that waits: approving the raise does not bring it back', async () => {
  const { id, packageId } = await created()
  const budget = (amount: number) => ({ packages: [{ package_id: packageId, budget: amount }] })
  const raise = await waits(id, budget(32_000))
  expect((await read(id)).ext.open_changes).toEqual([
    { task_id: raise, submitted_at: expect.any(String), changes: [expect.stringContaining('budget')] },
  ])
  const decides = { for: 'approval', message: `the publisher decides on the change ${raise}` }
  expect((await read(id)).ext.waits_for).toContainEqual(decides)
  await inState(raise, 'approving')
  const { waits_for: carriedOut } = (await read(id)).ext
  expect(carriedOut).not.toContainEqual(decides)
  expect(carriedOut).toContainEqual({
    for: 'ad_server',
    message: `the publisher has approved the change ${raise}, which is being carried out`,
  })
  await inState(raise, 'waiting')
  const lowered = await update(id, budget(500))
  expect(lowered.ext.notes, JSON.stringify(lowered)).toContainEqual(expect.stringContaining(`budget of ${packageId}`))
  expect(lowered.ext.notes.join()).toContain(raise)
  await expect(approved(raise)).rejects.toMatchObject({
    code: 'INVALID_STATE',
    message: expect.stringContaining('a newer change of the order was made'),
  })
  expect(await statusOf(raise)).toMatchObject({ status: 'canceled' })
  const now = await read(id)
  expect(now).toMatchObject({ total_budget: 500 })
  expect(now.ext?.open_changes).toBeUndefined()
})

it.each([
  ['dates', { end_time: '2026-04-25T00:00:00Z' }, { end_time: '2026-04-20T00:00:00Z' }],
  [
    'a pause of the order against one package',
    (pkg: string) => ({ packages: [{ package_id: pkg, budget: 900, paused: false }] }),
    { paused: true },
  ],
  [
    'targeting',
    (pkg: string) => ({ packages: [{ package_id: pkg, budget: 900, targeting_overlay: { geo_countries: ['US'] } }] }),
    (pkg: string) => ({ packages: [{ package_id: pkg, targeting_overlay: {} }] }),
  ],
  ['a canceled order', { end_time: '2026-04-25T00:00:00Z' }, { canceled: true }],
])('a newer change ends one that waits and sets the same: %s', async (_what, older, newer) => {
  const { id, packageId } = await created()
  const of = (change: object | ((pkg: string) => object)) => (typeof change === 'function' ? change(packageId) : change)
  const waiting = await waits(id, of(older))
  expect(await update(id, of(newer))).toMatchObject({ media_buy_id: id })
  expect(await statusOf(waiting)).toMatchObject({ status: 'canceled' })
})

it('what sets something else goes on waiting, which the answer says, and can be approved', async () => {
  const { id, packageId } = await created()
  const raise = await waits(id, { packages: [{ package_id: packageId, budget: 32_000 }] })
  const renamed = await update(id, { paused: true })
  expect(renamed.ext.notes, JSON.stringify(renamed)).toContainEqual(expect.stringMatching(`${raise}.*still waits for approval`))
  expect(await approved(raise)).toMatchObject({ status: 'completed' })
  expect(await read(id)).toMatchObject({ total_budget: 32_000 })
})

it('of two raises that wait the newer one holds, in whatever order they are approved', async () => {
  const { id, packageId } = await created()
  const budget = (amount: number) => ({ packages: [{ package_id: packageId, budget: amount }] })
  const first = await waits(id, budget(20_000))
  agent.setClock('2026-03-01T12:05:00Z')
  const second = await waits(id, budget(30_000))
  expect(await approved(second)).toMatchObject({ status: 'completed' })
  expect(await statusOf(first)).toMatchObject({ status: 'canceled' })
  expect(await read(id)).toMatchObject({ total_budget: 30_000 })
})
