import { afterAll, beforeAll, expect, it } from 'vitest'
import { importReport } from '../../src/ad-serving/reconcile/import-report.ts'
import { addCharge, showCharges } from '../../src/operator/billing/charges.ts'
import { closeMonth } from '../../src/operator/billing/close-month.ts'
import { showInvoice } from '../../src/operator/billing/show-invoices.ts'
import { offerCredit, offerDelivery } from '../../src/operator/make-goods/offer-make-good.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { setOrderTerms } from '../../src/operator/order-terms/order-terms.ts'
import { appendEmbeddedEvents, decisionIdPrefix } from '../../src/store/embedded/events.ts'
import { signedIn } from '../support/console-client.ts'
import { changeDirectOrder, enterDirectOrder, showDirectOrder } from '../support/direct-orders.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { listAuditEntries, operatorBeside, performAs } from '../support/operator.ts'

let agent: MediaBuyAgent
let operator: OperatorContext
let people = 0
let now = new Date('2026-03-01T12:00:00.000Z')

beforeAll(async () => {
  const cancellation_policy = {
    notice_period: { interval: 7, unit: 'days' as const },
    cancellation_fee: { type: 'percent_remaining' as const, rate: 0.25 },
  }
  const sold = productDocument('sold', { cancellation_policy, delivery_type: 'guaranteed' })
  agent = await startMediaBuyAgent([sold, productDocument('free')], { clock: () => now })
  operator = operatorBeside(agent, () => now)
})
afterAll(() => agent?.stop())

const creatives = [{ creative_id: 'a', width: 300, height: 250, image: { url: 'https://cdn.example/a.png' } }]
const line = (line_id: string, more: object = {}) => ({
  ...{ line_id, product_id: 'sold', starts_at: '2026-03-20T00:00:00Z', ends_at: '2026-04-20T00:00:00Z' },
  ...{ impressions: 1_000_000, cpm: 8, creatives, ...more },
})
const enter = (order_id: string, ...lines: readonly object[]) => {
  const text = JSON.stringify({ order_id, name: order_id, advertiser: 'Nordic Coffee', currency: 'USD', lines })
  return enterDirectOrder(operator, agent.tenant, { name: 'order', text })
}
/** Impressions of a line. */
async function seen(anchor: string, count: number, happenedAt: string): Promise<void> {
  const { line_id: lineId, document } = await agent.server.store.read
    .selectFrom('embedded_lines')
    .select(['line_id', 'document'])
    .where('anchor', '=', anchor)
    .executeTakeFirstOrThrow()
  const rateMicros: number = JSON.parse(document).terms.rateMicros
  const events = Array.from({ length: count }, (_, index) => {
    const decisionId = `${decisionIdPrefix(new Date(happenedAt))}${index}`
    const ad = { tenantId: agent.tenant, lineId, creativeId: 'a', place: 'home', rateMicros }
    return { ...ad, decisionId, eventId: `${decisionId}.impression`, kind: 'impression', isBot: false, happenedAt }
  })
  await agent.server.store.transaction((tx) => appendEmbeddedEvents(tx, events))
}
const charges = async (order: string) => (await performAs(operator, agent.tenant, showCharges, { order })).items
/** The page of an order, for somebody who has just signed in: sessions end while the clock is moved. */
const pageOf = async (order: string) => {
  people += 1
  const person = await signedIn(agent, `person${people}`, 'administrator', agent.tenant)
  return (await person.get(`/console/t/${agent.tenant}/direct-orders/${order}`)).text
}
/** What a person reads of a page. */
const textOf = (page: string) => page.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
const change = (order: string, state: string) => changeDirectOrder(operator, agent.tenant, order, state)

it('before the notice canceling is free, and it is said until when', async () => {
  const { cancellation } = await enter('early', line('one'))
  expect(cancellation).toEqual([
    { line_id: 'one', owed: 0, free_until: '2026-03-13T00:00:00.000Z', rule: 'canceled before the notice period began' },
  ])
  now = new Date('2026-03-13T00:00:00.000Z')
  const canceled = await change('early', 'canceled')
  expect([canceled.status, canceled.cancellation, await charges('early')]).toEqual(['canceled', [], []])
})

it('after it a part of what is left of each line is owed: shown before, charged once, and on the invoice of its month', async () => {
  const house = line('own', { priority: 'house', cpm: 0, impressions: undefined })
  await enter(
    'late',
    line('one'),
    line('two', { product_id: 'free' }),
    house,
    line('open', { priority: 'standard', impressions: undefined }),
  )
  now = new Date('2026-03-20T12:00:00.000Z')
  await seen('direct:late/one', 500, '2026-03-20T11:00:00.000Z')
  const shown = await showDirectOrder(operator, agent.tenant, 'late')
  const rule = '25 % of 8000 USD, its budget, less 4 USD spent; since the notice of 7 days has begun'
  expect(shown.cancellation).toEqual([{ line_id: 'one', owed: 1999, free_until: null, rule }])
  expect(await pageOf('late')).toContain('its budget, less 4 USD spent')
  await change('late', 'canceled')
  await expect(change('late', 'canceled')).rejects.toThrow('nothing is charged for it now')
  await change('late', 'ended')
  expect(await charges('late')).toMatchObject([
    {
      kind: 'cancellation',
      line_id: 'one',
      amount: 1999,
      currency: 'USD',
      state: 'open',
      reason: `cancellation: ${rule}`,
    },
  ])
  expect(textOf(await pageOf('late'))).toMatch(
    /Charges and credits .* Fee of the cancellation one cancellation: 25 % of 8000 USD.* \$1,999.00 open/,
  )
  await agent.server.audit.settled()
  const [entry] = await listAuditEntries(operator, agent.tenant, { task: 'direct-orders.cancel', limit: 1 })
  expect(entry).toMatchObject({ subject: 'late' })
  now = new Date('2026-04-02T00:00:00.000Z')
  const { invoices } = await performAs(operator, agent.tenant, closeMonth, { month: '2026-03' })
  const { lines } = await performAs(operator, agent.tenant, showInvoice, { invoice: invoices[0]?.invoice_id ?? '' })
  expect(lines.filter(({ kind }) => kind === 'charge').map(({ amount }) => amount)).toEqual([1999])
  expect(await pageOf('late')).toContain(`/billing/${invoices[0]?.invoice_id}">`)
})

it('an order has its list prices, what is taken off them and what is left, and says what is before discount', async () => {
  now = new Date('2026-03-01T12:00:00.000Z')
  const flight = {
    starts_at: '2026-03-20T00:00:00Z',
    ends_at: '2026-03-25T00:00:00Z',
    priority: 'standard',
    impressions: undefined,
    cpm: undefined,
  }
  await enter(
    'priced',
    line('one'),
    line('day', { ...flight, price_model: 'per_day', rate: 1234.56 }),
    line('own', { priority: 'house', cpm: 0, impressions: undefined }),
  )
  await performAs(operator, agent.tenant, setOrderTerms, {
    order: 'priced',
    discount_basis_points: 1000,
    commission_basis_points: 1500,
  })
  now = new Date('2026-03-21T12:00:00.000Z')
  await seen('direct:priced/one', 500, '2026-03-21T11:00:00.000Z')
  const shown = await showDirectOrder(operator, agent.tenant, 'priced')
  expect([shown.discount_basis_points, shown.commission_basis_points]).toEqual([1000, 1500])
  expect(shown.lines.map(({ line_id: id, price, charged, charged_net: net }) => [id, price, charged, net]).sort()).toEqual([
    ['day', { model: 'per_day', list: 1234.56, net: 944.4384 }, 0, 0],
    ['one', { model: 'cpm', list: 8, net: 6.12 }, 4, 3.06],
    ['own', null, 0, 0],
  ])
  const text = textOf(await pageOf('priced'))
  expect(text).toContain('List price Discount Net price Charged')
  expect(text).toMatch(/\$8.00 CPM 10 % commission 15 % \$6.12 \$4.00 before discount net \$3.06/)
  expect(text).toMatch(/\$1,234.56 per day 10 % commission 15 % \$944.4384/)
})

it('what the publisher ends costs its advertiser nothing', async () => {
  await enter('ours', line('one', { starts_at: '2026-04-03T00:00:00Z' }))
  const ended = await change('ours', 'ended')
  expect([ended.status, await charges('ours')]).toEqual(['canceled', []])
  await expect(change('ours', 'canceled')).rejects.toMatchObject({ code: 'INVALID_STATE' })
  expect(await charges('ours')).toEqual([])
})

it('the audit log names what each line is charged', async () => {
  now = new Date('2026-03-20T12:00:00.000Z')
  await enter('both', line('one'), line('two', { impressions: 500_000 }))
  await change('both', 'canceled')
  expect((await charges('both')).map(({ amount }) => amount).toSorted()).toEqual([1000, 2000])
  await agent.server.audit.settled()
  const entries = await listAuditEntries(operator, agent.tenant, { limit: 100 })
  const entry = entries.find(({ task, subject }) => task === 'direct-orders.cancel' && subject === 'both')
  expect(['1000 USD, 2000 USD', '2000 USD, 1000 USD']).toContain(entry?.changes?.charged?.[1])
})

it('a line that fell short is credited up to what it was charged, by the id that its order gives it', async () => {
  const flight = { starts_at: '2026-04-03T00:00:00Z', ends_at: '2026-04-08T00:00:00Z' }
  await enter('under', line('one', flight), line('two', { ...flight, product_id: 'free' }))
  now = new Date('2026-04-03T12:00:00.000Z')
  await seen('direct:under/one', 250, '2026-04-03T11:00:00.000Z')
  now = new Date('2026-04-09T00:00:00.000Z')
  const asked = { order: 'under', line: 'one', reason: 'fell short' }
  const credit = (amount: string) => performAs(operator, agent.tenant, offerCredit, { ...asked, amount })
  const tooMuch = () =>
    credit('2.01').then(
      () => 'given',
      ({ message }) => message,
    )
  // Once its impressions are counted.
  await expect.poll(tooMuch, { timeout: 30_000 }).toContain('amount must be at most 2.00 USD')
  expect(await credit('1.50')).toMatchObject({ state: 'accepted' })
  const give = (named: string) =>
    performAs(operator, agent.tenant, addCharge, { ...asked, line: named, amount: '0.51', credit: true })
  for (const named of ['one', 'direct:under/one']) await expect(give(named)).rejects.toThrow('amount must be at most 0.50 USD')
  await expect(give('three')).rejects.toThrow('the order has no line three; its lines: one, two')
  expect(await charges('under')).toMatchObject([{ kind: 'make_good', line_id: 'one', amount: -1.5 }])
})

it('what a make-good delivers costs nothing to cancel; its line is named by either of its ids', async () => {
  const flight = { starts_at: '2026-04-10T00:00:00Z', ends_at: '2026-04-12T00:00:00Z' }
  await enter('made', line('one', flight), line('long', { ends_at: '2026-05-20T00:00:00Z' }))
  now = new Date('2026-04-13T00:00:00.000Z')
  const asked = { order: 'made', line: 'direct:made/one', reason: 'fell short' }
  const made = await performAs(operator, agent.tenant, offerDelivery, asked)
  expect(made).toMatchObject({ line_id: 'one', new_line_id: 'one-more', state: 'accepted' })
  const { cancellation } = await showDirectOrder(operator, agent.tenant, 'made')
  expect(cancellation.map(({ line_id }) => line_id)).toEqual(['long'])
})

/** What each month of an order has cost until now, USD by month of UTC. */
async function costs(order: string): Promise<Record<string, number>> {
  const parts = { store: agent.server.store, clock: () => now, backends: agent.server.services.adServers.backends }
  const asked = { adServer: 'embedded', mediaBuyIds: [`direct:${order}`], since: '2026-01-01', callMs: 60_000 }
  await importReport(parts, { tenantId: agent.tenant, ...asked })
  const rows = await agent.server.store.read
    .selectFrom('delivery_days')
    .select(['day', 'spend_micros'])
    .where('package_id', 'like', `direct:${order}/%`)
    .execute()
  const months = new Map<string, number>()
  for (const { day, spend_micros: spend } of rows) months.set(day.slice(0, 7), (months.get(day.slice(0, 7)) ?? 0) + Number(spend))
  return Object.fromEntries([...months].map(([month, micros]) => [month, micros / 1e6]))
}

const FLAT = {
  ...{ product_id: 'free', price_model: 'flat_rate', rate: 1100, cpm: undefined, impressions: undefined },
  ...{ starts_at: '2026-05-21T00:00:00Z', ends_at: '2026-06-11T00:00:00Z', priority: 'standard' },
}

it('a flat line earns by the hour until it is canceled, and nothing after', async () => {
  await enter('flat', line('one', FLAT))
  now = new Date('2026-05-22T12:00:00.000Z')
  await seen('direct:flat/one', 5, '2026-05-22T11:00:00.000Z')
  await expect.poll(() => costs('flat'), { timeout: 30_000 }).toEqual({ '2026-05': 78.571428 })
  now = new Date('2026-05-24T00:00:00.000Z')
  await change('flat', 'canceled')
  now = new Date('2026-06-12T00:00:00.000Z')
  expect(await costs('flat')).toEqual({ '2026-05': 157.142857 })
})

it('a flat line that runs to its end earns each month its hours, and is charged whole', async () => {
  now = new Date('2026-06-21T12:00:00.000Z')
  await enter('whole', line('one', { ...FLAT, starts_at: '2026-06-21T00:00:00Z', ends_at: '2026-07-12T00:00:00Z' }))
  now = new Date('2026-06-22T12:00:00.000Z')
  await seen('direct:whole/one', 5, '2026-06-22T11:00:00.000Z')
  await expect.poll(() => costs('whole'), { timeout: 30_000 }).toEqual({ '2026-06': 78.571428 })
  now = new Date('2026-07-01T00:00:00.000Z')
  expect(await costs('whole')).toEqual({ '2026-06': 523.809523 })
  now = new Date('2026-07-12T00:00:00.000Z')
  expect(await costs('whole')).toEqual({ '2026-06': 523.809523, '2026-07': 576.190477 })
})
