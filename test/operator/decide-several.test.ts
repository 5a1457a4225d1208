import { afterAll, beforeAll, expect, it } from 'vitest'
import { operatorOn } from '../../src/compose/operator.ts'
import { setCreativeReview } from '../../src/operator/creatives/review-creatives.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { type AdminCall, adminClient } from '../support/admin-client.ts'
import { banner } from '../support/creative-agent.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { createAdminKey, listAuditEntries, performAs } from '../support/operator.ts'

let agent: MediaBuyAgent
let operator: OperatorContext
let call: AdminCall
let ids: readonly string[]

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')])
  operator = operatorOn(agent.server.store, agent.config)
  await performAs(operator, agent.tenant, setCreativeReview, { mode: 'manual' })
  const banners = ['b-1', 'b-2', 'b-3'].map((id) => banner(agent.url, id))
  await agent.run('sync_creatives', { creatives: banners })
  const key = await createAdminKey(operator, { tenantId: agent.tenant, name: 'desk', role: 'ad_operations' })
  call = adminClient(agent.url, key.token)
  const { data } = await call('GET', '/approvals')
  ids = data.items.map(({ id }: { readonly id: string }) => id).toSorted()
})
afterAll(() => agent.stop())

const decide = (body: object, once?: string) =>
  call('POST', '/approvals/decide-several', { body, ...(once !== undefined && { once }) })
const states = async () => (await call('GET', '/approvals')).data.items.map(({ id }: { readonly id: string }) => id).toSorted()

it('refuses, before any is decided, what concerns all of them', async () => {
  const refused = [
    [{ approvals: [], decision: 'approve' }, 'approvals must be a list of 1 to 200 approvals'],
    [{ approvals: ids, decision: 'reject' }, 'a rejection needs a reason, which the buyers read'],
    [{ approvals: Array(201).fill(ids[0]), decision: 'approve' }, 'approvals must be a list of 1 to 200 approvals'],
  ] as const
  for (const [body, detail] of refused) expect((await decide(body)).data).toMatchObject({ title: 'INVALID_REQUEST', detail })
  expect(await states()).toEqual(ids)
})

it('decides on each by itself and names those that stay as they are; a repeat is not carried out again', async () => {
  const [one = '', two = ''] = ids
  const gone = 'creative:buyer::gone'
  const body = { approvals: [one, gone, two, one], decision: 'approve' }
  const { data } = await decide(body, 'morning')
  expect(data.decided).toEqual([one, two].map((approval) => ({ approval, status: 'approved' })))
  expect(data.refused).toEqual([{ approval: gone, code: 'CREATIVE_NOT_FOUND', message: 'buyer has no creative gone' }])
  expect(await decide(body, 'morning')).toMatchObject({ replayed: true, data })
  expect(await states()).toEqual(ids.slice(2))
  await agent.server.audit.settled()
  const entries = await listAuditEntries(operator, agent.tenant, { limit: 20 })
  const logged = entries.filter(({ task }) => task.startsWith('approvals.'))
  expect(logged.map(({ task, subject, changes }) => [task, subject, changes])).toEqual(
    [two, one].map((subject) => ['approvals.approve', subject, { state: ['pending_review', 'approved'] }]),
  )
})

it('a creative that a colleague approved stays approved', async () => {
  const [one = '', , three = ''] = ids
  const { data } = await decide({ approvals: [one, three], decision: 'reject', reason: 'too loud' })
  expect(data.decided).toEqual([{ approval: three, status: 'rejected' }])
  expect(data.refused).toEqual([{ approval: one, code: 'INVALID_STATE', message: 'it is approved already' }])
})
