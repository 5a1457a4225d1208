import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AdServer } from '../../src/ad-serving/ad-server.ts'
import { anchorOfLine } from '../../src/ad-serving/embedded/stored-direct-order.ts'
import { createSimulator } from '../../src/ad-serving/simulator/simulator.ts'
import { NOTHING } from '../../src/domain/media-buy/delivery.ts'
import { billingPartyOf, NO_TERMS } from '../../src/domain/order/order-terms.ts'
import { setCredit } from '../../src/operator/accounts/account-money.ts'
import { addCharge } from '../../src/operator/billing/charges.ts'
import { closeMonth } from '../../src/operator/billing/close-month.ts'
import { creditInvoice } from '../../src/operator/billing/credit-invoice.ts'
import { listInvoices, showInvoice } from '../../src/operator/billing/show-invoices.ts'
import { offerCredit } from '../../src/operator/make-goods/offer-make-good.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { deliveryReport } from '../../src/operator/reports/delivery-report.ts'
import { addDelivery } from '../../src/store/ad-serving/delivery-ledger.ts'
import { enterDirectOrder } from '../support/direct-orders.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { operatorBeside, performAs } from '../support/operator.ts'

/** Histories of one run; `HISTORIES=10000` for a long one. */
const COUNT = Number(process.env.HISTORIES ?? 40)
const UNIT = { EUR: 10_000, JPY: 1_000_000, KWD: 1_000 } as const
type Currency = keyof typeof UNIT
/** Price of a billed unit in micros, and what counts as one. */
const MODELS = {
  cpm: { price: 8, unitMicros: 8_000, counts: (units: number) => ({ impressions: units }) },
  vcpm: { price: 12, unitMicros: 12_000, counts: (units: number) => ({ impressions: units * 2, viewableImpressions: units }) },
  cpc: { price: 2, unitMicros: 2_000_000, counts: (units: number) => ({ impressions: units * 300, clicks: units }) },
  cpcv: { price: 1, unitMicros: 1_000_000, counts: (units: number) => ({ impressions: units * 3, completedViews: units }) },
} as const
type Model = keyof typeof MODELS
/** Of buyers, and entered by people. */
type Origin = 'buyer' | 'entered'

/** One order with an account of its own, and what it comes to by arithmetic that shares nothing with the program. Micros. */
interface History {
  readonly origin: Origin
  readonly account: object
  readonly currency: Currency
  readonly model: Model
  /** What the ad server reports, by day. */
  readonly days: Map<string, number>
  /** Charged beside delivery, by month. */
  readonly charges: [month: string, micros: number][]
  accountId: string
  orderId: string
  packageId: string
  canceled: boolean
  /** Of delivery and charges, on invoices and credit notes. */
  billed: number
  /** Given back for good. */
  given: number
}

/** Always the same numbers from 0 to 1 (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}
const random = randomFrom(20_260_301)
const upTo = (most: number) => Math.floor(random() * most)
const chance = (share: number) => random() < share

const CURRENCIES = Object.keys(UNIT) as Currency[]
const MODEL_NAMES = Object.keys(MODELS) as Model[]
const counted = (model: Model, spendMicros: number) => ({
  ...NOTHING,
  ...MODELS[model].counts(spendMicros / MODELS[model].unitMicros),
  spendMicros,
})

const histories: History[] = []
let agent: MediaBuyAgent
let operator: OperatorContext
let now = new Date('2026-03-01T12:00:00.000Z')

const BUDGET = 90_000
const today = () => now.toISOString().slice(0, 10)
const delivered = ({ days }: History, upToMonth = '9') =>
  [...days].reduce((sum, [day, micros]) => (day < today() && day.slice(0, 7) <= upToMonth ? sum + micros : sum), 0)
const charged = ({ charges }: History, upToMonth = '9') =>
  charges.reduce((sum, [month, micros]) => (month <= upToMonth ? sum + micros : sum), 0)
const payable = (micros: number, currency: Currency) => {
  const unit = UNIT[currency]
  const whole = Math.floor(Math.abs(micros) / unit)
  return Math.sign(micros) * (Math.abs(micros) - whole * unit >= unit / 2 ? whole + 1 : whole) * unit
}
const micros = (amount: number) => Math.round(amount * 1e6)
const amountText = (value: number) => (value / 1e6).toFixed(6).replace(/\.?0+$/, '')

beforeAll(async () => {
  const simulator = createSimulator()
  const byPackage = () => new Map(histories.map((history) => [history.packageId, history]))
  const adServer: AdServer = {
    ...simulator,
    reportDelivery: async (...asked) => {
      const known = byPackage()
      return (await simulator.reportDelivery(...asked)).map((line) => ({
        ...line,
        days: [...(known.get(line.packageId)?.days ?? [])]
          .filter(([day]) => day < today())
          .map(([day, spendMicros]) => ({ day, ...counted(known.get(line.packageId)?.model ?? 'cpm', spendMicros) })),
      }))
    },
  }
  const notice = { interval: 7, unit: 'days' as const }
  const fee = { type: 'percent_remaining' as const, rate: 0.25 }
  const sold = CURRENCIES.flatMap((currency) => MODEL_NAMES.map((model) => ({ currency, model })))
  const products = sold.map(({ currency, model }) => {
    const base = productDocument(
      `${currency}_${model}`,
      {
        ...{ format_ids: [], delivery_type: 'guaranteed' },
        cancellation_policy: { notice_period: notice, cancellation_fee: fee },
      },
      { daily_capacity: 2_000_000_000 },
    )
    const fixed_price = MODELS[model].price
    return { ...base, pricing_options: [{ pricing_option_id: model, pricing_model: model, currency, fixed_price }] }
  })
  agent = await startMediaBuyAgent(products, { clock: () => now, adServer })
  operator = operatorBeside(agent, () => now, adServer)
  for (let index = 0; index < COUNT; index += 1) histories.push(await begin(index))
}, 600_000)
afterAll(() => agent?.stop())

/** Orders for March to May, each with delivery on some days. One of four was entered by a person. */
async function begin(index: number): Promise<History> {
  const currency = CURRENCIES[upTo(CURRENCIES.length)] ?? 'EUR'
  const model = MODEL_NAMES[upTo(MODEL_NAMES.length)] ?? 'cpm'
  const sold = index % 4 === 3 ? await enter(index, currency, model) : await buy(index, currency, model)
  const days = new Map<string, number>()
  const { unitMicros } = MODELS[model]
  for (let day = Date.parse('2026-03-02'); day < Date.parse('2026-05-21'); day += 86_400_000 * (1 + upTo(5)))
    days.set(new Date(day).toISOString().slice(0, 10), unitMicros * (1 + upTo(400_000_000 / unitMicros)))
  return { ...sold, currency, model, days, charges: [], canceled: false, billed: 0, given: 0 }
}

async function buy(index: number, currency: Currency, model: Model) {
  const account = { brand: { domain: `h${index}.example` }, operator: 'agency.example' }
  await agent.run('sync_accounts', { account: undefined, accounts: [{ ...account, billing: 'operator' }] })
  const packages = [{ product_id: `${currency}_${model}`, pricing_option_id: model, budget: BUDGET }]
  const flight = { start_time: '2026-03-02T00:00:00Z', end_time: '2026-05-21T00:00:00Z' }
  const { data, isError } = await agent.create({ account, brand: account.brand, packages, ...flight })
  if (isError) throw new Error(JSON.stringify(data))
  const ids = { orderId: data.media_buy_id, packageId: data.packages[0].package_id, accountId: data.account.account_id }
  return { origin: 'buyer' as const, account, ...ids }
}

async function enter(index: number, currency: Currency, model: Model) {
  const [orderId, advertiser] = [`entered-${index}`, `Advertiser ${index}`]
  const price = model === 'cpm' ? { cpm: MODELS.cpm.price } : { price_model: model, rate: MODELS[model].price }
  const creatives = [{ creative_id: 'a', width: 300, height: 250, image: { url: 'https://cdn.example/a.png' } }]
  const flight = { starts_at: '2026-03-02T00:00:00Z', ends_at: '2026-05-21T00:00:00Z', impressions: 1_000_000 }
  const line = { line_id: 'line', product_id: `${currency}_${model}`, ...flight, ...price, creatives }
  const text = JSON.stringify({ order_id: orderId, name: orderId, advertiser, currency, lines: [line] })
  await enterDirectOrder(operator, agent.tenant, { name: 'order', text })
  const accountId = billingPartyOf(advertiser, NO_TERMS)
  return { origin: 'entered' as const, account: {}, orderId, packageId: anchorOfLine(orderId, 'line'), accountId }
}

/** Time goes on, and the ledger gets what entered orders delivered until the day before. */
async function reach(at: string): Promise<void> {
  now = new Date(at)
  await report()
}

async function report(): Promise<void> {
  const { tenant: tenantId, server } = agent
  const rows = histories.flatMap(({ origin, packageId: lineExternalId, days, model }) =>
    origin === 'buyer'
      ? []
      : [...days].flatMap(([period, spent]) => (period < today() ? [{ lineExternalId, period, ...counted(model, spent) }] : [])),
  )
  for (let from = 0; from < rows.length; from += 1_000)
    await server.store.transaction((tx) =>
      addDelivery(tx, { tenantId, adServer: 'embedded', now }, rows.slice(from, from + 1_000)),
    )
}

const invoicesOf = async ({ accountId }: History) =>
  (await performAs(operator, agent.tenant, listInvoices, { account: accountId, limit: 200 })).items

/** Closes a month: each account gets what it owes of everything until then, less what it was billed. */
async function close(month: string): Promise<void> {
  const { invoices } = await performAs(operator, agent.tenant, closeMonth, { month })
  const totals = new Map(invoices.map(({ account, total }) => [account, micros(total)]))
  for (const history of histories) {
    const due = delivered(history, month) + charged(history, month) - history.billed
    expect([month, history.accountId, totals.get(history.accountId) ?? 0]).toEqual([month, history.accountId, due])
    history.billed += due
  }
}

async function enterCharges(month: string): Promise<void> {
  for (const history of histories) {
    if (!chance(0.3)) continue
    const value = (1 + upTo(900)) * UNIT[history.currency] * 10
    // What is given back is at most what the order was charged until now.
    const sign = chance(0.5) || value > delivered(history) + charged(history) - history.given ? 1 : -1
    const members = { order: history.orderId, amount: amountText(value), credit: sign < 0, reason: 'agreed' }
    await performAs(operator, agent.tenant, addCharge, members)
    history.charges.push([month, sign * value])
  }
}

/** The ad server counts a day of a month otherwise than it did. */
async function correct(month: string): Promise<Map<History, number>> {
  const corrected = new Map<History, number>()
  for (const history of histories) {
    const day = [...history.days.keys()].find((each) => each.startsWith(month) && each < today())
    if (day === undefined || !chance(0.4)) continue
    const before = history.days.get(day) ?? 0
    const { unitMicros } = MODELS[history.model]
    const after = unitMicros * Math.floor((chance(0.7) ? upTo(before) : before + upTo(50_000_000)) / unitMicros)
    history.days.set(day, after)
    corrected.set(history, after - before)
  }
  await report()
  return corrected
}

async function cancelSome(): Promise<void> {
  for (const history of histories) {
    if (!chance(0.25) || history.origin !== 'buyer') continue
    for (const day of [...history.days.keys()]) if (day >= today()) history.days.delete(day)
    const { isError, data } = await agent.run('update_media_buy', {
      ...{ account: history.account, media_buy_id: history.orderId, canceled: true },
    })
    if (isError) throw new Error(JSON.stringify(data))
    history.canceled = true
    const unit = UNIT[history.currency]
    const rest = Math.max(0, BUDGET * 1e6 - delivered(history))
    history.charges.push([today().slice(0, 7), Math.round((rest * 0.25) / unit) * unit])
  }
}

/** Credits are offered for what fell short; what the buyer accepts is charged. */
async function makeGood(month: string): Promise<void> {
  for (const history of histories) {
    const unit = UNIT[history.currency]
    const value = Math.min(1 + upTo(500), Math.floor(delivered(history) / unit)) * unit
    if (history.canceled || history.origin !== 'buyer' || value <= 0 || !chance(0.5)) continue
    const { account, orderId, packageId: line } = history
    const members = { order: orderId, line, reason: 'too few', amount: amountText(value) }
    const { make_good_id } = await performAs(operator, agent.tenant, offerCredit, members)
    const decision = chance(0.7) ? 'accept' : 'decline'
    const ext = { make_good: { make_good_id, decision } }
    const { isError, data } = await agent.run('update_media_buy', { account, media_buy_id: orderId, ext })
    if (isError) throw new Error(JSON.stringify(data))
    if (decision === 'accept') history.charges.push([month, -value])
  }
}

/** Credit notes of invoices of a month: of all, of an amount, or of what was corrected. */
async function creditSome(month: string, corrected: ReadonlyMap<History, number>): Promise<void> {
  for (const history of histories) {
    const invoice = (await invoicesOf(history)).find(
      (each) => each.month === month && each.refers_to === null && each.payable > 0,
    )
    if (!invoice) continue
    const credit = (what: string, more: object = {}) =>
      performAs(operator, agent.tenant, creditInvoice, { invoice: invoice.invoice_id, what, reason: 'agreed', ...more })
    const delta = corrected.get(history) ?? 0
    const which = upTo(4)
    if (which === 0) {
      await credit('all')
      history.billed -= micros(invoice.total)
    } else if (which === 1) {
      const { lines } = await performAs(operator, agent.tenant, showInvoice, { invoice: invoice.invoice_id })
      const most = Math.min(micros(lines[0]?.payable ?? 0), payable(micros(invoice.total), history.currency))
      const value = UNIT[history.currency] * 3
      if (most < value) continue
      const note = await credit('amount', { amount: amountText(value), position: 1 })
      expect(micros(note.total)).toBe(-value)
      history.given += value
    } else if (which === 2 && payable(delta, history.currency) < 0) {
      const note = await credit('corrections')
      expect(micros(note.total)).toBe(delta)
      history.billed += delta
    }
  }
}

/** What every door says of each history is what the arithmetic says. */
async function compare(): Promise<void> {
  const range = { first: '2026-03-01', last: '2026-06-30' }
  const { rows } = await performAs(operator, agent.tenant, deliveryReport, { by: ['order'], ...range })
  const reported = new Map(rows.map(({ dimensions, spent }) => [dimensions.order, micros(spent)]))
  for (const history of histories) {
    const { account, accountId, currency, orderId } = history
    const model = delivered(history)
    expect([orderId, reported.get(orderId)]).toEqual([orderId, model])
    if (history.origin === 'buyer') {
      const { data } = await agent.buyer.call('get_media_buy_delivery', { account, media_buy_ids: [orderId] })
      expect(micros(data.media_buy_deliveries[0].totals.spend)).toBe(model)
    }
    const invoices = await invoicesOf(history)
    const total = invoices.reduce((sum, each) => sum + micros(each.total), 0)
    expect([accountId, total]).toEqual([accountId, history.billed - history.given])
    for (const each of invoices) expect(micros(each.payable)).toBe(payable(micros(each.total), currency))
    if (history.origin !== 'buyer') continue
    await performAs(operator, agent.tenant, setCredit, { account: accountId, amount: '5000000', currency })
    const { data: financials } = await agent.buyer.call('get_account_financials', { account: { account_id: accountId } })
    const asked = invoices.reduce((sum, each) => sum + micros(each.payable), 0)
    const owed = asked + model + charged(history) - history.billed
    expect([accountId, micros(financials.credit.available_credit)]).toEqual([accountId, 5e12 - Math.max(0, owed)])
  }
}

type Invoices = Awaited<ReturnType<typeof invoicesOf>>

/** Invoices as they read, without how they stand. */
async function written(): Promise<Map<string, unknown>> {
  const items: Invoices[number][] = []
  let cursor: string | undefined
  do {
    const found = await performAs(operator, agent.tenant, listInvoices, { limit: 200, ...(cursor !== undefined && { cursor }) })
    items.push(...found.items)
    cursor = found.next_cursor ?? undefined
  } while (cursor !== undefined)
  expect(new Set(items.map(({ invoice_id: id }) => id)).size).toBe(items.length)
  const seen = new Map<string, unknown>()
  for (const { invoice_id: invoice } of items) {
    const {
      lines,
      reads,
      total,
      payable: due,
      publisher,
      payer,
    } = await performAs(operator, agent.tenant, showInvoice, { invoice })
    seen.set(invoice, { lines, reads, total, due, publisher, payer })
  }
  return seen
}

/** Lines of delivery that bill units at the rate that was agreed: quantity × rate is the amount. Their number. */
async function agreedPrices(): Promise<number> {
  let found = 0
  for (const history of histories.slice(0, 200))
    for (const { invoice_id: invoice } of await invoicesOf(history)) {
      const { lines } = await performAs(operator, agent.tenant, showInvoice, { invoice })
      for (const { kind, quantity, amount } of lines) {
        if (kind !== 'delivery' || quantity === null) continue
        expect([invoice, quantity * MODELS[history.model].unitMicros]).toEqual([invoice, micros(amount)])
        found += 1
      }
    }
  return found
}

it(`${COUNT} histories of deliveries, charges, late corrections, cancellations, make-goods, closes and credit notes: every door says what the arithmetic says`, async () => {
  await reach('2026-03-20T00:30:00.000Z')
  await enterCharges('2026-03')
  await compare()
  await reach('2026-04-03T00:30:00.000Z')
  await close('2026-03')
  const march = await written()
  const corrected = await correct('2026-03')
  await reach('2026-04-10T00:30:00.000Z')
  await cancelSome()
  await creditSome('2026-03', corrected)
  await compare()
  await enterCharges('2026-04')
  await reach('2026-05-03T00:30:00.000Z')
  await close('2026-04')
  const late = await correct('2026-04')
  await creditSome('2026-04', late)
  await compare()
  await reach('2026-06-03T00:30:00.000Z')
  await close('2026-05')
  await compare()
  await makeGood('2026-06')
  await compare()
  await reach('2026-07-03T00:30:00.000Z')
  await close('2026-06')
  await compare()
  const all = await written()
  const priced = await agreedPrices()
  expect(priced).toBeGreaterThan(COUNT / 4)
  for (const [id, invoice] of march) expect(all.get(id)).toEqual(invoice)
}, 3_600_000)
