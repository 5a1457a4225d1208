import { afterEach, beforeEach, expect, test } from 'vitest'
import { importDelivery } from '../../../src/ad-serving/reconcile/import-delivery.ts'
import { reconcileDue } from '../../../src/ad-serving/reconcile/reconciler.ts'
import type { DeliveryRow } from '../../../src/domain/ad-serving/delivery-row.ts'
import { NOTHING } from '../../../src/domain/media-buy/delivery.ts'
import { dueReports } from '../../../src/store/ad-serving/ad-server-reports.ts'
import { deliveryRevisions } from '../../../src/store/ad-serving/delivery-ledger.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'
import { createMemoryAdServer } from '../../support/memory-ad-server.ts'

const DAY = 86_400_000
const HOUR = 3_600_000
const CREATED = Date.parse('2026-03-01T12:00:00Z')
const START = Date.parse('2026-03-02T00:00:00Z')
const END = Date.parse('2026-03-12T00:00:00Z')

let agent: MediaBuyAgent
let packageId: string
/** First days that reports were asked for. */
let asked: string[]
let isConfigured: boolean
/** What the ad server fails with. */
let down: Error | undefined
let delivered: DeliveryRow[]

beforeEach(async () => {
  asked = []
  isConfigured = true
  down = undefined
  delivered = []
  const { backend } = createMemoryAdServer({
    async report({ since }) {
      asked.push(since)
      if (down) throw down
      return { rows: delivered }
    },
  })
  agent = await startMediaBuyAgent([productDocument('news')], {
    backend: { backend, drift: 'leave' },
    reconciler: { timing: { everyMs: HOUR } },
  })
  agent.setClock(new Date(CREATED).toISOString())
  const flight = { start_time: new Date(START).toISOString(), end_time: new Date(END).toISOString() }
  const { data } = await agent.create(flight)
  packageId = data.packages[0].package_id
  await reconcileDue(parts())
})
afterEach(() => agent.stop())

function parts() {
  const { store, services, clock, log } = agent.server
  const backends: typeof services.adServers.backends = (tenantId) =>
    isConfigured ? services.adServers.backends(tenantId) : new Map()
  return { store, clock, log, backends }
}

async function importAt(at: number): Promise<void> {
  agent.setClock(new Date(at).toISOString())
  await importDelivery(parts(), { reportMs: 15 * 60_000, retryMs: 1, callMs: 10_000 })
}

const due = (at: number) => dueReports(agent.server.store.read, new Date(at), 10)

function deliver(day: string, impressions: number) {
  delivered.push({ ...NOTHING, lineExternalId: packageId, period: day, impressions, spendMicros: impressions })
}

async function ledger() {
  const rows = await deliveryRevisions(agent.server.store.read, agent.tenant, packageId, 10)
  return rows.map(({ period, impressions }) => [period, impressions])
}

const DOWN = new Error('the ad server is away')

test('the last report of an order is asked for until it is taken, and then no more', async () => {
  await importAt(START + HOUR)
  deliver('2026-03-11', 500)
  down = DOWN
  const lastAt = END + 31 * DAY
  await importAt(lastAt)
  expect(await ledger()).toEqual([])
  expect(await due(lastAt + HOUR)).toHaveLength(1)
  down = undefined
  await importAt(lastAt + HOUR)
  expect(await ledger()).toEqual([['2026-03-11', 500]])
  expect(await due(lastAt + 100 * DAY)).toEqual([])
})

test('a report goes back to the last one that was taken, before its days of corrections', async () => {
  await importAt(START)
  down = DOWN
  for (let day = 1; day <= 40; day++) await importAt(START + day * DAY)
  down = undefined
  asked = []
  await importAt(START + 41 * DAY)
  expect(asked).toEqual([new Date(START - 8 * DAY).toISOString().slice(0, 10)])
})

test('a first report begins before the flight, however long the ad server was away', async () => {
  down = DOWN
  await importAt(START)
  down = undefined
  asked = []
  await importAt(START + 20 * DAY)
  expect(asked).toEqual([new Date(START - 8 * DAY).toISOString().slice(0, 10)])
  asked = []
  await importAt(START + 21 * DAY)
  expect(asked).toEqual([new Date(START + 12 * DAY).toISOString().slice(0, 10)])
})

test('an ad server that is not configured meanwhile is asked for what was missed', async () => {
  deliver('2026-03-11', 500)
  isConfigured = false
  await importAt(END + 31 * DAY)
  isConfigured = true
  await importAt(END + 31 * DAY + HOUR)
  expect(await ledger()).toEqual([['2026-03-11', 500]])
})

test('an ad server that is gone for good is asked for no report in the end', async () => {
  down = DOWN
  await importAt(END + 61 * DAY)
  expect(await due(END + 200 * DAY)).toEqual([])
})
