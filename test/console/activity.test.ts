import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { operatorOn } from '../../src/compose/operator.ts'
import { ACTIVITIES } from '../../src/console/parts/activity-words.ts'
import type { Runnable } from '../../src/operator/act.ts'
import { ACTS } from '../../src/operator/acts.ts'
import { setInvoicing } from '../../src/operator/billing/invoicing-details.ts'
import { setBuyerStatus } from '../../src/operator/buyers/change-buyer.ts'
import { removePlacement, savePlacement } from '../../src/operator/placements/manage-placements.ts'
import { type ConsoleClient, signedIn } from '../support/console-client.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { performAs } from '../support/operator.ts'

let agent: MediaBuyAgent
let person: ConsoleClient
let base: string

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')])
  base = `/console/t/${agent.tenant}`
  person = await signedIn(agent, 'nora', 'administrator', agent.tenant)
})
afterAll(() => agent.stop())

it('every act of a person is a sentence of the activity page', () => {
  const sources = readdirSync('src/operator', { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join('src/operator', name), 'utf8'))
  const acts = sources.flatMap((text) => [...text.matchAll(/task: '([a-z-]+\.[a-z-]+)'/g)].map(([, act = '']) => act))
  acts.push(...ACTS.filter(({ changes, inParts }) => changes && !inParts).map(({ name }) => name))
  expect(acts.length).toBeGreaterThan(60)
  expect([...new Set(acts)].filter((act) => !Object.hasOwn(ACTIVITIES, act))).toEqual([])
})

it('names the order that was changed with its advertiser and amount, and says in words whether the chain holds', async () => {
  const id = String((await agent.create()).data.media_buy_id)
  const [, revision = ''] = /name="revision" value="(\d+)"/.exec((await person.get(`${base}/orders/${id}/pause`)).text) ?? []
  expect((await person.post(`${base}/orders/${id}/pause`, { revision })).status).toBe(303)
  await agent.server.audit.settled()
  const { text } = await person.get(`${base}/activity`)
  expect(text).toMatch(new RegExp(`paused the order <a href="${base}/orders/${id}">brand\\.example</a> of \\$1,000\\.00`))
  expect((await person.get(`${base}/activity/check`)).text).toMatch(/\d+ entries follow one another/)
})

it('shows old and new value of what a person changed, and links what it is about where that has a page', async () => {
  const change = (act: Runnable, members: object) =>
    performAs({ ...operatorOn(agent.server.store, agent.config), clock: agent.server.clock }, agent.tenant, act, { ...members })
  await change(setBuyerStatus, { buyer: 'buyer', status: 'suspended' })
  await change(savePlacement, { placement: 'rail', name: 'Rail' })
  await change(removePlacement, { placement: 'rail' })
  await change(setInvoicing, { legal_name: 'Acme AB', city: 'Lund', country: 'SE', email: 'someone@acme.example' })
  await agent.server.audit.settled()
  const { text } = await person.get(`${base}/activity`)
  expect(text).toContain('<li>status: active → suspended</li>')
  expect(text).toContain(`<a href="${base}/buyers/buyer">`)
  expect((await person.get(`${base}/buyers/buyer`)).status).toBe(200)
  expect(text).toMatch(/<summary>\d+ changes<.summary>/)
  expect(text).toContain('<li>email: none → not shown, changed</li>')
  expect(text).not.toContain('someone@acme.example')
  expect(text).toMatch(/took away what was set for the placement <code>rail/)
})
