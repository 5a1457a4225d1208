import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ConsoleClient, signedIn } from '../support/console-client.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'

let agent: MediaBuyAgent
let ada: ConsoleClient
let now = new Date('2026-03-01T12:00:00.000Z')
let order: string

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')], { clock: () => now })
  ada = await signedIn(agent, 'ada', 'ad_operations', agent.tenant)
  order = (await agent.create()).data.media_buy_id
})
afterAll(() => agent?.stop())

const base = () => `/console/t/${agent.tenant}`

it('the file has every page of the list', async () => {
  await Promise.all(Array.from({ length: 200 }, () => agent.create()))
  const file = await ada.get(`${base()}/orders.csv`)
  expect(file.text.trimEnd().split('\r\n')).toHaveLength(202)
})

it('a package says how it stands by its own dates and creatives, and one of an ended order is completed', async () => {
  const packages = async () => (await ada.get(`${base()}/orders/${order}`)).text.split('<h2>Packages</h2>')[1]?.split('<h2>')[0]
  expect(await packages()).toContain('>pending creatives<')
  now = new Date('2026-05-01T12:00:00.000Z')
  ada = await signedIn(agent, 'eve', 'ad_operations', agent.tenant)
  expect(await packages()).toContain('>completed<')
  expect(await packages()).not.toContain('>active<')
})

it('the orders of a view are a CSV file, a row for each', async () => {
  const { text } = await ada.get(`${base()}/orders?advertiser=brand.example`)
  expect(text).toContain(`href="${base()}/orders.csv?advertiser=brand.example"`)
  const file = await ada.get(`${base()}/orders.csv?advertiser=brand.example`)
  expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  const [head, ...rows] = file.text.trimEnd().split('\r\n')
  expect(head).toMatch(/^order,origin,status,buyer,/)
  expect(rows).toHaveLength(201)
  expect(rows.find((row) => row.startsWith(order))).toMatch(/^mb_[^,]+,buyer,completed,/)
  expect((await ada.get(`${base()}/orders.csv?advertiser=none.example`)).text.trimEnd()).toBe(head)
})
