import { expect } from 'vitest'
import type { AdServer } from '../../src/ad-serving/ad-server.ts'
import { createSimulator } from '../../src/ad-serving/simulator/simulator.ts'
import { NOTHING } from '../../src/domain/media-buy/delivery.ts'
import { addCharge, showCharges, takeChargeBack } from '../../src/operator/billing/charges.ts'
import { closeMonth } from '../../src/operator/billing/close-month.ts'
import { creditInvoice } from '../../src/operator/billing/credit-invoice.ts'
import { listInvoices, showInvoice } from '../../src/operator/billing/show-invoices.ts'
import { offerCredit } from '../../src/operator/make-goods/offer-make-good.ts'
import { productDocument, startMediaBuyAgent } from './media-buy-agent.ts'
import { operatorBeside, performAs } from './operator.ts'

/** What a line of the books costs. */
const PRICE = 1000
const option = { pricing_option_id: 'flat', pricing_model: 'flat_rate' as const, currency: 'USD', fixed_price: PRICE }
const takeover = productDocument('takeover', {
  ...{ format_ids: [], delivery_type: 'guaranteed' },
  pricing_options: [{ ...option, parameters: { type: 'dooh', estimated_impressions: 60_000 } }],
} as object)

/** A publisher whose March is invoiced: orders of one line each, of which half was delivered, at a flat price that was charged as a whole. */
export async function startBooks(orders: number, flags: Readonly<Record<string, unknown>> = {}) {
  let now = new Date('2026-03-01T12:00:00.000Z')
  const simulator = createSimulator()
  const adServer: AdServer = {
    ...simulator,
    reportDelivery: async (lines, at, zone) =>
      (await simulator.reportDelivery(lines, at, zone)).map((report) => {
        const day = { ...NOTHING, day: '2026-03-02', impressions: 30_000, spendMicros: PRICE * 1e6 }
        return { ...report, days: at.toISOString() < '2026-03-03' ? [] : [day] }
      }),
  }
  const agent = await startMediaBuyAgent([takeover], { flags, adServer, clock: () => now })
  const operator = operatorBeside(agent, () => now, adServer)
  const sold: { order: string; line: string }[] = []
  for (let each = 0; each < orders; each += 1) {
    const { data, isError } = await agent.create({
      packages: [{ product_id: 'takeover', pricing_option_id: 'flat', budget: PRICE }],
    })
    expect(isError, JSON.stringify(data)).toBe(false)
    sold.push({ order: data.media_buy_id, line: data.packages[0].package_id })
  }
  now = new Date('2026-04-04T12:00:00.000Z')
  await performAs(operator, agent.tenant, closeMonth, { month: '2026-03' })
  const invoice = '2026-03-0001'
  const { lines } = await performAs(operator, agent.tenant, showInvoice, { invoice })
  const reason = 'agreed'
  const positionOf = (order: string) => lines.findIndex(({ media_buy_id: id }) => id === order) + 1
  const acts = {
    note: ({ order }: Sold, amount: string) =>
      performAs(operator, agent.tenant, creditInvoice, {
        ...{ invoice, what: 'amount', reason, amount, position: positionOf(order) },
      }),
    credit: ({ order, line }: Sold, amount: string) =>
      performAs(operator, agent.tenant, addCharge, { order, line, amount, credit: true, reason }),
    makeGood: ({ order, line }: Sold, amount: string) =>
      performAs(operator, agent.tenant, offerCredit, { order, line, amount, reason }),
    charge: async ({ order, line }: Sold, amount: string) =>
      (await performAs(operator, agent.tenant, addCharge, { order, line, amount, reason })).charge_id,
    takeBack: (charge: string) => performAs(operator, agent.tenant, takeChargeBack, { charge, reason }),
    all: (of: string) => performAs(operator, agent.tenant, creditInvoice, { invoice: of, what: 'all', reason }),
    /** Closes a month at the beginning of another one; the ids of its invoices. */
    close: async (month: string, at: string) => {
      now = new Date(at)
      const { invoices } = await performAs(operator, agent.tenant, closeMonth, { month })
      return invoices.map(({ invoice_id: id }) => id)
    },
    open: async (order: string) =>
      (await performAs(operator, agent.tenant, showCharges, { order, state: 'open' })).items.filter(({ amount }) => amount > 0),
    accept: (order: string, make_good_id: string) =>
      agent.run('update_media_buy', { media_buy_id: order, ext: { make_good: { make_good_id, decision: 'accept' } } }),
  }
  /** What the invoices and open charges of an order come to. */
  const owed = async (order: string) => {
    const { items } = await performAs(operator, agent.tenant, listInvoices, {})
    let sum = 0
    for (const { invoice_id } of items) {
      const page = await performAs(operator, agent.tenant, showInvoice, { invoice: invoice_id })
      for (const each of page.lines) if (each.media_buy_id === order) sum += each.amount
    }
    const open = await performAs(operator, agent.tenant, showCharges, { order, state: 'open' })
    return open.items.reduce((total, { amount }) => total + amount, sum)
  }
  return { agent, sold, acts, owed, stop: () => agent.stop() }
}

interface Sold {
  readonly order: string
  readonly line: string
}
type Books = Awaited<ReturnType<typeof startBooks>>

/** In each round every act that gives money back asks for all of one line in the same instant: one of them gets it. */
export async function expectGivenOnce({ sold, acts, owed, agent }: Books): Promise<void> {
  for (const [round, each] of sold.entries()) {
    const ways = [
      () => acts.note(each, '1000'),
      () => acts.credit(each, '1000'),
      () => acts.makeGood(each, '1000'),
      () => acts.credit(each, '1000'),
    ]
    const turned = ways.map((_, index) => ways[(index + round) % ways.length])
    const results = await Promise.allSettled(turned.map((way) => way?.()))
    const given = results.filter(({ status }) => status === 'fulfilled')
    const why = results.map((result) => (result.status === 'rejected' ? String(result.reason) : 'given')).join('\n')
    expect(given.length, why).toBe(1)
    const [first] = given
    const answer = first?.status === 'fulfilled' ? first.value : undefined
    if (answer && 'make_good_id' in answer) {
      expect(await owed(each.order)).toBe(1000)
      expect((await acts.accept(each.order, answer.make_good_id)).isError).toBe(false)
    }
    expect(await owed(each.order), why).toBe(0)
    await expect(acts.credit(each, '0.01')).rejects.toMatchObject({ code: 'INVALID_REQUEST', field: 'amount' })
  }
  await agent.server.audit.settled()
}

/** A charge that credits gave back is not taken back too, before and in the same instant. */
export async function expectTakenBackOnce({ sold, acts, owed }: Books): Promise<void> {
  for (const each of sold) {
    const charge = await acts.charge(each, '100')
    const { charge_id: credit } = await acts.credit(each, '100')
    await expect(acts.takeBack(charge)).rejects.toMatchObject({ code: 'INVALID_STATE', field: 'charge' })
    expect((await acts.takeBack(credit)).state).toBe('taken_back')
    expect((await acts.takeBack(charge)).state).toBe('taken_back')
    expect(await owed(each.order)).toBe(1000)
    const again = await acts.charge(each, '100')
    const results = await Promise.allSettled([acts.takeBack(again), acts.credit(each, '1100')])
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect([0, 1000]).toContain(await owed(each.order))
  }
}

/** What an invoice billed and a credit gave back is not given back again when the invoice is credited as a whole and its charge, which is open again, taken back. */
export async function expectRebilledNotTakenBack({ sold, acts, owed }: Books): Promise<void> {
  const [each] = sold
  if (!each) throw new Error('no order')
  await acts.credit(each, '1000')
  await acts.charge(each, '100')
  const [invoice = ''] = await acts.close('2026-04', '2026-05-04T12:00:00.000Z')
  await acts.charge(each, '70')
  const [rebilled = ''] = await acts.close('2026-05', '2026-06-04T12:00:00.000Z')
  expect([invoice, rebilled]).toEqual(['2026-04-0001', '2026-05-0001'])
  await acts.credit(each, '170')
  expect(await owed(each.order)).toBe(0)
  await acts.all(rebilled)
  const [open] = await acts.open(each.order)
  expect(open).toMatchObject({ amount: 70 })
  await expect(acts.takeBack(open?.charge_id ?? '')).rejects.toMatchObject({ code: 'INVALID_STATE', field: 'charge' })
  expect(await owed(each.order)).toBe(0)
}
