import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operatorOn } from '../../src/compose/operator.ts'
import { setApprovalPolicy } from '../../src/operator/approvals/approval-policy.ts'
import { setCreativeReview } from '../../src/operator/creatives/review-creatives.ts'
import { type ConsoleClient, signedIn } from '../support/console-client.ts'
import { banner } from '../support/creative-agent.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { performAs, setTenant } from '../support/operator.ts'

let agent: MediaBuyAgent
let base: string
let ann: ConsoleClient
let bob: ConsoleClient

beforeAll(async () => {
  const guaranteed = { delivery_type: 'guaranteed' as const }
  agent = await startMediaBuyAgent([
    productDocument('news', guaranteed, { daily_capacity: 100_000 }),
    productDocument('takeover', {}, { approval: 'manual' }),
  ])
  const operator = operatorOn(agent.server.store, agent.config)
  await performAs(operator, agent.tenant, setCreativeReview, { mode: 'manual' })
  await performAs(operator, agent.tenant, setApprovalPolicy, { task: 'update_media_buy', when: 'always' })
  base = `/console/t/${agent.tenant}`
  ann = await signedIn(agent, 'ann', 'ad_operations', agent.tenant)
  bob = await signedIn(agent, 'bob', 'ad_operations', agent.tenant)
})
afterAll(() => agent.stop())

const order = async () => {
  const { data } = await agent.create({ packages: [{ product_id: 'takeover', pricing_option_id: 'cpm', budget: 500 }] })
  return String(data.task_id)
}
const creative = async (id: string) => {
  const { isError, data } = await agent.run('sync_creatives', { creatives: [banner(agent.url, id)] })
  expect(isError, JSON.stringify(data)).toBe(false)
}
/** Ids of creatives in the queue, as the boxes of their cards carry them. */
const queued = async (person: ConsoleClient) =>
  [...(await person.get(`${base}/inbox`)).text.matchAll(/name="id" value="(creative:[^"]+)" form="chosen"/g)].map(
    ([, id = '']) => id,
  )

describe('a change of an order in the inbox', () => {
  it('shows each term as it is and as it would be, and what the flight has left beside the order itself', async () => {
    const packages = [{ product_id: 'news', pricing_option_id: 'cpm', budget: 5000 }]
    const bought = await agent.create({ packages })
    const { media_buy_id: id, packages: made } = bought.data
    const changed = await agent.run('update_media_buy', {
      media_buy_id: id,
      packages: [{ package_id: made[0].package_id, budget: 8000 }],
    })
    const { text } = await ann.get(`${base}/inbox/${changed.data.task_id}`)
    expect(text).toMatch(
      /The whole order<\/td><td>Budget<\/td><td class="number">\$5,000\.00<\/td><td class="number"><strong>\$8,000\.00/,
    )
    // Ten days of 100,000; the 500,000 of the order itself are not in its way.
    expect(text).toMatch(/500,000<\/td><td class="number">800,000<\/td><td class="number">1,000,000<\/td>[\s\S]{0,60}fits/)
    const tooMuch = await agent.run('update_media_buy', { media_buy_id: id, end_time: '2026-03-13T00:00:00Z' })
    expect((await ann.get(`${base}/inbox/${tooMuch.data.task_id}`)).text).toMatch(/>End<\/td>[\s\S]*12 Mar 2026|>End<\/td>/)
    for (const { data } of [changed, tooMuch])
      await ann.post(`${base}/inbox/${data.task_id}/reject`, { reason: 'only looked at' })
  })
})

describe('a question in place of a decision', () => {
  it('goes back to the buyer with a creative, which may be submitted again', async () => {
    await creative('asked')
    const { text: cards } = await ann.get(`${base}/inbox`)
    expect(cards).toMatch(
      /<iframe class="preview" [^>]*sandbox="allow-scripts" loading="lazy" src="[^"]+\/asked\/preview"><\/iframe>/,
    )
    expect(cards).not.toContain('<summary>Preview')
    const [id = ''] = await queued(ann)
    expect((await ann.post(`${base}/inbox/${id}/ask`, { reason: 'a larger logo' })).location).toBe(`${base}/inbox?done=asked`)
    const { data } = await agent.buyer.call('list_creatives', { filters: { creative_ids: ['asked'] } })
    expect(data.creatives[0].status).toBe('rejected')
    const again = await agent.run('sync_creatives', { creatives: [banner(agent.url, 'asked')] })
    expect(again.data.creatives[0].status).toBe('pending_review')
    await ann.post(`${base}/inbox/${id}/approve`)
  })

  it('is shown by an account, which stays pending', async () => {
    await setTenant(operatorOn(agent.server.store, agent.config), agent.tenant, { verifyOperators: true })
    const declared = await agent.buyer.call('sync_accounts', {
      idempotency_key: 'account-of-the-inbox-test-1',
      accounts: [{ brand: { domain: 'new.example' }, operator: 'other.example', billing: 'operator' }],
    })
    expect(JSON.stringify(declared.data)).toContain('pending_approval')
    const [, id = ''] = /inbox\/(account%3A[^/]+)\/ask/.exec((await ann.get(`${base}/inbox`)).text) ?? []
    expect((await ann.post(`${base}/inbox/${id}/ask`, { reason: 'send the registration number' })).status).toBe(303)
    const { data } = await agent.buyer.call('list_accounts', { status: 'pending_approval' })
    expect(JSON.stringify(data.accounts)).toContain('send the registration number')
    expect((await ann.get(`${base}/inbox`)).text).toContain('send the registration number')
    expect((await ann.post(`${base}/inbox/${id}/approve`)).status).toBe(303)
    expect((await bob.post(`${base}/inbox/${id}/ask`, { reason: 'too late' })).status).toBe(409)
  })
})

describe('of two people', () => {
  it('the second one is told who was first and what they did, also when both approve', async () => {
    const id = await order()
    await ann.post(`${base}/inbox/${id}/approve`)
    for (const [act, fields] of [
      ['approve', { conditions: 'No autoplay' }],
      ['reject', { reason: 'too late' }],
      ['ask', { reason: 'too late' }],
    ] as const) {
      const late = await bob.post(`${base}/inbox/${id}/${act}`, fields)
      expect([act, late.status]).toEqual([act, 409])
      expect(late.text).toContain('ann Example approved it less than a minute ago.')
    }
    expect((await bob.get(`${base}/inbox/${id}`)).text).toContain('ann Example approved it')
    expect((await ann.post(`${base}/inbox/${id}/reject`, { reason: 'again' })).text).toContain('You approved it')
  })

  it('those of several creatives that somebody decided on are named, the others are decided', async () => {
    for (const id of ['b-1', 'b-2', 'b-3']) await creative(id)
    const ids = await queued(ann)
    expect(ids).toHaveLength(3)
    const chosen = (client: ConsoleClient, wanted: readonly string[], fields: readonly (readonly [string, string])[]) =>
      client.postAll(`${base}/inbox/chosen`, [...wanted.map((id) => ['id', id] as const), ...fields])
    await bob.get(`${base}/inbox`)
    expect((await chosen(ann, ids.slice(0, 1), [['decision', 'reject']])).status).toBe(400)
    expect((await chosen(ann, [], [['decision', 'approve']])).status).toBe(400)
    const tooMany = await chosen(ann, [...Array(200).fill('creative:none'), ...ids], [['decision', 'approve']])
    expect([tooMany.status, tooMany.text]).toEqual([400, expect.stringContaining('a list of 1 to 200 approvals')])
    expect(await queued(ann)).toEqual(ids)
    expect((await chosen(ann, ids.slice(0, 1), [['decision', 'approve']])).status).toBe(303)
    const late = await chosen(bob, ids, [
      ['decision', 'reject'],
      ['reason', 'too loud'],
    ])
    expect([late.status, late.text]).toEqual([
      409,
      expect.stringMatching(/2 of 3 done[\s\S]*b-1: [\s\S]*ann Example approved it/),
    ])
    expect((await ann.get(`${base}/creatives?status=rejected`)).text.split('too loud')).toHaveLength(3)
  })

  it('the second one at a creative or an order is told the same', async () => {
    await creative('c-1')
    const list = await bob.get(`${base}/creatives`)
    const [, path = ''] = new RegExp(`href="(${base}/creatives/buyer/[^"]+/c-1)"`).exec(list.text) ?? []
    expect((await ann.post(`${path}/approve`, { seen: 'pending_review' })).status).toBe(303)
    const late = await bob.post(`${path}/approve`, { seen: 'pending_review' })
    expect([late.status, late.text]).toEqual([409, expect.stringContaining('ann Example approved the creative')])

    const bought = await agent.create()
    const own = `${base}/orders/${bought.data.media_buy_id}`
    const [, revision = ''] = /name="revision" value="(\d+)"/.exec((await ann.get(`${own}/pause`)).text) ?? []
    expect((await ann.post(`${own}/pause`, { revision })).status).toBe(303)
    const second = await bob.post(`${own}/cancel`, { revision, reason: 'too late' })
    expect([second.status, second.text]).toEqual([409, expect.stringContaining('ann Example paused the order')])
  })
})
