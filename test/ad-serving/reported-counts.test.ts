import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import type { AdServer } from '../../src/ad-serving/ad-server.ts'
import { createCheckedAdServer } from '../../src/ad-serving/checked-ad-server.ts'
import { createCheckedBackend } from '../../src/ad-serving/checked-backend.ts'
import { importReport } from '../../src/ad-serving/reconcile/import-report.ts'
import { NOTHING } from '../../src/domain/media-buy/delivery.ts'
import { currentDelivery } from '../../src/store/ad-serving/delivery-ledger.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { createMemoryAdServer } from '../support/memory-ad-server.ts'

const CPC = { pricing_option_id: 'cpc', pricing_model: 'cpc' as const, fixed_price: 1, currency: 'USD' }

function recordingLog() {
  const said: Record<string, unknown>[] = []
  const note = (facts: Readonly<Record<string, unknown>>) => void said.push(facts)
  return { said, log: { info: () => undefined, error: () => undefined, warn: note } }
}

let agent: MediaBuyAgent | undefined
afterEach(() => agent?.stop())

/** An order on a module whose report can be filled, and the import of it. */
async function startModule() {
  const server = createMemoryAdServer()
  const backend = createCheckedBackend('memory', server.backend, () => false)
  const used = { backend, drift: 'heal' as const, isModule: true }
  const started = await startMediaBuyAgent([productDocument('news', { pricing_options: [CPC], format_ids: [] })], {
    backend: used,
    reconciler: { timing: { everyMs: 3_600_000 } },
  })
  agent = started
  const flight = { start_time: '2026-03-02T00:00:00Z', end_time: '2026-03-12T00:00:00Z' }
  const packages = [{ product_id: 'news', pricing_option_id: 'cpc', budget: 5_000 }]
  const { data } = await started.create({ idempotency_key: randomUUID(), packages, ...flight })
  const [{ package_id: lineExternalId }] = data.packages
  const externalId: string = data.media_buy_id
  // What the ad server reports of lines that it has.
  server.orders.push({ key: { tenantId: started.tenant, externalId }, lines: [{ externalId: lineExternalId }] } as never)
  const { store, clock } = started.server
  const { said, log } = recordingLog()
  const now = new Date('2026-03-12T00:00:00Z')
  const parts = { store, clock: () => (clock() > now ? clock() : now), backends: () => new Map([['memory', used]]), log }
  const ask = { tenantId: started.tenant, adServer: 'memory', mediaBuyIds: [externalId], since: '2020-01-01', callMs: 60_000 }
  return {
    said,
    /** Reports clicks by period, and imports them. */
    report(...rows: readonly (readonly [period: string, clicks: number])[]) {
      server.delivered.splice(0)
      server.delivered.push(...rows.map(([period, clicks]) => ({ ...NOTHING, lineExternalId, period, clicks })))
      return importReport(parts, ask)
    },
    async counted() {
      const rows = await currentDelivery(store.read, started.tenant, [lineExternalId])
      return rows.map(({ period, clicks, spendMicros }) => [period, clicks, spendMicros])
    },
  }
}

describe('what a reconciled module reports', () => {
  it('counts where it can be what was delivered, and is named once in the log where not', async () => {
    const { report, counted, said } = await startModule()
    const done = await report(['2026-03-02', 5], ['2026-03-03', -7], ['2026-03-04', 1.5], ['2099-01-01', 4], ['2026-02-31', 4])
    expect(done).toEqual({
      added: 1,
      refused: expect.stringMatching(/^4 rows do not count, the first: line .+: clicks of 2026-03-03 is -7; it has to be/),
    })
    await report(['2026-03-05', -1])
    expect(await counted()).toEqual([['2026-03-02', 5, 5_000_000]])
    expect(said).toEqual([expect.objectContaining({ adServer: 'memory', reason: done.refused })])
  })

  it('counts a day or its hours, never both, in one report or several', async () => {
    const { report, counted } = await startModule()
    expect(await report(['2026-03-02T10', 5], ['2026-03-02', 9], ['2026-03-03T10', 5])).toMatchObject({
      added: 2,
      refused: expect.stringContaining('2026-03-02T10 is an hour of a day that counts as a whole'),
    })
    expect(await report(['2026-03-02T11', 4], ['2026-03-03', 9], ['2026-03-03T11', 2])).toMatchObject({ added: 1 })
    expect(await counted()).toEqual([
      ['2026-03-02', 9, 9_000_000],
      ['2026-03-03T10', 5, 5_000_000],
      ['2026-03-03T11', 2, 2_000_000],
    ])
    // One that changes what it counts by says first that nothing is left of the day.
    await report(['2026-03-02', 0])
    expect(await report(['2026-03-02T11', 4])).toEqual({ added: 1, refused: undefined })
  })

  it('is imported in turns: ten thousand hours of one line hold up nobody', async () => {
    const { report, counted } = await startModule()
    const hours = Array.from({ length: 10_000 }, (_, at) => new Date(Date.UTC(2025, 0, 1, at)).toISOString().slice(0, 13))
    let turns = 0
    let isOver = false
    const turn = () => {
      turns++
      if (!isOver) setImmediate(turn)
    }
    setImmediate(turn)
    expect(await report(...hours.map((hour) => [hour, 1] as const))).toEqual({ added: 10_000, refused: undefined })
    isOver = true
    expect(turns).toBeGreaterThan(20)
    expect(await counted()).toHaveLength(10_000)
  }, 60_000)
})

it('days that a module reports when it is asked count where they can be what was delivered', async () => {
  const { said, log } = recordingLog()
  const day = { ...NOTHING, impressions: 1 }
  const days: readonly unknown[] = [
    { ...day, day: '2026-03-02' },
    { day: '2026-03-03', impressions: 2 },
    { ...day, day: '2026-03-04', spendMicros: 0.5 },
    { ...day, day: '2026-03-04', clicks: -1 },
    { ...day, day: '2026-03-04T10' },
    { ...day, day: '2026-04-04' },
  ]
  const inner = { name: 'module', description: 'x', simulated: false, reportDelivery: async () => [{ packageId: 'p', days }] }
  const server = createCheckedAdServer('module', inner as unknown as AdServer, () => false, log)
  for (const _time of [1, 2])
    expect(await server.reportDelivery([], new Date('2026-03-05T00:00:00Z'))).toEqual([
      {
        packageId: 'p',
        days: [
          { ...day, day: '2026-03-02' },
          { ...day, day: '2026-03-03', impressions: 2 },
        ],
      },
    ])
  expect(said).toEqual([
    expect.objectContaining({
      reason: expect.stringMatching(/^4 rows do not count, the first: line p: spendMicros of 2026-03-04 is 0.5/),
    }),
  ])
})
