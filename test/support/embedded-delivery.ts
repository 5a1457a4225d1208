import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { LineDocument } from '../../src/ad-serving/embedded/stored-documents.ts'
import { reconcileDue } from '../../src/ad-serving/reconcile/reconciler.ts'
import { operatorIn } from '../../src/compose/operator.ts'
import { closeMonth } from '../../src/operator/billing/close-month.ts'
import { listOrders } from '../../src/operator/order-list/list-orders.ts'
import { showOrderRecords } from '../../src/operator/orders/order-records.ts'
import { showOrder } from '../../src/operator/orders/show-order.ts'
import { deliveryReport } from '../../src/operator/reports/delivery-report.ts'
import { showRevenue } from '../../src/operator/reports/revenue.ts'
import { deliveryRevisions } from '../../src/store/ad-serving/delivery-ledger.ts'
import { appendEmbeddedEvents, decisionIdPrefix } from '../../src/store/embedded/events.ts'
import { rebuildEmbeddedSums } from '../../src/store/embedded/reports.ts'
import { performAs, setTenant } from './operator.ts'
import { startAgent } from './start-agent.ts'

const ACCOUNT = { brand: { domain: 'brand.example' }, operator: 'agency.example' }
const [START, END] = ['2026-03-02T00:00:00Z', '2026-03-12T00:00:00Z']
/** An hour that is another day in New York. */
const HOUR = '2026-03-05T02'

/** What events of a line name. */
interface Sold {
  readonly lineId: string
  readonly rateMicros: number
}

/** An order at the embedded ad server whose events another process counts, and everyone who reads its delivery. */
export async function startEmbeddedOrder(flags: Readonly<Record<string, unknown>> = {}) {
  let now = new Date('2026-03-01T12:00:00Z')
  const agent = await startAgent({
    demo: true,
    clock: () => now,
    flags: { 'adServer.type': 'embedded', ...flags },
    // Only a read imports.
    reconciler: { timing: { everyMs: 3_600_000 } },
  })
  const { store, services, contracts, clock, log } = agent.server
  const operator = operatorIn({ store, config: agent.config, contracts, clock, services })
  await setTenant(operator, agent.tenant, { timeZone: 'America/New_York' })
  const buyer = await agent.buyerOn(ACCOUNT, { principal: 'advertiser' })
  const run = async (task: string, args: object) => {
    const { isError, data } = await buyer.call(task, { idempotency_key: randomUUID(), account: ACCOUNT, ...args })
    if (isError) throw new Error(JSON.stringify(data))
    return data
  }
  /** Buys a package and brings it to the ad server. */
  const buy = async (product_id: string, pricing_option_id: string, start_time = START) => {
    const packages = [{ product_id, pricing_option_id, budget: 5000 }]
    const created = await run('create_media_buy', { brand: ACCOUNT.brand, start_time, end_time: END, packages })
    const packageId: string = created.packages[0].package_id
    await reconcileDue({ store, clock, log, backends: services.adServers.backends })
    const lines = store.read.selectFrom('embedded_lines').selectAll()
    const { line_id, document } = await lines.where('anchor', '=', packageId).executeTakeFirstOrThrow()
    const { settings }: LineDocument = JSON.parse(document)
    const mediaBuyId: string = created.media_buy_id
    return { mediaBuyId, packageId, lineId: line_id, rateMicros: settings.price.rateMicros }
  }
  const sold = await buy('news_homepage_display', 'cpm_usd_fixed')
  const { mediaBuyId, packageId, rateMicros } = sold
  now = new Date(`${HOUR}:30:00Z`)

  return {
    agent,
    mediaBuyId,
    packageId,
    /** Cost of a thousand impressions. */
    rate: rateMicros / 1_000_000,
    operator,
    buy,
    setClock(iso: string): void {
      now = new Date(iso)
    },
    /** Writes events as a process that only serves ads does; `line`: default, that of the order. */
    async count(most: number, by: string, kind = 'impression', line: Sold = sold): Promise<void> {
      const events = Array.from({ length: most }, (_, index) => {
        const decisionId = `${decisionIdPrefix(now)}${by}${index}`
        const ad = { tenantId: agent.tenant, lineId: line.lineId, creativeId: 'hc_1', place: 'home', rateMicros: line.rateMicros }
        const event = { kind, isBot: false, happenedAt: now.toISOString() }
        return { ...ad, ...event, decisionId, eventId: `${decisionId}.${kind}` }
      })
      await store.transaction((tx) => appendEmbeddedEvents(tx, events))
    },
    /** Takes what one process wrote out of the log, as invalid traffic. */
    async remove(by: string): Promise<void> {
      await store.transaction(async (tx) => {
        await tx
          .deleteFrom('embedded_events')
          .where('event_id', 'like', `${decisionIdPrefix(now)}${by}%`)
          .execute()
        await rebuildEmbeddedSums(tx, agent.tenant, new Date(START))
      })
    },
    /** Impressions and money as everyone reads them; each of `readers` first. */
    readers: {
      async buyer() {
        const { media_buy_deliveries } = await run('get_media_buy_delivery', { media_buy_ids: [mediaBuyId] })
        const [{ totals }] = media_buy_deliveries
        return { impressions: totals.impressions, spend: totals.spend }
      },
      async list() {
        const { items: orders } = await performAs(operator, agent.tenant, listOrders, {})
        const own = orders.find(({ media_buy_id }) => media_buy_id === mediaBuyId)
        return { impressions: own?.impressions, spend: own?.spent }
      },
      async orderPage() {
        const shown = await performAs(operator, agent.tenant, showOrder, { order: mediaBuyId })
        return { impressions: shown.packages[0]?.impressions, spend: shown.spent }
      },
      async hours() {
        const { hours } = await performAs(operator, agent.tenant, showOrderRecords, { order: mediaBuyId })
        expect(hours.map(({ hour }) => hour)).toEqual([`${HOUR}:00:00.000Z`])
        return { impressions: hours[0]?.impressions, spend: hours[0]?.spent }
      },
      async report() {
        const { rows } = await performAs(operator, agent.tenant, deliveryReport, { by: ['day', 'order'] })
        // Nine in the evening of the day before.
        expect(rows.map(({ dimensions }) => dimensions)).toEqual([{ day: '2026-03-04', order: mediaBuyId }])
        return { impressions: rows[0]?.impressions, spend: rows[0]?.spent }
      },
      async revenue() {
        const { currencies } = await performAs(operator, agent.tenant, showRevenue, {})
        return { impressions: currencies[0]?.impressions, spend: currencies[0]?.revenue }
      },
    },
    /** What the account is charged. */
    async charged(): Promise<number> {
      // By days of the publisher's zone, as its invoices are.
      const period = { start: '2026-03-04', end: '2026-03-04' }
      return (await run('get_account_financials', { period })).spend.total_spend
    },
    /** Impressions of every revision, oldest first. */
    async revisions(): Promise<readonly number[]> {
      const rows = await deliveryRevisions(store.read, agent.tenant, packageId, 1_000)
      return rows.map(({ impressions }) => impressions)
    },
    stop: () => agent.stop(),
  }
}

/** Everyone reads the same, whoever reads first, and a correction reaches everyone as a new revision. */
export async function expectOneFigure(order: Awaited<ReturnType<typeof startEmbeddedOrder>>): Promise<void> {
  const { readers } = order
  const names = ['buyer', 'list', 'orderPage', 'hours', 'report', 'revenue'] as const
  let counted = 0
  const expected: number[] = []
  const allRead = async () => {
    const figures = { impressions: counted, spend: (counted / 1_000) * order.rate }
    for (const name of names) expect({ name, ...(await readers[name]()) }).toEqual({ name, ...figures })
    expect(await order.charged()).toBe(figures.spend)
    expect(await order.revisions()).toEqual(expected)
  }
  for (const [index, first] of names.entries()) {
    const impressions = 1_000 * (index + 1)
    await order.count(impressions, `p${index}_`)
    counted += impressions
    expected.push(counted)
    expect(await readers[first]()).toMatchObject({ impressions: counted })
    await allRead()
  }
  await order.remove('p1_')
  counted -= 2_000
  expected.push(counted)
  await allRead()
}

/** Two orders of one account in two currencies: no report, revenue or invoice adds their amounts up. */
export async function expectTwoCurrencies(order: Awaited<ReturnType<typeof startEmbeddedOrder>>): Promise<void> {
  const { agent, operator } = order
  const tenantId = agent.tenant
  const pounds = await order.buy('business_display', 'cpm_gbp_fixed', 'asap')
  expect(pounds.rateMicros / 1_000_000).not.toBe(order.rate)
  await order.count(4_000, 'dollars_')
  await order.count(3_000, 'pounds_', 'impression', pounds)
  const usd = { currency: 'USD', impressions: 4_000, amount: 4 * order.rate }
  const gbp = { currency: 'GBP', impressions: 3_000, amount: (3 * pounds.rateMicros) / 1_000_000 }
  const both = [gbp, usd]

  const revenue = await performAs(operator, tenantId, showRevenue, {})
  expect(revenue.currencies.map(({ currency, impressions, revenue: amount }) => ({ currency, impressions, amount }))).toEqual(
    both,
  )
  const shares = (own: readonly (typeof usd)[]) => own.map(({ currency, amount }) => [currency, amount])
  for (const rows of [revenue.days, revenue.buyers, revenue.advertisers])
    expect(rows.map(({ currency, revenue: amount }) => [currency, amount]).toSorted()).toEqual(shares(both))
  for (const by of ['day', 'buyer', 'account', 'product', 'order']) {
    const { rows, totals } = await performAs(operator, tenantId, deliveryReport, { by: [by] })
    for (const list of [rows, totals]) {
      const found = list.map(({ currency, impressions, spent: amount }) => ({ currency, impressions, amount }))
      expect({ by, found: found.toSorted((a, b) => (a.currency < b.currency ? -1 : 1)) }).toEqual({ by, found: both })
    }
  }

  order.setClock('2026-04-02T12:00:00Z')
  const { invoices } = await performAs(operator, tenantId, closeMonth, { month: '2026-03' })
  expect(invoices.map(({ currency, total }) => [currency, total]).toSorted()).toEqual(shares(both))
  const accounts = new Set(invoices.map(({ account }) => account))
  expect(accounts.size).toBe(1)
}
