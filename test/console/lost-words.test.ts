import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Runnable } from '../../src/operator/act.ts'
import { setCreativeReview } from '../../src/operator/creatives/review-creatives.ts'
import { removePerson, setRole } from '../../src/operator/people/manage-people.ts'
import { perform } from '../../src/operator/perform.ts'
import { type ConsoleClient, signedIn } from '../support/console-client.ts'
import { banner } from '../support/creative-agent.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { operatorBeside, performAs } from '../support/operator.ts'

let agent: MediaBuyAgent
let ada: ConsoleClient
let base = ''

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')])
  await performAs(operatorBeside(agent, agent.server.clock), agent.tenant, setCreativeReview, { mode: 'manual' })
  ada = await signedIn(agent, 'ada', 'administrator', agent.tenant)
  base = `/console/t/${agent.tenant}`
})
afterAll(() => agent.stop())

it.each([
  ['without its word', {}],
  ['with another word', { decision: 'maybe' }],
])('a decision on chosen creatives %s is refused, and decides nothing', async (_name, word) => {
  await agent.run('sync_creatives', { creatives: [banner(agent.url, 'c-1')] })
  const { text } = await ada.get(`${base}/creatives`)
  const id = /name="id" value="([^"]+:c-1)"/.exec(text)?.[1] ?? ''
  expect((await ada.post(`${base}/inbox/chosen`, { id, ...word })).status).toBe(400)
  const { data } = await agent.run('list_creatives', { filters: { creative_ids: ['c-1'] } })
  expect(data.creatives).toMatchObject([{ status: 'pending_review' }])
})

it('orders and products that were chosen stay as they are where the form does not say what to do', async () => {
  const order = String((await agent.create()).data.media_buy_id)
  expect((await ada.post(`${base}/orders/chosen`, { id: order })).status).toBe(400)
  expect((await ada.post(`${base}/products/chosen`, { id: 'news' })).status).toBe(400)
  const { data } = await agent.run('get_media_buys', { media_buy_ids: [order] })
  expect(data.media_buys).not.toMatchObject([{ status: 'paused' }])
  expect((await agent.run('get_products', { buying_mode: 'wholesale' })).data.products).toMatchObject([{ product_id: 'news' }])
})

const OWN: readonly (readonly [string, Runnable, object])[] = [
  ['role', setRole, { role: 'viewer' }],
  ['removal', removePerson, {}],
]
it.each(OWN)('nobody decides on their own %s', async (_name, act, more) => {
  const operator = operatorBeside(agent, agent.server.clock)
  const actor = { ...operator.actor, who: 'person:ada' }
  const caller = { actor, tenantId: agent.tenant, role: 'administrator', deployment: true } as const
  const refusal = await perform(operator, caller, act, { username: 'ada', ...more }).catch((error: unknown) => error)
  expect(refusal).toMatchObject({ code: 'INVALID_STATE', field: 'username' })
})
