import { afterAll, beforeAll, expect, it } from 'vitest'
import { operatorOn } from '../../src/compose/operator.ts'
import { setApprovalPolicy } from '../../src/operator/approvals/approval-policy.ts'
import { addBuyer } from '../../src/operator/buyers/add-buyer.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { startsSoonWithoutCreatives } from '../../src/operator/orders/off-plan.ts'
import { rejectRights } from '../../src/operator/rights/decide-rights.ts'
import { type AdminCall, adminClient } from '../support/admin-client.ts'
import { signedIn } from '../support/console-client.ts'
import { escalated, submitted } from '../support/decisions.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { createAdminKey, performAs } from '../support/operator.ts'

let agent: MediaBuyAgent
let operator: OperatorContext
let call: AdminCall

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')], { clock: () => new Date('2026-03-01T12:00:00.000Z') })
  operator = operatorOn(agent.server.store, agent.config)
  call = adminClient(agent.url, (await createAdminKey(operator, { tenantId: agent.tenant, name: 'desk', role: 'viewer' })).token)
  await performAs(operator, agent.tenant, setApprovalPolicy, { task: 'create_media_buy', when: 'always' })
})
afterAll(() => agent.stop())

it('open decisions of every kind are one list: what expires first, then the oldest; the inbox shows the same', async () => {
  await submitted(agent, 'rcs_1')
  await escalated(agent, 'check_1')
  await agent.create()
  const { status, data } = await call('GET', '/approvals/open')
  expect(status).toBe(200)
  const kinds = data.items.map(({ kind }: { readonly kind: string }) => kind)
  expect(kinds).toEqual(['approval', 'rights_creative', 'escalation'])
  expect(data.items[0].expires_at).toBe(data.items[0].approval.expires_at)
  expect(data.items[2]).toMatchObject({ since: '2026-03-01T12:00:00.000Z', escalation: { check_id: 'check_1' } })
  const viewer = await signedIn(agent, 'vera', 'viewer', agent.tenant)
  const { text } = await viewer.get(`/console/t/${agent.tenant}/inbox`)
  const order = data.items[0].approval.id
  const places = [order, 'Creative under granted rights', 'Spending beyond a plan'].map((each) => text.indexOf(each))
  expect(places.every((at) => at > 0)).toBe(true)
  expect(places.toSorted((a, b) => a - b)).toEqual(places)
})

it('a creative under a right is rejected with a reason or with suggestions, never without both', async () => {
  await submitted(agent, 'rcs_2')
  const reject = (members: object) => performAs(operator, agent.tenant, rejectRights, { right: 'rcs_2', ...members })
  await expect(reject({})).rejects.toThrow('reason is required, or suggestions')
  await expect(reject({ reason: ' ' })).rejects.toThrow('reason is empty: leave it out, or give it a text')
  expect(await reject({ suggestions: ['show the logo'] })).toMatchObject({ status: 'rejected' })
  const row = await agent.server.store.read
    .selectFrom('rights_creatives')
    .selectAll()
    .where('submission_id', '=', 'rcs_2')
    .executeTakeFirstOrThrow()
  expect(JSON.stringify(row)).toContain('it needs changes')
})

it('the review of creatives has no never: what cannot be checked in full waits for a person', async () => {
  const set = (task: string, when: 'never' | 'always') => performAs(operator, agent.tenant, setApprovalPolicy, { task, when })
  await expect(set('sync_creatives', 'never')).rejects.toThrow('when of sync_creatives must be one of always, rules')
  expect((await set('sync_creatives', 'always')).tasks.sync_creatives?.when).toBe('always')
  expect((await set('sync_accounts', 'never')).tasks.sync_accounts?.when).toBe('never')
})

it('the agent of a buyer is at an https address, in development also at a loopback address', async () => {
  const add = (buyer: string, agent_url: string, mode: 'development' | 'production' = 'production') =>
    performAs({ ...operator, config: { ...operator.config, mode } }, agent.tenant, addBuyer, { buyer, agent_url })
  for (const url of ['ftp://a.example', 'http://a.example', 'nothing', 'https://u:p@a.example', 'http://127.0.0.1:3000/mcp'])
    await expect(add('refused', url), url).rejects.toMatchObject({ field: 'agent_url' })
  await expect(add('refused', 'http://a.example', 'development')).rejects.toThrow('https')
  await expect(add('refused', 'https://a.example/?key=1')).rejects.toThrow('agent_url names the agent')
  expect(await add('here', 'http://127.0.0.1:3000/mcp', 'development')).toMatchObject({ agent_url: 'http://127.0.0.1:3000/mcp' })
  expect(await add('there', 'https://Agent.example/mcp')).toMatchObject({ agent_url: 'https://agent.example/mcp' })
})

it('an order without creatives is a problem three days before it starts', () => {
  const now = new Date('2026-03-01T12:00:00.000Z')
  const soon = (starts_at: string, status = 'pending_creatives') => startsSoonWithoutCreatives({ status, starts_at }, now)
  expect(['2026-03-04T12:00:00.000Z', '2026-02-01T00:00:00.000Z'].map((at) => soon(at))).toEqual([true, true])
  expect([soon('2026-03-04T12:00:00.001Z'), soon('2026-03-02T00:00:00.000Z', 'active')]).toEqual([false, false])
})
