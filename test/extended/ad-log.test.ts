import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inspectStore } from '../../src/store/inspect/inspect.ts'
import { type Child, freePort, startChild } from '../../tools/agent/child.ts'
import { startKafka, type TestKafka } from '../../tools/agent/kafka.ts'
import { startPostgres, type TestPostgres } from '../../tools/agent/postgres.ts'
import { type AdPublisher, CHROME, startAdPublisher } from '../support/ad-publisher.ts'
import { findJava } from '../support/java.ts'

/** Ads whose events go to Apache Kafka and are counted by other processes, which are killed and paused, as is the broker. */
const { reason } = await findJava()
// biome-ignore lint/suspicious/noConsole: a skipped test says why
if (reason !== undefined) console.log(`Ad events are not written to Kafka: ${reason}.`)

const PLACE = { place: 'news_homepage_display', sizes: ['970x250'] }
const CAPPED = { place: 'sports_preroll_q2', kind: 'video' }
const DAY_MS = 86_400_000
const SENDERS = 8
const SETTLED = { timeout: 60_000, interval: 200 }

let kafka: TestKafka
let postgres: TestPostgres
let publisher: AdPublisher
let settings: Record<string, unknown>
const counters: Child[] = []
const folders: string[] = []

beforeAll(async () => {
  if (reason !== undefined) return
  kafka = await startKafka()
  postgres = await startPostgres()
  const database = await postgres.createDatabase('ad_log')
  settings = {
    ...{ database, 'ads.events': 'kafka', 'ads.kafka.brokers': kafka.brokers },
    ...{ 'ads.kafka.partitions': 4, 'ads.kafka.replicas': 1 },
  }
  publisher = await startAdPublisher({ flags: { ...settings, 'metrics.port': 0 }, clock: () => new Date() })
  const at = (ms: number) => new Date(Date.now() + ms).toISOString()
  const flight = { startsAt: at(-DAY_MS), endsAt: at(DAY_MS) }
  await publisher.sell('logged', 'image', flight)
  const cap = { max_impressions: 2, per: 'individuals' as const, window: { interval: 1, unit: 'days' as const } }
  await publisher.sell('logged-capped', 'video', {
    ...flight,
    productId: CAPPED.place,
    targeting: { frequency_cap: cap },
  })
}, 300_000)
afterAll(async () => {
  await publisher?.stop()
  await Promise.all(counters.map((each) => each.end('SIGKILL')))
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  await postgres?.stop()
  await kafka?.stop()
})

/** A process that counts, as an operator starts it. */
async function startCounter(): Promise<Child> {
  const port = await freePort()
  const data = mkdtempSync(join(tmpdir(), 'sales-agent-counter-'))
  folders.push(data)
  const words = ['serve', '--only', 'events', '--data', data, '--port', String(port)]
  const environment = {
    SALES_AGENT_DATABASE: String(settings.database),
    SALES_AGENT_ADS_EVENTS: 'kafka',
    SALES_AGENT_ADS_KAFKA_BROKERS: kafka.brokers.join(','),
    ...{ SALES_AGENT_ADS_KAFKA_PARTITIONS: '4', SALES_AGENT_ADS_KAFKA_REPLICAS: '1' },
  }
  const command = [process.execPath, '--import', 'tsx', 'src/cli/sales-agent.ts', ...words]
  const child = await startChild({ command, environment, readyUrl: `http://127.0.0.1:${port}/readyz` })
  counters.push(child)
  return child
}

async function shownOf(slot: object, visitor = 'visitor') {
  const { body } = await publisher.decide({ placements: [slot], visitor_id: visitor, consent: { gdpr: false } })
  return body.placements[0]?.ad?.events
}

async function isAcknowledged(url: string): Promise<boolean> {
  const answer = await fetch(url, { method: 'POST', headers: { 'User-Agent': CHROME } }).catch(() => undefined)
  await answer?.arrayBuffer()
  return answer?.status === 200
}

async function sumOf(kind: string): Promise<number> {
  const { read } = publisher.server.store
  const row = await read
    .selectFrom('embedded_hours')
    .select((e) => e.fn.sum<number | string>('events').as('events'))
    .where('kind', '=', kind)
    .executeTakeFirst()
  return Number(row?.events ?? 0)
}

/** Sends impressions, each of them twice at once, until it is stopped; gives how many were acknowledged. */
function startSending() {
  const acknowledged = { impression: 0 }
  const refused: string[] = []
  let isOn = true
  const senders = Array.from({ length: SENDERS }, async (_, sender) => {
    while (isOn) {
      const events = await shownOf(PLACE, `sender-${sender}`)
      if (events?.impression === undefined) continue
      const { impression } = events
      const both = await Promise.all([isAcknowledged(impression), isAcknowledged(impression)])
      if (both.includes(true)) acknowledged.impression += 1
      else refused.push(impression)
    }
  })
  return {
    acknowledged,
    refused,
    async grow(by: number) {
      const before = acknowledged.impression
      await expect.poll(() => acknowledged.impression, SETTLED).toBeGreaterThan(before + by)
    },
    async stop() {
      isOn = false
      await Promise.all(senders)
    },
  }
}

describe.skipIf(reason !== undefined)('ad events in Kafka', () => {
  it('are counted exactly once, whatever is killed or paused', async () => {
    const first = await startCounter()
    const second = await startCounter()
    const sending = startSending()
    await sending.grow(300)
    await first.end('SIGKILL')
    await sending.grow(300)
    // Longer than a member may be silent: its partitions go to another, and what it still writes is refused.
    const third = await startCounter()
    process.kill(second.pid, 'SIGSTOP')
    await sleep(13_000)
    process.kill(second.pid, 'SIGCONT')
    await sending.grow(300)
    await kafka.crash()
    await sending.grow(300)
    expect(publisher.server.embedded.events.fault()).toMatch(/does not answer/)
    expect((await publisher.server.embedded.spool.contents()).bytes).toBeGreaterThan(0)
    await kafka.start()
    await sending.grow(300)
    await sending.stop()
    expect(sending.refused).toEqual([])
    await expect.poll(() => publisher.server.embedded.events.fault(), SETTLED).toBeUndefined()
    await expect.poll(async () => (await publisher.server.embedded.spool.contents()).bytes, SETTLED).toBe(0)
    await expect.poll(() => sumOf('impression'), SETTLED).toBe(sending.acknowledged.impression)
    // Nothing more comes.
    await sleep(2_000)
    expect(await sumOf('impression')).toBe(sending.acknowledged.impression)
    expect((await inspectStore(publisher.server.store.read)).problems).toEqual([])
    const folder = join(publisher.config.data, 'ad-events')
    expect(existsSync(folder) && readdirSync(folder)).toEqual([])
    await third.end()
    expect((await second.end()).code).toBe(0)
  }, 300_000)

  it('hold frequency caps: a cap is exact while events are counted, and lines with one are silent while they are not', async () => {
    const counter = await startCounter()
    const events = [await cappedAd(), await cappedAd()]
    for (const each of events) expect(await isAcknowledged(each?.impression ?? '')).toBe(true)
    expect(await shownOf(CAPPED, 'capped')).toBeUndefined()
    await counter.end()
    expect(publisher.server.embedded.events.isBehind()).toBe(false)
    let visitors = 0
    const shownToAnother = () => shownOf(CAPPED, `another-${visitors++}`)
    expect(await shownToAnother()).toBeDefined()
    await expect.poll(shownToAnother, { timeout: 90_000, interval: 1_000 }).toBeUndefined()
    expect(await shownOf(PLACE)).toBeDefined()
    await startCounter()
    await expect.poll(shownToAnother, SETTLED).toBeDefined()
  }, 300_000)
})

/** An ad with a cap, once events are counted. */
async function cappedAd() {
  await expect.poll(() => shownOf(PLACE).then(() => publisher.server.embedded.events.isBehind()), SETTLED).toBe(false)
  return shownOf(CAPPED, 'capped')
}
