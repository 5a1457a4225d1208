import { parseArgs } from 'node:util'
import { nextMonth } from '../src/domain/billing/billing-lines.ts'
import { closeMonth } from '../src/operator/billing/close-month.ts'
import { listAdjustments } from '../src/operator/billing/pending-adjustments.ts'
import { previewLines } from '../src/operator/billing/preview-lines.ts'
import { previewMonth } from '../src/operator/billing/preview-month.ts'
import { listInvoices, showInvoice } from '../src/operator/billing/show-invoices.ts'
import { signedIn } from '../test/support/console-client.ts'
import { productDocument, startMediaBuyAgent } from '../test/support/media-buy-agent.ts'
import { operatorBeside, performAs } from '../test/support/operator.ts'
import { monthsFrom, sellMonths } from './billing/seed.ts'
import { median } from './measure.ts'

// Measures the close of months one after the other, the preview of the last with the first two pages of its lines, then lists of invoices, one invoice, pending corrections and the home page, on the embedded store: npm run bench:billing --
// [--orders 5000] [--months 24] [--accounts 500] [--samples 9]. Each order delivers on ten days of two months.

const { values: options } = parseArgs({
  options: {
    orders: { type: 'string', default: '5000' },
    months: { type: 'string', default: '24' },
    accounts: { type: 'string', default: '500' },
    samples: { type: 'string', default: '9' },
  },
})
const [orders = 0, count = 0, accounts = 0, samples = 0] = [
  ...[options.orders, options.months, options.accounts, options.samples].map(Number),
]

let now = new Date('2024-01-01T12:00:00.000Z')
const agent = await startMediaBuyAgent([productDocument('news')], {
  clock: () => now,
  flags: { 'limits.adminRequests': 1_000_000 },
})
try {
  const { isError, data } = await agent.create({ start_time: '2024-01-02T00:00:00Z', end_time: '2024-01-03T00:00:00Z' })
  if (isError) throw new Error(JSON.stringify(data))
  const months = monthsFrom('2024-01', count)
  console.log(`${orders} orders of ${accounts} accounts in ${count} months: written in ${said(await took(sell))}`)
  now = new Date(`${nextMonth(months.at(-1) ?? '')}-02T12:00:00.000Z`)
  const operator = operatorBeside(agent, () => now)
  for (const [index, month] of months.entries()) {
    if (month === months.at(-1)) await preview(month)
    const close = await took(() => performAs(operator, agent.tenant, closeMonth, { month }))
    if (index === 0 || index % 6 === 5 || month === months.at(-1))
      console.log(`close of month ${index + 1}: ${said(close)}, ${Math.round(process.memoryUsage().rss / 2 ** 20)} MB held`)
  }
  const client = await signedIn(agent, 'measurer', 'administrator', agent.tenant)
  const { items } = await performAs(operator, agent.tenant, listInvoices, {})
  const [newest] = items
  if (!newest) throw new Error('no invoice was written')
  const questions: Readonly<Record<string, () => Promise<unknown>>> = {
    'page of invoices': () => performAs(operator, agent.tenant, listInvoices, {}),
    'page of overdue invoices': () => performAs(operator, agent.tenant, listInvoices, { state: 'overdue' }),
    'invoices of a month': () => performAs(operator, agent.tenant, listInvoices, { month: newest.month }),
    'one invoice': () => performAs(operator, agent.tenant, showInvoice, { invoice: newest.invoice_id }),
    'pending corrections': () => performAs(operator, agent.tenant, listAdjustments, {}),
    home: () => page('home'),
    'page Billing': () => page('billing'),
  }
  for (const [name, ask] of Object.entries(questions)) {
    await ask()
    const taken: Took[] = []
    for (let n = 0; n < samples; n += 1) taken.push(await took(ask))
    const middle = { ms: median(taken.map(({ ms }) => ms)), cpuMs: median(taken.map(({ cpuMs }) => cpuMs)) }
    console.log(`${name}: ${said(middle)}`)
  }

  async function sell() {
    await sellMonths(agent.server.store, agent.tenant, { orders, accounts, months })
  }
  async function preview(month: string) {
    const operator = operatorBeside(agent, () => now)
    console.log(
      `preview of month ${count}: ${said(await took(() => performAs(operator, agent.tenant, previewMonth, { month })))}`,
    )
    let cursor: string | undefined
    for (const number of [1, 2]) {
      const asked = { month, limit: 500, ...(cursor !== undefined && { cursor }) }
      const taken = await took(async () => {
        cursor = (await performAs(operator, agent.tenant, previewLines, asked)).next_cursor ?? undefined
      })
      console.log(`page ${number} of its lines: ${said(taken)}`)
    }
  }
  async function page(path: string) {
    const { status } = await client.get(`/console/t/${agent.tenant}/${path}`)
    if (status !== 200) throw new Error(`${path}: ${status}`)
  }
} finally {
  await agent.stop()
}

/** Milliseconds of the clock and of the processor, to a tenth. */
async function took(work: () => Promise<unknown>): Promise<Took> {
  const [started, before] = [performance.now(), process.cpuUsage()]
  await work()
  const { user, system } = process.cpuUsage(before)
  return { ms: tenth(performance.now() - started), cpuMs: tenth((user + system) / 1000) }
}

interface Took {
  readonly ms: number
  readonly cpuMs: number
}

function tenth(value: number): number {
  return Math.round(value * 10) / 10
}

function said({ ms, cpuMs }: Took): string {
  return `${ms} ms, ${cpuMs} ms of processor time`
}
