import { afterAll, beforeAll, expect, it } from 'vitest'
import { extendOrder, previewOrderChange } from '../../src/operator/orders/change-order.ts'
import { type ConsoleClient, signedIn } from '../support/console-client.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { operatorBeside, performAs } from '../support/operator.ts'

let agent: MediaBuyAgent
let person: ConsoleClient
let order: string

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')], { flags: { 'ads.timeZone': 'Europe/Berlin' } })
  person = await signedIn(agent, 'planner', 'administrator', agent.tenant)
  const bought = await agent.create({ end_time: '2026-03-11T23:30:00Z' })
  order = `/console/t/${agent.tenant}/orders/${String(bought.data.media_buy_id)}`
})
afterAll(() => agent.stop())

it('writes moments in the time zone of the publisher, with its name, and days by it', async () => {
  const { text } = await person.get(order)
  expect(text).toContain('<time datetime="2026-03-01T12:00:00.000Z">1 Mar 2026, 13:00 CET</time>')
  expect(text).toContain('<time datetime="2026-03-12">12 Mar 2026</time>, 00:30')
  expect(text).not.toContain('data-shown')
  expect(text).not.toContain('UTC')
})

it('extends a flight to the end of a day of that time zone', async () => {
  const asked = await person.get(`${order}/extend`)
  expect(asked.text).toContain('Last day of the flight, in Europe/Berlin')
  expect(asked.text).toContain('value="2026-03-12"')
  const shown = await person.get(`${order}/extend?until=2026-03-29`)
  expect(shown.text).toContain('<dt>Last day after</dt><dd><time datetime="2026-03-29">29 Mar 2026</time></dd>')
  const [, revision = ''] = /name="revision" value="(\d+)"/.exec(shown.text) ?? []
  const { status } = await person.post(`${order}/extend`, { until: '2026-03-29', revision })
  expect(status).toBe(303)
  const { text } = await person.get(order)
  expect(text).toContain('<time datetime="2026-03-29">29 Mar 2026</time>')
  expect(text).not.toContain('30 Mar 2026')
})

it('a day as an end means the same in the admin API and at the command line', async () => {
  const operator = operatorBeside(agent, () => new Date('2026-03-01T12:00:00.000Z'))
  const members = { order: order.split('/').at(-1), ends_at: '2026-04-02' }
  const preview = await performAs(operator, agent.tenant, previewOrderChange, { ...members, action: 'extend' })
  expect(preview.ends_at_after).toBe('2026-04-02T22:00:00.000Z')
  expect((await performAs(operator, agent.tenant, extendOrder, members)).order.ends_at).toBe('2026-04-02T22:00:00.000Z')
})
