import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ConsoleClient, signedIn } from '../support/console-client.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'

const DAY_MS = 86_400_000
let agent: MediaBuyAgent
let person: ConsoleClient
let base: string

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')], { clock: () => new Date() })
  base = `/console/t/${agent.tenant}`
  person = await signedIn(agent, 'nora', 'administrator', agent.tenant)
})
afterAll(() => agent.stop())

const order = async (startsInDays: number) => {
  const at = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()
  const { isError, data } = await agent.create({ start_time: at(startsInDays), end_time: at(startsInDays + 30) })
  if (isError) throw new Error(JSON.stringify(data))
  return String(data.media_buy_id)
}

it('home names orders that start soon without creatives, and no others', async () => {
  const later = await order(20)
  const { text: quiet } = await person.get(`${base}/home`)
  expect(quiet).toContain('Every running order delivers as planned')
  const soon = await order(2)
  const { text } = await person.get(`${base}/home`)
  expect(text).toMatch(/Orders with a problem <span class="count">1<\/span>/)
  expect(text).toMatch(new RegExp(`<a href="${base}/orders/${soon}">[\\s\\S]*no creatives · starts`))
  expect(text).not.toContain(`${base}/orders/${later}`)
})

it('home says that its amounts are before what is taken off them', async () => {
  const { text } = await person.get(`${base}/home`)
  expect(text).toContain('Amounts are before discount, commission and tax.')
})
