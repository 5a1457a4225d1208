import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AdServer } from '../../src/ad-serving/ad-server.ts'
import { createSimulator } from '../../src/ad-serving/simulator/simulator.ts'
import { NOTHING } from '../../src/domain/media-buy/delivery.ts'
import { carryOutMakeGoodPolicy } from '../../src/operator/make-goods/carry-out-policy.ts'
import { listShortfalls } from '../../src/operator/make-goods/list-shortfalls.ts'
import { setMakeGoodPolicy, showMakeGoodPolicy } from '../../src/operator/make-goods/make-good-policy.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { signedIn } from '../support/console-client.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { listAuditEntries, operatorBeside, performAs } from '../support/operator.ts'

let agent: MediaBuyAgent
let operator: OperatorContext
/** Impressions that the ad server reports, all on the first day of a flight. */
const impressions = new Map<string, number>()

beforeAll(async () => {
  const simulator = createSimulator()
  const adServer: AdServer = {
    ...simulator,
    async reportDelivery(lines, now, zone) {
      return (await simulator.reportDelivery(lines, now, zone)).map((report) => {
        const terms = lines.find(({ packageId }) => packageId === report.packageId)?.terms.at(-1)
        const count = impressions.get(report.packageId)
        const day = terms?.startsAt.slice(0, 10) ?? ''
        if (!terms || count === undefined || now.toISOString().slice(0, 10) <= day) return { ...report, days: [] }
        return { ...report, days: [{ ...NOTHING, day, impressions: count, spendMicros: (count * terms.rateMicros) / 1000 }] }
      })
    },
  }
  agent = await startMediaBuyAgent([productDocument('news', { format_ids: [], delivery_type: 'guaranteed' })], { adServer })
  operator = operatorBeside(agent, agent.server.clock, adServer)
})
afterAll(() => agent.stop())

/** An order of 100,000 impressions of some days of March, of which so many are shown. */
async function bought(first: number, end: number, count: number) {
  const day = (number: number) => `2026-03-${String(number).padStart(2, '0')}T00:00:00Z`
  const packages = [{ product_id: 'news', pricing_option_id: 'cpm', budget: 1000 }]
  const { data, isError } = await agent.create({ packages, start_time: day(first), end_time: day(end) })
  expect([isError, data.errors]).toEqual([false, undefined])
  impressions.set(data.packages[0].package_id, count)
  return { order: data.media_buy_id, line: data.packages[0].package_id }
}
const set = (members: object) => performAs(operator, agent.tenant, setMakeGoodPolicy, { ...members })
const shortfalls = async () => (await performAs(operator, agent.tenant, listShortfalls, {})).items
const refusals: string[] = []
const carryOut = () => carryOutMakeGoodPolicy(operator, agent.tenant, (_, { message }) => void refusals.push(message))

it('people see what can be offered, unless the policy says never, or too little is missing', async () => {
  expect(await performAs(operator, agent.tenant, showMakeGoodPolicy, {})).toEqual({
    ...{ how: 'propose', remedy: 'additional_delivery', missing_percent: 1, since: null },
  })
  const { line } = await bought(2, 5, 60_000)
  agent.setClock('2026-03-06T12:00:00.000Z')
  const proposed = async () => (await shortfalls()).map(({ line_id: id, proposed: what }) => [id, what.length > 0])
  expect(await proposed()).toEqual([[line, true]])
  await set({ missing_percent: 41 })
  expect(await proposed()).toEqual([[line, false]])
  await set({ missing_percent: 40 })
  expect(await proposed()).toEqual([[line, true]])
  await set({ how: 'never' })
  expect(await proposed()).toEqual([[line, false]])
  expect(await carryOut()).toBe(0)
})

it('it offers what ended since it says so, once, two days after the end, where as much is missing', async () => {
  await set({ how: 'offer', missing_percent: 30 })
  const short = await bought(7, 10, 60_000)
  const little = await bought(7, 10, 90_000)
  agent.setClock('2026-03-11T12:00:00.000Z')
  expect(await carryOut()).toBe(0)
  agent.setClock('2026-03-12T12:00:00.000Z')
  const both = await Promise.all([carryOut(), carryOut()])
  expect(both.reduce((sum, count) => sum + count, 0)).toBe(1)
  expect(await carryOut()).toBe(0)
  const found = (await shortfalls()).map(({ line_id: id, make_good: made }) => [id, made?.state, made?.offered_by])
  expect(found).toContainEqual([short.line, 'offered', 'policy:make-goods'])
  expect(found).toContainEqual([little.line, undefined, undefined])
  expect(found.filter(([, state]) => state !== undefined)).toHaveLength(1)
  const made = (await shortfalls()).find(({ line_id: id }) => id === short.line)?.make_good
  expect(made).toMatchObject({ impressions: 40_000, reason: '40 % of what was ordered was not delivered' })
  await agent.server.audit.settled()
  const entries = await listAuditEntries(operator, agent.tenant, { limit: 20 })
  const offers = entries.filter(({ task }) => task === 'make-goods.offer')
  expect(offers).toMatchObject([{ principal: 'policy', transport: 'policy', subject: short.order }])
  // The buyer is asked as it is by people.
  const { data } = await agent.buyer.call('get_media_buys', { media_buy_ids: [short.order] })
  expect(data.media_buys[0].ext.make_goods).toMatchObject([{ status: 'offered', package_id: short.line }])
})

it('a credit is offered where there is one alone: of units the buyer pays what was delivered', async () => {
  await set({ remedy: 'credit', missing_percent: 10 })
  expect(await carryOut()).toBe(0)
  expect(await performAs(operator, agent.tenant, showMakeGoodPolicy, {})).toMatchObject({ since: '2026-03-06T12:00:00.000Z' })
})

it('the console shows it to all and lets administrators change it', async () => {
  const path = `/console/t/${agent.tenant}/reports/shortfalls`
  const viewer = await signedIn(agent, 'viewer', 'viewer', agent.tenant)
  expect((await viewer.get(path)).text).toContain('Offer without a person')
  expect((await viewer.get(path)).text).not.toContain('Per cent that must be missing')
  const ada = await signedIn(agent, 'ada', 'administrator')
  await ada.fillIn(path, 'shortfalls/policy', { how: 'propose', missing_percent: '7' })
  expect(await performAs(operator, agent.tenant, showMakeGoodPolicy, {})).toMatchObject({ how: 'propose', missing_percent: 7 })
  expect((await ada.fillIn(path, 'shortfalls/policy', { missing_percent: '0' })).text).toContain('missing_percent')
})
