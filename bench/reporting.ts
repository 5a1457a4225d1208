import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { createSimulator } from '../src/ad-serving/simulator/simulator.ts'
import { NOTHING } from '../src/domain/media-buy/delivery.ts'
import { ACCOUNT, productDocument, startMediaBuyAgent } from '../test/support/media-buy-agent.ts'
import { contracts } from '../test/support/release-agent.ts'
import { median } from './measure.ts'

// Follows the daily or hourly reports of one order for a year, then reads them: npm run bench:reporting -- [--days 365] [--packages 50] [--samples 15] [--by hour].
// Each day is reported after its end, once more with late counts, and finally after a week; an hour likewise.

const { values: options } = parseArgs({
  options: {
    days: { type: 'string', default: '365' },
    packages: { type: 'string', default: '50' },
    samples: { type: 'string', default: '15' },
    by: { type: 'string', default: 'day' },
  },
})
const [days = 0, packages = 0, samples = 0] = [options.days, options.packages, options.samples].map(Number)

/** What is configured, by what a report is of. */
const IDS: Readonly<Record<string, readonly string[]>> = {
  day: ['delivery-daily-snapshot', 'delivery-daily-official'],
  hour: ['delivery-hourly-snapshot'],
}
const by = options.by === 'hour' ? 'hour' : 'day'
const HOUR = 3_600_000
const DAY = 24 * HOUR
const PERIOD = by === 'hour' ? HOUR : DAY
const FIRST = Date.parse('2025-01-01T00:00:00Z')
let now = FIRST - DAY / 2
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)

/** Counts of a day grow by a hundredth on the second day after it. */
const simulator = createSimulator()
const adServer: typeof simulator = {
  ...simulator,
  reportDelivery: async (...asked) =>
    (await simulator.reportDelivery(...asked)).map((line, index) => ({
      ...line,
      days: Array.from({ length: Math.max(0, Math.floor((now - FIRST) / DAY)) }, (_, day) => {
        const isLate = now - (FIRST + day * DAY) > 2 * DAY
        const impressions = 10_000 + index * 7 + day + (isLate ? 100 : 0)
        return { ...NOTHING, day: dayOf(FIRST + day * DAY), impressions, spendMicros: impressions * 5_000 }
      }),
    })),
  reportHours: async (lines, hours) =>
    lines.map(({ packageId }, index) => {
      const counted = hours.map((hour) => {
        const isLate = now - Date.parse(`${hour}:00:00Z`) > 2 * HOUR
        return [hour, { ...NOTHING, impressions: 400 + index * 7 + (isLate ? 4 : 0), clicks: 1 }] as const
      })
      return { packageId, hours: new Map(counted) }
    }),
}
const agent = await startMediaBuyAgent([productDocument('news', { format_ids: [] }, { daily_capacity: 2_000_000_000 })], {
  ...{ clock: () => new Date(now), adServer, contracts },
  flags: { publicUrl: 'https://seller.example', 'limits.reads': 1_000_000 },
})
try {
  const ask = async (task: string, args: object = {}) => {
    now += 1
    const { isError, data } = await agent.buyer.call(task, {
      ...{ adcp_version: '3.2', idempotency_key: randomUUID(), account: ACCOUNT, ...args },
    })
    if (isError) throw new Error(`${task}: ${JSON.stringify(data)}`)
    return data
  }
  const { offerings: all } = (await ask('get_adcp_capabilities', { account: undefined })).media_buy.reporting_delivery
  type Offering = { reporting_profile: { id: string }; supported_finality: string[]; [name: string]: unknown }
  const offerings = all.filter(({ offering_id: id }: Offering) => IDS[by]?.includes(String(id)))
  const reporting_delivery_configs = offerings.map((offering: Offering) => ({
    ...{ delivery_config_id: String(offering.feed_purpose), delivery_config_version: 1, offering_id: offering.offering_id },
    ...{ feed_purpose: offering.feed_purpose, report_definition_id: offering.report_definition_id, schedule: offering.schedule },
    ...{ active: true, reporting_profile: offering.reporting_profile.id, scope: { all_media_buys: true } },
    ...{ coverage_requirement: 'full', required_finality: offering.supported_finality[0], reconciliation_mode: 'delivery_only' },
  }))
  await ask('sync_accounts', { account: undefined, accounts: [{ account: ACCOUNT, reporting_delivery_configs }] })
  await ask('create_media_buy', {
    ...{ brand: ACCOUNT.brand, start_time: new Date(FIRST).toISOString(), end_time: new Date(FIRST + days * DAY).toISOString() },
    packages: Array.from({ length: packages }, () => ({ product_id: 'news', pricing_option_id: 'cpm', budget: 100_000 })),
  })
  const settled: number[] = []
  for (let ended = 1; ended <= (days * DAY) / PERIOD; ended += 1) {
    now = FIRST + ended * PERIOD + PERIOD / 4 + HOUR / 20
    settled.push(await took(() => ask('get_reporting_status', { view: 'periods', pagination: { max_results: 1 } })))
  }
  const started = settled.slice(0, 30)
  const what = by === 'hour' ? 'an hour' : 'a day'
  console.log(
    `${days} days × ${packages} packages; ${what} is settled and looked at in ${median(started)} ms at first, ${median(settled.slice(-30))} ms at the end`,
  )
  const one = {
    start: `${dayOf(now - 10 * DAY)}T00:00:00Z`,
    end: new Date(Date.parse(`${dayOf(now - 10 * DAY)}T00:00:00Z`) + PERIOD).toISOString(),
  }
  const year = { start: new Date(FIRST).toISOString(), end: new Date(FIRST + days * DAY).toISOString() }
  const page = await ask('get_reporting_status', { view: 'periods', period: one })
  const revision = page.revisions.at(-1).reporting_revision_id
  const questions: Readonly<Record<string, () => Promise<unknown>>> = {
    'one period': () => ask('get_reporting_status', { view: 'periods', period: one }),
    'rows of one report': () => ask('get_media_buy_delivery', { reporting_revision_id: revision }),
    'a month’s summary': () => ask('get_reporting_status', { view: 'summary' }),
    'a year’s summary': () => ask('get_reporting_status', { view: 'summary', period: year }),
    'the first page of a year': () => ask('get_reporting_status', { view: 'periods', period: year }),
  }
  for (const [name, question] of Object.entries(questions)) {
    await question()
    const taken: number[] = []
    for (let n = 0; n < samples; n += 1) taken.push(await took(question))
    console.log(`${name}: ${median(taken)} ms`)
  }
  const rows = await agent.server.store.read.selectFrom('reporting_records').select(['kind', 'document', 'report_rows']).execute()
  const bytes = rows.reduce((sum, row) => sum + row.document.length + (row.report_rows?.length ?? 0), 0)
  console.log(`storage: ${rows.length} records, ${Math.round(bytes / days / 1_000)} KB a day of ${packages} packages`)
} finally {
  await agent.stop()
}

/** Milliseconds, to a tenth. */
async function took(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return Math.round((performance.now() - started) * 10) / 10
}
