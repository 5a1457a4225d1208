import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AdServer } from '../../src/ad-serving/ad-server.ts'
import { singleAdServer } from '../../src/ad-serving/ad-servers.ts'
import { anchorOfLine } from '../../src/ad-serving/embedded/stored-direct-order.ts'
import { importReport } from '../../src/ad-serving/reconcile/import-report.ts'
import { createSimulator } from '../../src/ad-serving/simulator/simulator.ts'
import type { ExistingOrder } from '../../src/domain/ad-serving/existing-line.ts'
import { NOTHING } from '../../src/domain/media-buy/delivery.ts'
import { billingPartyOf, NO_TERMS } from '../../src/domain/order/order-terms.ts'
import type { PricingOption } from '../../src/domain/product/pricing-option.ts'
import { setCredit } from '../../src/operator/accounts/account-money.ts'
import { adoptOrder } from '../../src/operator/adopted-orders/adopt-order.ts'
import { addCharge } from '../../src/operator/billing/charges.ts'
import { closeMonth } from '../../src/operator/billing/close-month.ts'
import { creditInvoice } from '../../src/operator/billing/credit-invoice.ts'
import { previewLines } from '../../src/operator/billing/preview-lines.ts'
import { listInvoices, showInvoice } from '../../src/operator/billing/show-invoices.ts'
import { offerCredit, offerDelivery } from '../../src/operator/make-goods/offer-make-good.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { setOrderTerms } from '../../src/operator/order-terms/order-terms.ts'
import { deliveryReport } from '../../src/operator/reports/delivery-report.ts'
import { addDelivery } from '../../src/store/ad-serving/delivery-ledger.ts'
import { adoptedKey, adoptedLineKey } from '../../src/store/order/adopted-orders.ts'
import { seeded } from '../../tools/faults/random.ts'
import { changeDirectOrder, enterDirectOrder } from '../support/direct-orders.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { createMemoryAdServer } from '../support/memory-ad-server.ts'
import { operatorBeside, performAs, setTenant } from '../support/operator.ts'
import { lineThere } from '../support/orders-there.ts'

/** Histories of one run, over all zones, and what they are drawn from; `npm run histories` sets both. */
const COUNT = Number(process.env.HISTORIES ?? 40)
const SEED = Number(process.env.HISTORIES_SEED ?? 20_260_301)
/** East and west of UTC, and one whose days begin between two hours of it. */
const ZONES = ['UTC', 'Europe/Stockholm', 'America/New_York', 'Asia/Kolkata'] as const
/** Hours of UTC that are in the one month or in the other, by the zone. */
const EDGES = ['2026-03-31T18', '2026-03-31T22', '2026-04-01T02', '2026-04-01T04', '2026-04-30T20', '2026-05-01T03']
const UNIT = { EUR: 10_000, SEK: 10_000, JPY: 1_000_000, KWD: 1_000 } as const
type Currency = keyof typeof UNIT
const BUDGET = 90_000
/** Of an order that people entered. */
const IMPRESSIONS_ENTERED = 1_000_000
const FLIGHT = { start: '2026-03-02T00:00:00.000Z', end: '2026-05-21T00:00:00.000Z', days: 80 }
const HOUR_MS = 3_600_000
const [FIRST_DAY, LAST_DAY] = ['2026-03-02', '2026-05-20']
/** Price of a billed unit in micros, and what counts as one; of a fee, what is charged for one of the units that a day is drawn in. */
const MODELS = {
  cpm: { price: 8, unitMicros: 8_000, counts: (units: number) => ({ impressions: units }) },
  vcpm: { price: 12, unitMicros: 12_000, counts: (units: number) => ({ impressions: units * 2, viewableImpressions: units }) },
  cpc: { price: 2, unitMicros: 2_000_000, counts: (units: number) => ({ impressions: units * 300, clicks: units }) },
  cpcv: { price: 1, unitMicros: 1_000_000, counts: (units: number) => ({ impressions: units * 3, completedViews: units }) },
  cpv: { price: 0.5, unitMicros: 500_000, counts: (units: number) => ({ impressions: units * 2, views: units }) },
  cpp: {
    price: 10,
    unitMicros: 10_000_000,
    counts: (units: number) => ({ impressions: units * 900, milliPoints: units * 1000 }),
  },
  flat_rate: { price: BUDGET, unitMicros: 1_000, counts: (units: number) => ({ impressions: units }) },
  time: { price: BUDGET / FLIGHT.days, unitMicros: 1_000, counts: (units: number) => ({ impressions: units }) },
  per_day: { price: BUDGET / FLIGHT.days, unitMicros: 1_000, counts: (units: number) => ({ impressions: units }) },
} as const
type Model = keyof typeof MODELS
const FEES: readonly Model[] = ['flat_rate', 'time', 'per_day']
/** Of buyers, entered by people, and adopted from an ad server; with the prices that each can have. */
const ORIGINS = {
  buyer: ['cpm', 'vcpm', 'cpc', 'cpcv', 'cpv', 'cpp', 'flat_rate', 'time'],
  entered: ['cpm', 'vcpm', 'cpc', 'cpcv', 'cpv', 'flat_rate', 'per_day'],
  adopted: ['cpm', 'vcpm', 'cpc', 'cpcv', 'cpv', 'per_day'],
} as const satisfies Readonly<Record<string, readonly Model[]>>
type Origin = keyof typeof ORIGINS

/** One order with an account of its own, and what it comes to by arithmetic that shares nothing with the program. Micros. */
interface History {
  readonly origin: Origin
  readonly account: object
  readonly currency: Currency
  readonly model: Model
  /** Price of an adopted order as its ad server has it: for a thousand, for one, or for a day. */
  readonly rateMicros: number
  /** Units that the ad server reports, by day or hour. */
  readonly units: Map<string, number>
  /** The line that delivers what was missing, with its units by day. */
  madeGood: { readonly packageId: string; readonly units: Map<string, number> } | undefined
  /** Discount and commission of what is billed from now on. */
  terms: Terms
  /** What was billed of each line and month, before deductions, and at which terms; what was credited as a whole is no longer there. */
  readonly books: Map<string, { readonly gross: number; readonly terms: Terms }>
  /** What invoices of closed months hold, by month. */
  readonly invoices: Map<string, { readonly services: ReadonlyMap<string, number>; readonly charges: number }>
  /** Charged beside delivery, by month. */
  readonly charges: [month: string, micros: number][]
  accountId: string
  orderId: string
  packageId: string
  canceled: boolean
  /** Of delivery after deductions and of charges, on invoices and credit notes. */
  billed: number
  /** Charges that are on invoices. */
  chargesBilled: number
  /** Given back for good. */
  given: number
}

/** Hundredths of a per cent. */
interface Terms {
  readonly discount: number
  readonly commission: number
}

/** Those of some orders; a third of a per cent leaves less than a micro. */
const DEDUCTIONS: readonly Terms[] = [
  { discount: 0, commission: 0 },
  { discount: 1_000, commission: 1_500 },
  { discount: 333, commission: 0 },
  { discount: 0, commission: 1_275 },
  { discount: 2_505, commission: 333 },
]

const NO_DEDUCTIONS: Terms = { discount: 0, commission: 0 }

/** An amount after the discount, and after the commission of what is left; each is cut to the micro. */
function net(gross: number, { discount, commission }: Terms): number {
  const less = (amount: number, share: number) => amount - Number((BigInt(amount) * BigInt(share)) / 10_000n)
  return less(less(gross, discount), commission)
}

const random = seeded(SEED)
const upTo = (most: number) => Math.floor(random() * most)
const chance = (share: number) => random() < share

const CURRENCIES = Object.keys(UNIT) as Currency[]
const PER_THOUSAND: readonly Model[] = ['cpm', 'vcpm']

/** What is charged for the units of a period. */
function spendOf({ origin, model, rateMicros }: History, period: string, units: number): number {
  if (origin !== 'adopted') return units * MODELS[model].unitMicros
  const parts = (count: number, of: number) => Number((BigInt(count) * BigInt(rateMicros)) / BigInt(of))
  if (model !== 'per_day') return parts(units, PER_THOUSAND.includes(model) ? 1000 : 1)
  if (units === 0) return 0
  // West of UTC the day of the publisher is over four hours (EDT) after the one that was reported.
  const leftMs = zone === 'America/New_York' ? Date.parse(period) + 28 * HOUR_MS - now.getTime() : 0
  if (leftMs > 0) return parts(24 * HOUR_MS - leftMs, 24 * HOUR_MS)
  // East of UTC the flight has a part of one more day after its last report, west of it before its first.
  const isEdge = zone !== 'UTC' && period === (zone === 'America/New_York' ? FIRST_DAY : LAST_DAY)
  return isEdge ? 2 * rateMicros : rateMicros
}

const counted = (history: History, period: string, units: number) => ({
  ...NOTHING,
  ...MODELS[history.model].counts(units),
  spendMicros: spendOf(history, period, units),
})

const histories: History[] = []
let agent: MediaBuyAgent
let operator: OperatorContext
let now = new Date('2026-03-01T12:00:00.000Z')

let zone: (typeof ZONES)[number] = 'UTC'
const today = () => now.toISOString().slice(0, 10)
const isReported = (period: string) => period.slice(0, 10) < today()
const months = new Map<string, string>()
/** The month of the publisher in which a period begins; what is reported by the day is of that day. */
function monthOf(period: string): string {
  if (period.length === 10) return period.slice(0, 7)
  const key = `${zone} ${period}`
  const found = months.get(key)
  if (found !== undefined) return found
  const parts = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, year: 'numeric', month: '2-digit' })
  const month = parts.format(new Date(`${period}:00:00Z`))
  months.set(key, month)
  return month
}
/** The line that was ordered, and the one that makes it good. */
const linesOf = (history: History) => [history, ...(history.madeGood ? [history.madeGood] : [])]

/** What each line delivered in each month, by `line month`. */
function servicesOf(history: History, upToMonth = '9'): Map<string, number> {
  const services = new Map<string, number>()
  for (const { packageId, units } of linesOf(history))
    for (const [period, count] of units) {
      const month = monthOf(period)
      if (!isReported(period) || month > upToMonth) continue
      const key = `${packageId} ${month}`
      services.set(key, (services.get(key) ?? 0) + spendOf(history, period, count))
    }
  return services
}
const sumOf = (amounts: Iterable<number>) => [...amounts].reduce((sum, each) => sum + each, 0)
const delivered = (history: History, upToMonth = '9') => sumOf(servicesOf(history, upToMonth).values())
/** Deliveries after deductions: what was billed at the terms of its invoice, what was not at those of now. */
const netDelivered = (history: History) =>
  sumOf([...servicesOf(history)].map(([key, gross]) => net(gross, history.books.get(key)?.terms ?? history.terms)))
/** The most that can be credited of an order, less a unit for what the parts are cut by. */
const leftOf = (history: History) => netDelivered(history) + charged(history) - history.given - UNIT[history.currency]
const charged = ({ charges }: History, upToMonth = '9') =>
  charges.reduce((sum, [month, micros]) => (month <= upToMonth ? sum + micros : sum), 0)
const payable = (micros: number, currency: Currency) => {
  const unit = UNIT[currency]
  const whole = Math.floor(Math.abs(micros) / unit)
  // Less than half a unit below zero is zero, not the -0 of floating point.
  return Math.sign(micros) * (Math.abs(micros) - whole * unit >= unit / 2 ? whole + 1 : whole) * unit + 0
}
const micros = (amount: number) => Math.round(amount * 1e6)
const amountText = (value: number) => (value / 1e6).toFixed(6).replace(/\.?0+$/, '')

/** The ad servers: one of buyers' orders, and one at which people book without this program. */
function adServersOf() {
  const simulator = createSimulator()
  const byPackage = () =>
    new Map(histories.flatMap((history) => linesOf(history).map((line) => [line.packageId, { history, line }])))
  const adServer: AdServer = {
    ...simulator,
    reportDelivery: async (...asked) => {
      const known = byPackage()
      return (await simulator.reportDelivery(...asked)).map((line) => {
        const found = known.get(line.packageId)
        const days = [...(found?.line.units ?? [])].filter(([day]) => isReported(day))
        return { ...line, days: found ? days.map(([day, units]) => ({ day, ...counted(found.history, day, units) })) : [] }
      })
    },
  }
  const { backend } = createMemoryAdServer({
    readOrder: async (orderId) => there.get(orderId),
    async reportOrders({ orderIds }) {
      const wanted = new Set(orderIds.map((id) => `memory-${id}`))
      const rows = histories.flatMap((history) =>
        wanted.has(history.orderId)
          ? [...history.units].flatMap(([period, units]) => {
              const { spendMicros: _, ...counts } = counted(history, period, units)
              return isReported(period) ? [{ lineId: `line-${history.orderId}`, period, ...counts }] : []
            })
          : [],
      )
      return { rows }
    },
  })
  return { ...singleAdServer(adServer), adServer, backends: () => new Map([['memory', { backend, drift: 'leave' as const }]]) }
}

const there = new Map<string, ExistingOrder>()
let adServers: ReturnType<typeof adServersOf>

/** How a product is priced. */
function optionOf(model: Exclude<Model, 'per_day'>, currency: Currency): PricingOption {
  const price = { pricing_option_id: model, currency, fixed_price: MODELS[model].price }
  switch (model) {
    case 'cpv':
      return { ...price, pricing_model: model, parameters: { view_threshold: 0.5 } }
    case 'cpp':
      return { ...price, pricing_model: model, parameters: { demographic: 'A18-49' } }
    case 'time':
      return { ...price, pricing_model: model, parameters: { time_unit: 'day' } }
    default:
      return { ...price, pricing_model: model }
  }
}

/** A publisher in a zone, with its histories. */
async function start(inZone: (typeof ZONES)[number], count: number): Promise<void> {
  zone = inZone
  histories.length = 0
  now = new Date('2026-03-01T12:00:00.000Z')
  adServers = adServersOf()
  const notice = { interval: 7, unit: 'days' as const }
  const fee = { type: 'percent_remaining' as const, rate: 0.25 }
  const products = CURRENCIES.flatMap((currency) =>
    ORIGINS.buyer.map((model) => ({
      ...productDocument(
        `${currency}_${model}`,
        {
          ...{ format_ids: [], delivery_type: 'guaranteed' },
          cancellation_policy: { notice_period: notice, cancellation_fee: fee },
        },
        { daily_capacity: 2_000_000_000 },
      ),
      pricing_options: [optionOf(model, currency)],
    })),
  )
  agent = await startMediaBuyAgent(products, { clock: () => now, adServer: adServers.adServer })
  const beside = operatorBeside(agent, () => now, adServers.adServer)
  operator = { ...beside, services: { ...beside.services, adServers: async () => adServers } }
  await setTenant(operator, agent.tenant, { timeZone: zone })
  for (let index = 0; index < count; index += 1) histories.push(await begin(index))
}

/** Orders for March to May, each with delivery on some days. Two of five were entered by a person or adopted. */
async function begin(index: number): Promise<History> {
  const currency = CURRENCIES[upTo(CURRENCIES.length)] ?? 'EUR'
  const origin = index % 5 === 3 ? 'entered' : index % 5 === 4 ? 'adopted' : 'buyer'
  const model = ORIGINS[origin][upTo(ORIGINS[origin].length)] ?? 'cpm'
  // A price of which a unit is no whole micro.
  const rateMicros = MODELS[model].price * 1e6 + upTo(1_000)
  const sold = await { buyer: buy, entered: enter, adopted: adopt }[origin](index, currency, model, rateMicros)
  const units = new Map<string, number>()
  const draw = () => 1 + upTo(400_000_000 / MODELS[model].unitMicros)
  for (let day = Date.parse(FLIGHT.start); day < Date.parse(FLIGHT.end); day += 86_400_000 * (1 + upTo(5)))
    units.set(new Date(day).toISOString().slice(0, 10), draw())
  // Buyers' ad server reports by day, and a price by the day is charged by day.
  if (origin !== 'buyer' && !FEES.includes(model))
    for (const hour of EDGES) {
      if (!chance(0.6)) continue
      units.set(hour, draw())
      // A day counts as a whole or by its hours.
      units.delete(hour.slice(0, 10))
    }
  const terms = DEDUCTIONS[upTo(DEDUCTIONS.length)] ?? NO_DEDUCTIONS
  await setTerms(sold.orderId, terms)
  return {
    ...{ ...sold, origin, currency, model, rateMicros, units, terms, madeGood: undefined, charges: [], canceled: false },
    ...{ books: new Map(), invoices: new Map(), billed: 0, chargesBilled: 0, given: 0 },
  }
}

const setTerms = (order: string, { discount, commission }: Terms) =>
  performAs(operator, agent.tenant, setOrderTerms, {
    ...{ order, discount_basis_points: discount, commission_basis_points: commission },
  })

async function buy(index: number, currency: Currency, model: Model) {
  const account = { brand: { domain: `h${index}.example` }, operator: 'agency.example' }
  await agent.run('sync_accounts', { account: undefined, accounts: [{ ...account, billing: 'operator' }] })
  // A fee is for as many impressions as no history delivers.
  const goal = FEES.includes(model) && { impressions: 50_000_000 }
  const packages = [{ product_id: `${currency}_${model}`, pricing_option_id: model, budget: BUDGET, ...goal }]
  const flight = { start_time: FLIGHT.start, end_time: FLIGHT.end }
  const { data, isError } = await agent.create({ account, brand: account.brand, packages, ...flight })
  if (isError) throw new Error(JSON.stringify(data))
  const ids = { orderId: data.media_buy_id, packageId: data.packages[0].package_id, accountId: data.account.account_id }
  return { account, ...ids }
}

async function enter(index: number, currency: Currency, model: Model) {
  const [orderId, advertiser] = [`entered-${index}`, `Advertiser ${index}`]
  const price = model === 'cpm' ? { cpm: MODELS.cpm.price } : { price_model: model, rate: MODELS[model].price }
  // It makes the events of every price.
  const video = { url: 'https://cdn.example/a.mp4', duration_seconds: 15 }
  const creatives = [{ creative_id: 'a', width: 1280, height: 720, video, click_url: 'https://shop.example/' }]
  const flight = { starts_at: FLIGHT.start, ends_at: FLIGHT.end, impressions: IMPRESSIONS_ENTERED }
  const line = {
    line_id: 'line',
    product_id: `${currency}_${model === 'per_day' ? 'flat_rate' : model}`,
    ...flight,
    ...price,
    creatives,
  }
  const text = JSON.stringify({ order_id: orderId, name: orderId, advertiser, currency, lines: [line] })
  await enterDirectOrder(operator, agent.tenant, { name: 'order', text })
  const accountId = billingPartyOf(advertiser, NO_TERMS)
  return { account: {}, orderId, packageId: anchorOfLine(orderId, 'line'), accountId }
}

async function adopt(index: number, currency: Currency, model: Model, rateMicros: number) {
  const [id, advertiser] = [String(index), `Adopted ${index}`]
  const line = lineThere(`line-memory-${id}`, {
    ...{ orderId: id, currency, rateMicros, startsAt: FLIGHT.start, endsAt: FLIGHT.end },
    ...{ costType: model === 'per_day' ? 'CPD' : model.toUpperCase(), goal: { unit: 'IMPRESSIONS', units: 2_000_000_000 } },
  })
  there.set(id, { id, name: `Order ${id}`, advertiser, lines: [line] })
  const { order } = await performAs(operator, agent.tenant, adoptOrder, { name: 'memory', there: id })
  const accountId = billingPartyOf(advertiser, NO_TERMS)
  return { account: {}, orderId: order.order_id, packageId: adoptedLineKey('memory', order.order_id, line.id), accountId }
}

/** Time goes on, and the ledger gets what entered orders delivered until the day before. */
async function reach(at: string): Promise<void> {
  now = new Date(at)
  await report()
}

async function report(): Promise<void> {
  const { tenant: tenantId, server } = agent
  const rows = histories.flatMap((history) =>
    history.origin === 'entered'
      ? linesOf(history).flatMap(({ packageId, units: ofLine }) =>
          [...ofLine].flatMap(([period, units]) =>
            isReported(period) ? [{ lineExternalId: packageId, period, ...counted(history, period, units) }] : [],
          ),
        )
      : [],
  )
  for (let from = 0; from < rows.length; from += 1_000)
    await server.store.transaction((tx) =>
      addDelivery(tx, { tenantId, adServer: 'embedded', now }, rows.slice(from, from + 1_000)),
    )
  const keys = histories.flatMap(({ origin, orderId }) =>
    origin === 'adopted' ? [adoptedKey('memory', orderId.slice('memory-'.length))] : [],
  )
  const parts = { store: server.store, clock: () => now, backends: adServers.backends }
  const asked = { tenantId, adServer: 'memory', since: FLIGHT.start.slice(0, 10), callMs: 60_000, areAdopted: true }
  for (let from = 0; from < keys.length; from += 100)
    await importReport(parts, { ...asked, mediaBuyIds: keys.slice(from, from + 100) })
}

const invoicesOf = async ({ accountId }: History) =>
  (await performAs(operator, agent.tenant, listInvoices, { account: accountId, limit: 200 })).items

/** What each account would be billed, from all pages of the lines of a preview. */
async function previewed(month: string): Promise<Map<string, number>> {
  const sums = new Map<string, number>()
  // Pages that end within an invoice.
  const limit = Math.min(500, 3 + Math.ceil(histories.length / 5))
  let cursor: string | undefined
  do {
    const asked = { month, limit, ...(cursor !== undefined && { cursor }) }
    const page = await performAs(operator, agent.tenant, previewLines, asked)
    for (const { account, amount } of page.items) sums.set(account, (sums.get(account) ?? 0) + micros(amount))
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined)
  return sums
}

/** Closes a month: each account gets what it owes of everything until then, less what it was billed. */
async function close(month: string): Promise<void> {
  const seen = await previewed(month)
  const { invoices } = await performAs(operator, agent.tenant, closeMonth, { month })
  const totals = new Map(invoices.map(({ account, total }) => [account, micros(total)]))
  for (const { account, total } of invoices) expect([account, seen.get(account)]).toEqual([account, micros(total)])
  for (const history of histories) {
    const services = new Map<string, number>()
    const now = servicesOf(history, month)
    let due = 0
    for (const key of new Set([...now.keys(), ...history.books.keys()])) {
      const book = history.books.get(key)
      const gross = (now.get(key) ?? 0) - (book?.gross ?? 0)
      // A correction takes the terms of the invoice that billed the month.
      const terms = book?.terms ?? history.terms
      if (gross === 0) continue
      services.set(key, gross)
      history.books.set(key, { gross: (book?.gross ?? 0) + gross, terms })
      due += net(gross, terms)
    }
    const charges = charged(history, month) - history.chargesBilled
    due += charges
    expect([month, history.accountId, totals.get(history.accountId) ?? 0]).toEqual([month, history.accountId, due])
    history.billed += due
    history.chargesBilled += charges
    history.invoices.set(month, { services, charges })
  }
}

async function enterCharges(month: string): Promise<void> {
  for (const history of histories) {
    if (!chance(0.3)) continue
    const value = (1 + upTo(900)) * UNIT[history.currency] * 10
    // What is given back is at most what the order was charged until now.
    const sign = chance(0.5) || value > leftOf(history) ? 1 : -1
    const members = { order: history.orderId, amount: amountText(value), credit: sign < 0, reason: 'agreed' }
    await performAs(operator, agent.tenant, addCharge, members)
    history.charges.push([month, sign * value])
  }
}

/** The ad server counts a day of a month otherwise than it did: by how much, before deductions. */
async function correct(month: string): Promise<Map<History, number>> {
  const corrected = new Map<History, number>()
  for (const history of histories) {
    const period = [...history.units.keys()].find((each) => monthOf(each) === month && isReported(each))
    if (period === undefined || !chance(0.4)) continue
    const before = history.units.get(period) ?? 0
    const { unitMicros } = MODELS[history.model]
    const after = chance(0.7) ? upTo(before) : before + upTo(50_000_000 / unitMicros)
    history.units.set(period, after)
    corrected.set(history, spendOf(history, period, after) - spendOf(history, period, before))
  }
  await report()
  return corrected
}

async function cancelSome(): Promise<void> {
  for (const history of histories) {
    if (!chance(0.25) || history.origin === 'adopted') continue
    for (const day of [...history.units.keys()]) if (!isReported(day)) history.units.delete(day)
    history.canceled = true
    const unit = UNIT[history.currency]
    if (history.origin === 'entered') {
      await changeDirectOrder(operator, agent.tenant, history.orderId, 'canceled')
      // What was shown of it is in the ledger alone: its ad server has counted nothing as spent. Only these prices say what the order costs at most.
      const most = history.model === 'cpm' ? (IMPRESSIONS_ENTERED / 1000) * MODELS.cpm.price : BUDGET
      const isLimited = history.model === 'cpm' || FEES.includes(history.model)
      if (isLimited) history.charges.push([today().slice(0, 7), Math.round((most * 1e6 * 0.25) / unit) * unit])
      continue
    }
    const { isError, data } = await agent.run('update_media_buy', {
      ...{ account: history.account, media_buy_id: history.orderId, canceled: true },
    })
    if (isError) throw new Error(JSON.stringify(data))
    const rest = Math.max(0, BUDGET * 1e6 - delivered(history))
    history.charges.push([today().slice(0, 7), Math.round((rest * 0.25) / unit) * unit])
  }
}

/** Terms of some orders become better for the publisher: what is billed keeps the terms of its invoice. */
async function changeTerms(): Promise<void> {
  for (const history of histories) {
    if (!chance(0.4)) continue
    const { discount, commission } = history.terms
    history.terms = { discount: Math.floor(discount / 2), commission }
    await setTerms(history.orderId, history.terms)
  }
}

/** Credits and deliveries are offered for what fell short: what a buyer accepts is charged or delivered, what is agreed with people at once. Gives the number of deliveries. */
async function makeGood(month: string): Promise<number> {
  let deliveries = 0
  for (const history of histories) {
    if (isShort(history) && (chance(0.4) || deliveries === 0)) {
      history.madeGood = await deliverMore(history, deliveries === 0)
      if (history.madeGood) deliveries += 1
      continue
    }
    const unit = UNIT[history.currency]
    // Charges of the order itself are no part of what its line was charged.
    const left = netDelivered(history) + Math.min(0, charged(history)) - history.given - unit
    const value = Math.min(1 + upTo(500), Math.floor(left / unit)) * unit
    if (history.canceled || value <= 0 || !chance(0.5)) continue
    const { account, orderId, packageId, origin } = history
    const line = origin === 'buyer' ? packageId : packageId.slice(packageId.lastIndexOf('/') + 1)
    const members = { order: orderId, line, reason: 'too few', amount: amountText(value) }
    const { make_good_id } = await performAs(operator, agent.tenant, offerCredit, members)
    const decision = origin !== 'buyer' || chance(0.7) ? 'accept' : 'decline'
    if (origin === 'buyer') {
      const ext = { make_good: { make_good_id, decision } }
      const { isError, data } = await agent.run('update_media_buy', { account, media_buy_id: orderId, ext })
      if (isError) throw new Error(JSON.stringify(data))
    }
    if (decision === 'accept') history.charges.push([month, -value])
  }
  return deliveries
}

/** Whether a line that is sold by units delivered clearly less than was promised. */
function isShort({ origin, canceled, model, units }: History): boolean {
  if (canceled || origin === 'adopted' || FEES.includes(model)) return false
  const shown = sumOf([...units.values()].map((count) => MODELS[model].counts(count).impressions))
  return origin === 'buyer' || shown < IMPRESSIONS_ENTERED * 0.9
}

/** Offers what is missing in a line of its own, which delivers a little on some days; undefined: the buyer declines, unless it `accepts`. */
async function deliverMore(history: History, accepts: boolean): Promise<History['madeGood']> {
  const { account, orderId, packageId, origin, model } = history
  const line = origin === 'buyer' ? packageId : packageId.slice(packageId.lastIndexOf('/') + 1)
  const members = { order: orderId, line, reason: 'too few', first: '2026-06-08', last: '2026-06-20' }
  const { make_good_id, new_line_id } = await performAs(operator, agent.tenant, offerDelivery, members)
  const units = new Map(['2026-06-09', '2026-06-14'].map((day) => [day, 1 + upTo(20_000_000 / MODELS[model].unitMicros)]))
  if (origin !== 'buyer') return { packageId: anchorOfLine(orderId, new_line_id ?? ''), units }
  const decision = accepts || chance(0.7) ? 'accept' : 'decline'
  const ext = { make_good: { make_good_id, decision } }
  const { isError, data } = await agent.run('update_media_buy', { account, media_buy_id: orderId, ext })
  if (isError) throw new Error(JSON.stringify(data))
  return decision === 'accept' ? { packageId: data.ext.make_goods.at(-1).new_package_id, units } : undefined
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
    const gross = corrected.get(history) ?? 0
    const key = `${history.packageId} ${month}`
    const book = history.books.get(key)
    const delta = net(gross, book?.terms ?? history.terms)
    const which = upTo(4)
    if (which === 0) {
      await credit('all')
      history.billed -= micros(invoice.total)
      takeBack(history, month)
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
      if (book) history.books.set(key, { ...book, gross: book.gross + gross })
    }
  }
}

/** What an invoice held is due again; what is not billed at all any more takes the terms of now. */
function takeBack(history: History, month: string): void {
  const { services, charges } = history.invoices.get(month) ?? { services: new Map<string, number>(), charges: 0 }
  history.chargesBilled -= charges
  for (const [key, gross] of services) {
    const book = history.books.get(key)
    if (!book) continue
    if (book.gross === gross) history.books.delete(key)
    else history.books.set(key, { ...book, gross: book.gross - gross })
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
    // What is on no invoice accrues before deductions.
    const onInvoices = sumOf([...history.books.values()].map(({ gross }) => gross)) + history.chargesBilled
    const owed = asked + model + charged(history) - onInvoices
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
    for (const { invoice_id: invoice, refers_to: of } of await invoicesOf(history)) {
      const { lines } = await performAs(operator, agent.tenant, showInvoice, { invoice })
      for (const { kind, quantity, gross } of lines) {
        if (kind !== 'delivery' || quantity === null || FEES.includes(history.model)) continue
        const per = PER_THOUSAND.includes(history.model) ? 1000 : 1
        const [exact, said] = [Math.abs((quantity * history.rateMicros) / per), Math.abs(micros(gross))]
        if (history.origin !== 'adopted')
          expect([invoice, quantity * MODELS[history.model].unitMicros]).toEqual([invoice, micros(gross)])
        // Each period of an adopted line is cut to the micro; a credit note gives back a difference of such amounts, which may be more than the exact one.
        else {
          const less = exact - said
          const isCut = less < 1 + history.units.size && (of === null ? less >= 0 : less > -1 - history.units.size)
          expect([invoice, exact, said, isCut]).toEqual([invoice, exact, said, true])
        }
        found += 1
      }
    }
  return found
}

describe.each(ZONES)('%s', (inZone) => {
  const count = Math.ceil(COUNT / ZONES.length)
  beforeAll(() => start(inZone, count), 3_600_000)
  afterAll(() => agent?.stop())

  it(`${count} histories of deliveries, discounts, charges, late corrections, cancellations, make-goods, closes and credit notes: every door says what the arithmetic says`, async () => {
    await reach('2026-03-20T00:30:00.000Z')
    await enterCharges('2026-03')
    await compare()
    await reach('2026-04-03T00:30:00.000Z')
    await close('2026-03')
    const march = await written()
    const corrected = await correct('2026-03')
    await reach('2026-04-10T00:30:00.000Z')
    await cancelSome()
    await changeTerms()
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
    const isOneShort = histories.some(isShort)
    expect((await makeGood('2026-06')) > 0).toBe(isOneShort)
    await compare()
    await reach('2026-07-03T00:30:00.000Z')
    await close('2026-06')
    await compare()
    const all = await written()
    const priced = await agreedPrices()
    expect(priced).toBeGreaterThan(Math.min(count, 200) / 4)
    for (const [id, invoice] of march) expect(all.get(id)).toEqual(invoice)
  }, 3_600_000)
})
