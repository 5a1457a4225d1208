import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ConsoleClient, signedIn } from '../support/console-client.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'

let agent: MediaBuyAgent
let ada: ConsoleClient
let order: string
const base = () => `/console/t/${agent.tenant}`

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')])
  ada = await signedIn(agent, 'ada', 'administrator', agent.tenant)
  order = (await agent.create()).data.media_buy_id
})
afterAll(() => agent.stop())

it('a name that was emptied is refused, and not called saved', async () => {
  const refused = await ada.fillIn(`${base()}/settings`, '/settings/publisher', { name: '   ' })
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('name is empty')])
})

it('an order is not extended to an earlier end, at the page or before it', async () => {
  const path = `${base()}/orders/${order}/extend`
  const earlier = await ada.get(`${path}?until=2026-03-05`)
  expect([earlier.status, earlier.text]).toEqual([400, expect.stringContaining('is before the end of the order')])
})

it('no flight ends where the calendar does', async () => {
  const late = { end_time: '9999-12-31T12:00:00Z' }
  const message = expect.stringContaining('the last end of a flight')
  expect((await agent.create(late)).data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'end_time', message })
  const moved = await agent.run('update_media_buy', { media_buy_id: order, ...late })
  expect(moved.data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'end_time', message })
  expect((await agent.create({ end_time: '9999-12-29T12:00:00Z' })).isError).toBe(false)
  for (const page of ['/orders', '/home']) expect((await ada.get(`${base()}${page}`)).status).toBe(200)
})
