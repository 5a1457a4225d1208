import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AdServer } from '../../src/ad-serving/ad-server.ts'
import { createSimulator } from '../../src/ad-serving/simulator/simulator.ts'
import { NOTHING } from '../../src/domain/media-buy/delivery.ts'
import { addCharge, showCharges } from '../../src/operator/billing/charges.ts'
import { closeMonth } from '../../src/operator/billing/close-month.ts'
import { creditInvoice } from '../../src/operator/billing/credit-invoice.ts'
import { showInvoice } from '../../src/operator/billing/show-invoices.ts'
import { decideMakeGood } from '../../src/operator/make-goods/decide-make-good.ts'
import { listMakeGoods } from '../../src/operator/make-goods/list-make-goods.ts'
import { listShortfalls } from '../../src/operator/make-goods/list-shortfalls.ts'
import { offerCredit, offerDelivery } from '../../src/operator/make-goods/offer-make-good.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { setOrderTerms } from '../../src/operator/order-terms/order-terms.ts'
import { signedIn } from '../support/console-client.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { listAuditEntries, operatorBeside, performAs } from '../support/operator.ts'

let agent: MediaBuyAgent
let operator: OperatorContext
/** Impressions that the ad server reports, all on the first day of a flight. */
const impressions = new Map<string, number>()

const option = { pricing_option_id: 'flat', pricing_model: 'flat_rate' as const, currency: 'USD', fixed_price: 3000 }
const flat = productDocument('takeover', {
  ...{ format_ids: [], delivery_type: 'guaranteed' },
  pricing_options: [{ ...option, parameters: { type: 'dooh', estimated_impressions: 60_000 } }],
} as object)

beforeAll(async () => {
  const simulator = createSimulator()
  const adServer: AdServer = {
    ...simulator,
    async reportDelivery(lines, now, zone) {
      const reports = await simulator.reportDelivery(lines, now, zone)
      return reports.map((report) => {
        const line = lines.find(({ packageId }) => packageId === report.packageId)
        const count = impressions.get(report.packageId)
        const terms = line?.terms.at(-1)
        if (!terms || count === undefined) return report
        const day = terms.startsAt.slice(0, 10)
        if (now.toISOString().slice(0, 10) <= day) return { ...report, days: [] }
        const flatRate = line?.pricing.model === 'flat_rate'
        const spendMicros = flatRate ? (line?.terms[0]?.rateMicros ?? 0) : Math.floor((count * terms.rateMicros) / 1000)
        return { ...report, days: [{ ...NOTHING, day, impressions: count, spendMicros }] }
      })
    },
  }
  agent = await startMediaBuyAgent([productDocument('news', { format_ids: [], delivery_type: 'guaranteed' }), flat], { adServer })
  operator = operatorBeside(agent, agent.server.clock, adServer)
})
afterAll(() => agent.stop())

/** Whether words are in a webhook that went out, or is to. */
async function told(words: string): Promise<boolean> {
  const rows = await agent.server.store.read.selectFrom('webhook_outbox').select('body').execute()
  return rows.some(({ body }) => body.includes(words))
}
const offered = (how: typeof offerDelivery | typeof offerCredit, members: object) =>
  how === offerCredit
    ? performAs(operator, agent.tenant, offerCredit, { ...members })
    : performAs(operator, agent.tenant, offerDelivery, { ...members })
const decided = (order: string, make_good: string, answer: string) =>
  performAs(operator, agent.tenant, decideMakeGood, { order, make_good, answer })
const flight = (first: string, last: string) => ({ starts_at: `${first}T12:00:00.000Z`, ends_at: `${last}T12:00:00.000Z` })
const shortfalls = async () => (await performAs(operator, agent.tenant, listShortfalls, {})).items
const charges = async () => (await performAs(operator, agent.tenant, showCharges, {})).items
const answer = (media_buy_id: string, make_good: object, more: object = {}) =>
  agent.run('update_media_buy', { media_buy_id, ext: { make_good }, ...more })
const seen = async (media_buy_id: string) =>
  (await agent.buyer.call('get_media_buys', { media_buy_ids: [media_buy_id], include_history: 10 })).data.media_buys[0]

async function bought(product_id: string, pricing_option_id: string, budget: number, count: number, more: object = {}) {
  const packages = [{ product_id, pricing_option_id, budget }]
  const { data, isError } = await agent.create({ packages, ...more })
  expect([isError, data.errors]).toEqual([false, undefined])
  const [{ package_id: line }] = data.packages
  impressions.set(line, count)
  return { order: data.media_buy_id, line }
}

it('a line that fell short is proposed what makes it good; an offer is in the order and in the finding', async () => {
  const { order, line } = await bought('news', 'cpm', 1000, 60_000)
  const early = offered(offerDelivery, { order, line, reason: 'too early' })
  await expect(early).rejects.toMatchObject({ code: 'INVALID_STATE', field: 'line' })
  agent.setClock('2026-03-13T12:00:00.000Z')
  const [found] = await shortfalls()
  expect(found).toMatchObject({ order_id: order, line_id: line, missing: 0.4, make_good: null })
  expect(found?.proposed).toEqual([
    { remedy: 'additional_delivery', impressions: 40_000, amount: null, ...flight('2026-03-13', '2026-03-17') },
    { remedy: 'additional_delivery', impressions: 40_000, amount: null, ...flight('2026-03-20', '2026-03-30') },
  ])
  const days = { first: '2026-03-20', last: '2026-03-26' }
  const made = await offered(offerDelivery, { order, line, reason: 'the site was down', ...days })
  expect(made).toMatchObject({ state: 'offered', impressions: 40_000, starts_at: '2026-03-20T00:00:00.000Z' })
  expect(made).toMatchObject({ ends_at: '2026-03-27T00:00:00.000Z', expires_at: '2026-03-27T00:00:00.000Z' })
  expect((await shortfalls())[0]?.make_good).toMatchObject({ make_good_id: made.make_good_id, state: 'offered' })
  const { ext, history, status } = await seen(order)
  expect(status).toBe('completed')
  expect(ext.make_goods).toEqual([
    {
      ...{ make_good_id: made.make_good_id, package_id: line, remedy: 'additional_delivery', status: 'offered' },
      ...{ reason: 'the site was down', impressions: 40_000, offered_at: '2026-03-13T12:00:00.000Z' },
      ...{ start_time: made.starts_at, end_time: made.ends_at, expires_at: made.expires_at },
    },
  ])
  expect(history[0]).toMatchObject({ action: 'make_good_offered', summary: 'Make-good offered: the site was down' })
  const again = offered(offerDelivery, { order, line, reason: 'once more' })
  await expect(again).rejects.toMatchObject({ code: 'INVALID_STATE', field: 'line' })
  const id = { make_good_id: made.make_good_id, decision: 'accept' }
  for (const wrong of [
    { make_good_id: 'mg_none', decision: 'accept' },
    { ...id, decision: 'withdraw' },
    { ...id, decision: 'yes' },
  ])
    expect((await answer(order, wrong)).isError).toBe(true)
  expect((await answer(order, id, { paused: true })).data.errors[0]).toMatchObject({ field: 'paused' })
  expect((await answer(order, id, { revision: 1 })).data.errors[0]).toMatchObject({ code: 'CONFLICT' })
})

it('what is accepted is a line of its own at the same price, and the order costs no more', async () => {
  const [{ order_id: order = '', make_good: made = null, line_id: line = '' } = {}] = await shortfalls()
  const { data, isError } = await answer(order, { make_good_id: made?.make_good_id, decision: 'accept' })
  expect([isError, data.errors]).toEqual([false, undefined])
  const added = `${order}-2`
  expect(
    data.affected_packages.map(({ package_id: id, budget }: { package_id: string; budget: number }) => [id, budget]),
  ).toEqual([
    [line, 600],
    [added, 400],
  ])
  expect(data.ext.make_goods).toMatchObject([{ status: 'accepted', new_package_id: added }])
  expect(await seen(order)).toMatchObject({ status: 'active', total_budget: 1000, end_time: '2026-03-27T00:00:00.000Z' })
  expect(await shortfalls()).toEqual([])
  impressions.set(added, 40_000)
  agent.setClock('2026-04-02T12:00:00.000Z')
  expect(await shortfalls()).toEqual([])
  const { media_buy_deliveries: deliveries } = (await agent.buyer.call('get_media_buy_delivery', { media_buy_ids: [order] })).data
  expect(deliveries[0]).toMatchObject({ status: 'completed', totals: { impressions: 100_000, spend: 1000 } })
  expect(deliveries[0].by_package).toMatchObject([{ spend: 600 }, { package_id: added, spend: 400 }])
  const { isError: isLate } = await answer(order, { make_good_id: made?.make_good_id, decision: 'decline' })
  expect(isLate).toBe(true)
  const { invoices } = await performAs(operator, agent.tenant, closeMonth, { month: '2026-03' })
  expect(invoices).toMatchObject([{ total: 1000 }])
})

it('the credit of a flat price is the share that was not delivered, and is on the invoice once the buyer accepts', async () => {
  const flightOf = { start_time: '2026-04-03T00:00:00Z', end_time: '2026-04-13T00:00:00Z' }
  const { order, line } = await bought('takeover', 'flat', 3000, 45_000, flightOf)
  agent.setClock('2026-04-14T12:00:00.000Z')
  const [found] = await shortfalls()
  expect(found?.proposed[2]).toMatchObject({ remedy: 'credit', amount: 750 })
  const tooMuch = offered(offerCredit, { order, line, reason: 'more', amount: '3000.01' })
  await expect(tooMuch).rejects.toMatchObject({ code: 'INVALID_REQUEST', field: 'amount' })
  const first = await offered(offerCredit, { order, line, reason: 'as sold' })
  expect((await answer(order, { make_good_id: first.make_good_id, decision: 'decline' })).isError).toBe(false)
  expect([await charges(), (await shortfalls())[0]?.make_good?.state]).toEqual([[], 'declined'])
  const second = await offered(offerCredit, { order, line, reason: 'as agreed', amount: '900' })
  await decided(order, second.make_good_id, 'withdraw')
  const third = await offered(offerCredit, { order, line, reason: 'as said', days: 3 })
  expect((await answer(order, { make_good_id: third.make_good_id, decision: 'accept' })).isError).toBe(false)
  const credit = { kind: 'make_good', amount: -750, reason: 'make-good: as said', line_id: line, state: 'open' }
  expect(await charges()).toMatchObject([credit])
  expect(await shortfalls()).toEqual([])
  const { items } = await performAs(operator, agent.tenant, listMakeGoods, { order })
  expect(items.map(({ state }) => state)).toEqual(['declined', 'withdrawn', 'accepted'])
  agent.setClock('2026-05-02T12:00:00.000Z')
  const { invoices } = await performAs(operator, agent.tenant, closeMonth, { month: '2026-04' })
  expect(invoices).toMatchObject([{ total: 2250 }])
  const { lines } = await performAs(operator, agent.tenant, showInvoice, { invoice: '2026-04-0001' })
  expect(lines.map(({ kind, amount }) => [kind, amount])).toEqual([
    ['delivery', 3000],
    ['credit', -750],
  ])
})

it('what a flat price missed is delivered for nothing, also when a person accepts for the buyer', async () => {
  const flightOf = { start_time: '2026-05-03T00:00:00Z', end_time: '2026-05-13T00:00:00Z' }
  const { order, line } = await bought('takeover', 'flat', 3000, 45_000, flightOf)
  agent.setClock('2026-05-14T12:00:00.000Z')
  const made = await offered(offerDelivery, { order, line, reason: 'a week more', last: '2026-05-20' })
  const accepted = await decided(order, made.make_good_id, 'accept')
  expect(accepted).toMatchObject({ state: 'accepted', new_line_id: `${order}-2`, decided_by: operator.actor.credential })
  expect(await seen(order)).toMatchObject({ status: 'active', total_budget: 3000, packages: [{ budget: 3000 }, { budget: 0 }] })
  const package_id = `${order}-2`
  const end = '2027-05-21T00:00:00Z'
  for (const [change, field] of [
    [{ packages: [{ package_id, impressions: 3_000_000 }] }, 'impressions'],
    [{ packages: [{ package_id: line, impressions: 3_000_000 }] }, 'impressions'],
    [{ end_time: end, packages: [{ package_id, end_time: end }] }, 'end_time'],
  ] as const) {
    const { isError, data } = await agent.run('update_media_buy', { media_buy_id: order, ...change })
    expect([isError, data.errors?.[0]]).toMatchObject([true, { code: 'INVALID_REQUEST', field }])
  }
  expect((await agent.run('update_media_buy', { media_buy_id: order, end_time: end })).isError).toBe(false)
  expect((await seen(order)).packages[1]).toMatchObject({ impressions: 15_000, end_time: '2026-05-21T00:00:00.000Z' })
  impressions.set(`${order}-2`, 15_000)
  agent.setClock('2026-06-02T12:00:00.000Z')
  expect(await shortfalls()).toEqual([])
  const { media_buy_deliveries: deliveries } = (await agent.buyer.call('get_media_buy_delivery', { media_buy_ids: [order] })).data
  expect(deliveries[0].totals).toMatchObject({ impressions: 60_000, spend: 3000 })
})

it('an offer that nobody answers expires, and another can be made', async () => {
  const flightOf = { start_time: '2026-06-03T00:00:00Z', end_time: '2026-06-13T00:00:00Z' }
  const { order, line } = await bought('takeover', 'flat', 3000, 45_000, flightOf)
  agent.setClock('2026-06-14T12:00:00.000Z')
  const made = await offered(offerCredit, { order, line, reason: 'as sold', days: 2 })
  agent.setClock('2026-06-16T12:00:00.000Z')
  expect((await seen(order)).ext.make_goods).toMatchObject([{ status: 'expired' }])
  expect((await answer(order, { make_good_id: made.make_good_id, decision: 'accept' })).isError).toBe(true)
  expect(await offered(offerCredit, { order, line, reason: 'as sold' })).toMatchObject({ state: 'offered' })
})

it('people offer and decide in the console; followers of the order are told', async () => {
  const flightOf = { start_time: '2026-07-03T00:00:00Z', end_time: '2026-07-13T00:00:00Z' }
  agent.setClock('2026-07-02T12:00:00.000Z')
  const push_notification_config = { url: 'https://buyer.example/hook', operation_id: 'op_1' }
  const { order, line } = await bought('takeover', 'flat', 3000, 45_000, { ...flightOf, push_notification_config })
  agent.setClock('2026-07-14T12:00:00.000Z')
  await expect.poll(() => told('is completed'), { timeout: 20_000 }).toBe(true)
  const ada = await signedIn(agent, 'ada', 'administrator', agent.tenant)
  const base = `/console/t/${agent.tenant}`
  const shown = await ada.get(`${base}/reports/shortfalls`)
  expect(shown.text).toContain(`/orders/${order}/make-goods?line=${line}`)
  const page = `${base}/orders/${order}/make-goods`
  expect((await ada.get(`${page}?line=${line}`)).text).toContain(`<option value="${line}" selected>${line}: takeover</option>`)
  const refused = await ada.post(`${page}/credits`, { line, reason: 'x', amount: '9999' })
  expect([refused.status, refused.text.includes('at most 3000.00 USD: what the line was charged')]).toEqual([400, true])
  expect((await ada.post(`${page}/credits`, { line, reason: 'half was shown', days: '9' })).status).toBe(303)
  const { text } = await ada.get(page)
  expect(text).toContain('credit of 750.00 USD')
  await expect.poll(() => told('make_goods'), { timeout: 20_000 }).toBe(true)
  const [, id = ''] = /make-goods\/(mg_[\w-]+)\/decide/.exec(text) ?? []
  expect((await ada.post(`${page}/${id}/decide`, { answer: 'accept' })).status).toBe(303)
  expect(await charges()).toMatchObject([{ amount: -750 }, { amount: -750, order_id: order }])
  await agent.server.audit.settled()
  const entries = await listAuditEntries(operator, agent.tenant, { limit: 3 })
  expect(entries.map(({ task, subject, changes }) => [task, subject, Object.values(changes ?? {})])).toContainEqual([
    'make-goods.decide',
    order,
    [['offered', 'accepted']],
  ])
}, 60_000)

it('a credit gives back no more than a credit note left of what the line was charged', async () => {
  agent.setClock('2026-08-01T12:00:00.000Z')
  const flightOf = { start_time: '2026-08-03T00:00:00Z', end_time: '2026-08-13T00:00:00Z' }
  const { order, line } = await bought('takeover', 'flat', 3000, 45_000, flightOf)
  agent.setClock('2026-09-02T12:00:00.000Z')
  for (const month of ['2026-05', '2026-06', '2026-07']) await performAs(operator, agent.tenant, closeMonth, { month })
  const { invoices } = await performAs(operator, agent.tenant, closeMonth, { month: '2026-08' })
  const invoice = invoices[0]?.invoice_id ?? ''
  const note = { invoice, what: 'amount', reason: 'agreed', amount: '2500' }
  await performAs(operator, agent.tenant, creditInvoice, note)
  const wanted = { order, line, reason: 'as said' }
  await expect(offered(offerCredit, { ...wanted, amount: '500.01' })).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
    message: expect.stringContaining('at most 500.00 USD: what the line was charged'),
  })
  const made = await offered(offerCredit, { ...wanted, amount: '400' })
  expect(made).toMatchObject({ state: 'offered' })
  expect((await answer(order, { make_good_id: made.make_good_id, decision: 'accept' })).isError).toBe(false)
  const again = (amount: string) => performAs(operator, agent.tenant, creditInvoice, { ...note, amount })
  await expect(again('100.01')).rejects.toThrow('at most what is left, 100.00 USD')
  await again('100')
  await expect(
    performAs(operator, agent.tenant, addCharge, { order, line, amount: '1', credit: true, reason: 'x' }),
  ).rejects.toThrow('amount must be at most 0.00 USD')
})

it('a credit gives back what was charged: discount and commission are taken from it as they were from the charge', async () => {
  const flightOf = { start_time: '2026-09-03T00:00:00Z', end_time: '2026-09-13T00:00:00Z' }
  const { order, line } = await bought('takeover', 'flat', 3000, 45_000, flightOf)
  const terms = (discount_basis_points: number, commission_basis_points: number) =>
    performAs(operator, agent.tenant, setOrderTerms, { order, discount_basis_points, commission_basis_points })
  await terms(1000, 1500)
  agent.setClock('2026-10-02T12:00:00.000Z')
  const proposed = async () =>
    (await shortfalls()).find((each) => each.order_id === order)?.proposed.find(({ remedy }) => remedy === 'credit')?.amount
  // A quarter of 3,000 less 10 %, less 15 % of what is left.
  expect(await proposed()).toBe(573.75)
  const { invoices } = await performAs(operator, agent.tenant, closeMonth, { month: '2026-09' })
  // Less the 400 that the order before was credited.
  expect(invoices.map(({ total }) => total)).toEqual([2295 - 400])
  await terms(0, 0)
  expect(await proposed()).toBe(573.75)
  const made = await offered(offerCredit, { order, line, reason: 'as sold' })
  expect(made.amount).toBe(573.75)
  expect((await seen(order)).ext.make_goods).toMatchObject([{ amount: 573.75, amount_basis: 'net', currency: 'USD' }])
  expect((await answer(order, { make_good_id: made.make_good_id, decision: 'accept' })).isError).toBe(false)
  expect((await charges()).at(-1)).toMatchObject({ amount: -573.75, order_id: order })
})
