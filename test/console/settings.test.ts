import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operatorOn } from '../../src/compose/operator.ts'
import { showApprovalPolicy } from '../../src/operator/approvals/approval-policy.ts'
import { type ConsoleClient, signedIn } from '../support/console-client.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { performAs } from '../support/operator.ts'

let agent: MediaBuyAgent
let base: string
let person: ConsoleClient

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news'), productDocument('sport')])
  base = `/console/t/${agent.tenant}`
  person = await signedIn(agent, 'admin', 'administrator', agent.tenant)
})
afterAll(() => agent.stop())

describe('the approval policy', () => {
  it('is tried on the orders of the last month before it is saved', async () => {
    const operator = operatorOn(agent.server.store, agent.config)
    for (const [product_id, budget] of [
      ['news', 300],
      ['news', 700],
      ['sport', 300],
    ] as const)
      expect((await agent.create({ packages: [{ product_id, pricing_option_id: 'cpm', budget }] })).isError).toBe(false)
    const before = await performAs(operator, agent.tenant, showApprovalPolicy, {})
    const rule = { task: 'create_media_buy', when: 'rules' }
    const trial = async (more: Record<string, string>) => {
      const { text } = await person.post(`${base}/settings/approvals/try`, { ...rule, ...more })
      return /Of (\d+) orders, (\d+) would/.exec(text)?.slice(1).map(Number)
    }
    expect(await trial({ above: '500', products: '' })).toEqual([3, 1])
    expect(await trial({ above: '500', products: 'sport' })).toEqual([3, 2])
    expect(await trial({ above: '', products: '' })).toEqual([3, 0])
    expect(await performAs(operator, agent.tenant, showApprovalPolicy, {})).toEqual(before)
    agent.setClock('2026-05-01T12:00:00Z')
    const late = await signedIn(agent, 'later', 'administrator', agent.tenant)
    const { text } = await late.post(`${base}/settings/approvals/try`, { ...rule, above: '500', products: '' })
    expect(text).toContain('Of 0 orders, 0 would')
  })
})

describe('notifications', () => {
  it('are set by each person for themselves, and addresses of webhooks are shown by their origin', async () => {
    const viewer = await signedIn(agent, 'reader', 'viewer', agent.tenant)
    const saved = await viewer.post(`${base}/notifications/mail`, { address: 'reader@publisher.example', kinds: 'waiting' })
    expect([saved.status, saved.location]).toEqual([303, `${base}/notifications?done=changed`])
    const { text } = await viewer.get(`${base}/notifications`)
    expect(text).toContain('Now: reader@publisher.example')
    expect(text).toContain('this deployment has no mail server')
    expect(text).toMatch(/value="waiting" checked/)
    expect(text).not.toMatch(/value="drift" checked[\s\S]*<h2>Slack/)
    const late = await signedIn(agent, 'another', 'administrator', agent.tenant)
    expect((await late.get(`${base}/notifications`)).text).not.toContain('reader@publisher.example')
    expect((await viewer.post(`${base}/notifications/mail/remove`)).location).toBe(`${base}/notifications?done=removed`)
    expect((await viewer.get(`${base}/notifications`)).text).not.toContain('reader@publisher.example')
    expect((await viewer.post(`${base}/notifications/pigeon`, { address: 'x' })).status).toBe(400)
  })
})
