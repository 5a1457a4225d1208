import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { BookedLine } from '../../src/ad-serving/ad-server.ts'
import { NOTHING } from '../../src/domain/media-buy/delivery.ts'
import { AdcpError } from '../../src/protocol/errors.ts'
import { findPython, pythonEnvironment } from '../support/python.ts'
import { LINES, type ReleaseAgent, startReleaseAgent } from '../support/release-agent.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** The first day of delivery. */
const FIRST = Date.parse('2026-03-17T00:00:00Z')
/** The install of the client's packages, and its start at every visit, beside other work on two cores. */
const PATIENCE = 1_500_000

interface Verdict {
  readonly definitive: boolean
  readonly missing: number
  /** Why the consumer does not count on a day's report, by day. */
  readonly reasons: Readonly<Record<string, readonly string[]>>
}

interface Visit {
  readonly configs: Readonly<Record<'pacing' | 'closing', Verdict>>
  readonly repaired: { readonly periods: number; readonly revisions: number; readonly adjustments: number }
  readonly read: number
  /** Impressions of each report of a day, in the order of their publication. */
  readonly sums: Readonly<Record<string, readonly (readonly ['snapshot' | 'official', number])[]>>
  readonly unequal: readonly string[]
}

const found = await findPython()
// biome-ignore lint/suspicious/noConsole: a skipped test says why
if ('reason' in found) console.log(`The Python consumer of reports is not tested: ${found.reason}.`)

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)

describe.skipIf('reason' in found || !LINES.includes('3.2'))('the official consumer of reports for Python', () => {
  let agent: ReleaseAgent
  let consumer: ChildProcess
  let answers: AsyncIterator<string>
  let configs: readonly object[]
  let now = FIRST - 12 * HOUR
  let account_id: string

  const ask = (task: string, args: object = {}) => {
    now += 1_000
    return agent.buyer.call(task, { adcp_version: '3.2', idempotency_key: `consumer-${crypto.randomUUID()}`, ...args })
  }
  /** A visit of the buyer at a moment, who expects reports of the first `days` days. */
  const visit = async (at: number, days: number): Promise<Visit> => {
    now = at
    const expected = Array.from({ length: days }, (_, index) => dayOf(FIRST + index * DAY))
    consumer.stdin?.write(`${JSON.stringify({ now: new Date(at).toISOString(), days: expected, configs })}\n`)
    const { value, done } = await answers.next()
    if (done) throw new Error('the consumer ended')
    return JSON.parse(value)
  }
  /** The ad server counts 1,000 impressions a package and day, and `late` more on its first day. */
  const counting = (late: number) => async (lines: readonly BookedLine[]) => {
    const days = Array.from({ length: Math.max(0, Math.floor((now - FIRST) / DAY)) }, (_, index) => {
      const impressions = 1_000 + (index === 0 ? late : 0)
      return { ...NOTHING, day: dayOf(FIRST + index * DAY), impressions, views: impressions }
    })
    return lines.map(({ packageId }) => ({ packageId, days }))
  }
  let reportDelivery: (lines: readonly BookedLine[]) => Promise<unknown> = counting(0)

  beforeAll(async () => {
    const python = await pythonEnvironment('python' in found ? found.python : '')
    agent = await startReleaseAgent({
      ...{ conformance: false, sandbox: true, clock: () => new Date(now) },
      flags: { publicUrl: 'https://seller.example', mode: 'development' },
    })
    const { data } = await ask('list_accounts')
    ;[{ account_id }] = data.accounts
    const pricing = { product_id: 'news_outstream', pricing_option_id: 'cpv_usd_auction', bid_price: 0.02 }
    const made = await ask('create_media_buy', {
      ...{ account: { account_id }, brand: data.accounts[0].brand },
      ...{ start_time: '2026-03-17T00:00:00Z', end_time: '2026-04-20T00:00:00Z' },
      packages: [1_000, 2_000].map((budget) => ({ ...pricing, budget })),
    })
    const { offerings: all } = (await ask('get_adcp_capabilities')).data.media_buy.reporting_delivery
    const offerings = all.filter(
      ({ method, schedule }: { method?: object; schedule: { period_duration: string; alignment: string } }) =>
        method === undefined && schedule.period_duration === 'P1D' && schedule.alignment === 'utc',
    )
    const sent = offerings.map(
      (offering: { feed_purpose: string; finality: string; reporting_profile: { id: string }; [name: string]: unknown }) => ({
        delivery_config_id: offering.feed_purpose === 'pacing' ? 'pacing' : 'closing',
        delivery_config_version: 1,
        ...{ offering_id: offering.offering_id, feed_purpose: offering.feed_purpose, schedule: offering.schedule },
        ...{ report_definition_id: offering.report_definition_id, reporting_profile: offering.reporting_profile.id },
        ...{ active: true, scope: { all_media_buys: true }, coverage_requirement: 'full', reconciliation_mode: 'delivery_only' },
        required_finality: offering.feed_purpose === 'pacing' ? 'snapshot' : 'official',
      }),
    )
    const accounts = [{ account: { account_id }, reporting_delivery_configs: sent }]
    const synced = (await ask('sync_accounts', { accounts })).data
    expect(synced.accounts[0].reporting_delivery_configs, JSON.stringify(synced)).toHaveLength(2)
    configs = sent.map((config: object) => ({ ...config, media_buy_ids: [made.data.media_buy_id] }))
    const { adServers } = agent.server.services
    const { of } = adServers
    const counted = { reportDelivery: { value: (lines: readonly BookedLine[]) => reportDelivery(lines) } }
    Object.assign(adServers, { of: (...asked: Parameters<typeof of>) => Object.create(of(...asked), counted) })
    const script = fileURLToPath(new URL('../clients/python/reporting_consumer.py', import.meta.url))
    const env = { ...process.env, AGENT_KEY: agent.key }
    consumer = spawn(python, [script, '--mcp', agent.url, '--account', account_id], { env, stdio: ['pipe', 'pipe', 'inherit'] })
    if (!consumer.stdout) throw new Error('the consumer has no output')
    answers = createInterface({ input: consumer.stdout })[Symbol.asyncIterator]()
  }, PATIENCE)
  afterAll(async () => {
    if (consumer && consumer.exitCode === null) {
      consumer.stdin?.end()
      await once(consumer, 'exit')
    }
    await agent?.stop()
  })

  it(
    'follows a week in which an ad server is away for a day and corrects its counts, and ends with equal books',
    async () => {
      const first = await visit(FIRST + DAY + 8 * HOUR, 1)
      expect(first).toMatchObject({
        configs: { pacing: { definitive: true, missing: 0, reasons: { '2026-03-17': [] } } },
        unequal: [],
      })
      expect(first.configs.closing).toMatchObject({ definitive: false, missing: 0 })
      expect(first).toMatchObject({ repaired: { periods: 2, revisions: 1 }, read: 1 })
      expect(first.sums).toEqual({ '2026-03-17': [['snapshot', 2_000]] })

      reportDelivery = () => Promise.reject(new AdcpError('SERVICE_UNAVAILABLE', 'the ad server is away'))
      const late = await visit(FIRST + 2 * DAY + 8 * HOUR, 2)
      expect(late.configs.pacing).toMatchObject({ definitive: false, missing: 0, reasons: { '2026-03-17': [] } })
      expect(late.configs.pacing.reasons['2026-03-18']).toContain('OBLIGATION_DELAYED')
      expect(late).toMatchObject({ repaired: { periods: 2, revisions: 0 }, read: 0, unequal: [] })

      reportDelivery = counting(50)
      const back = await visit(FIRST + 3 * DAY + 8 * HOUR, 3)
      expect(back.configs.pacing).toMatchObject({ definitive: true, missing: 0 })
      expect(back).toMatchObject({ repaired: { revisions: 3 }, read: 3, unequal: [] })
      expect(back.sums['2026-03-17']).toEqual([
        ['snapshot', 2_000],
        ['snapshot', 2_100],
      ])

      const closed = await visit(FIRST + 8 * DAY + 8 * HOUR, 1)
      expect(closed.configs).toMatchObject({
        pacing: { definitive: true, missing: 0 },
        closing: { definitive: true, missing: 0, reasons: { '2026-03-17': [] } },
      })
      expect(closed.sums['2026-03-17']?.at(-1)).toEqual(['official', 2_100])
      expect(closed.unequal).toEqual([])

      const quiet = await visit(FIRST + 8 * DAY + 8 * HOUR, 1)
      expect(quiet).toMatchObject({ repaired: { periods: 0, revisions: 0, adjustments: 0 }, read: 0, unequal: [] })
    },
    PATIENCE,
  )
})
