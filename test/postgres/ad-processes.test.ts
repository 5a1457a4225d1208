import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEmbeddedBackend } from '../../src/ad-serving/embedded/embedded-backend.ts'
import type { LineSettings } from '../../src/domain/ad-serving/desired-order.ts'
import { listEmbeddedTotals } from '../../src/store/embedded/reports.ts'
import { openPostgres, type PostgresStore } from '../../src/store/postgres/postgres.ts'
import { CommandLine, type Served } from '../../tools/agent/command-line.ts'
import { startPostgres, type TestPostgres } from '../../tools/agent/postgres.ts'
import { CHROME, LINE } from '../support/ad-publisher.ts'

/** Two processes that serve ads alone, on one PostgreSQL, without anything between them. */
let postgres: TestPostgres
let store: PostgresStore
let line: CommandLine
let servers: readonly [Served, Served]

const TENANT = 'demo'
const DAY = 86_400_000
const PATIENCE = 120_000

beforeAll(async () => {
  postgres = await startPostgres()
  const url = await postgres.createDatabase('ad_processes')
  line = new CommandLine({ SALES_AGENT_DATABASE: url, SALES_AGENT_LOG_LEVEL: 'error', SALES_AGENT_MODE: 'development' })
  await line.json('init', '--demo')
  store = await openPostgres(url)
  await sell('capped', 'capped_place', {
    targeting: { frequency_cap: { max_impressions: 3, per: 'individuals', window: { interval: 1, unit: 'days' } } },
  })
  // A hundred impressions at 10 a thousand.
  await sell('limited', 'limited_place', { budgetMicros: 1_000_000 })
  servers = [await line.serve(['--only', 'ads']), await line.serve(['--only', 'ads'])]
}, PATIENCE)
afterAll(async () => {
  await line?.close()
  await store?.close()
  await postgres?.stop()
})

/** Writes an order of one line that is shown in a place of its own. */
async function sell(id: string, productId: string, settings: Partial<LineSettings>): Promise<void> {
  const backend = createEmbeddedBackend({
    places: { countries: true, regions: true },
    store,
    clock: () => new Date(),
    reportEveryMs: 60_000,
    liveEveryMs: 2_000,
    timeZoneOf: async () => 'UTC',
    placesOf: async () => [],
    formatOf: async () => undefined,
    listInventory: async () => ({ units: [] }),
  })
  const order = { tenantId: TENANT, externalId: id }
  const [startsAt = '', endsAt = ''] = [-1, 1].map((days) => new Date(Date.now() + days * DAY).toISOString())
  const own = { ...LINE, productId, startsAt, endsAt, ...settings }
  await backend.putOrder(order, {
    name: id,
    advertiserId: 'a',
    currency: 'USD',
    budgetMicros: own.budgetMicros,
    startsAt,
    endsAt,
  })
  await backend.putCreative(order, {
    externalId: id,
    name: id,
    contentVersion: '1',
    formatId: { agent_url: 'https://formats.example/mcp', id: 'banner' },
    assets: { image: { asset_type: 'image', url: 'https://cdn.example/a.png', width: 300, height: 250, format: 'png' } },
  })
  await backend.putLine(order, { externalId: `${id}-line` }, own)
  await backend.associate(order, { externalId: `${id}-line` }, [{ creativeExternalId: id, weight: null, placementIds: null }])
  await backend.setLineState(order, { externalId: `${id}-line` }, 'active')
}

/** Asks a process for one ad: the path of its impression, or undefined. */
async function ask(server: Served, place: string, visitor_id: string): Promise<string | undefined> {
  const body = { placements: [{ place, sizes: ['300x250'] }], visitor_id, consent: { gdpr: false } }
  const answer = await fetch(`${server.origin}/ads/${TENANT}/decide`, {
    method: 'POST',
    headers: { 'User-Agent': CHROME },
    body: JSON.stringify(body),
  })
  const { placements }: { placements: { ad: { events: { impression: string } } | null }[] } = Object(await answer.json())
  const url = placements[0]?.ad?.events.impression
  if (url === undefined) return undefined
  const { pathname, search } = new URL(url)
  return pathname + search
}

const count = async (server: Served, path: string) =>
  expect((await fetch(server.origin + path, { method: 'POST', headers: { 'User-Agent': CHROME } })).status).toBe(200)

async function shownOf(externalId: string): Promise<number> {
  const { line_id } = await store.read
    .selectFrom('embedded_lines')
    .select('line_id')
    .where('anchor', '=', `${externalId}-line`)
    .executeTakeFirstOrThrow()
  const totals = await listEmbeddedTotals(store.read, TENANT)
  return totals.find((row) => row.lineId === line_id && row.kind === 'impression')?.events ?? 0
}

describe('two processes that serve ads on one PostgreSQL', () => {
  it('never show a visitor more than a frequency cap allows, however many pages load at once', async () => {
    const visitors = Array.from({ length: 5 }, (_, index) => `visitor-${index}`)
    const pages = visitors.flatMap((visitor) =>
      Array.from({ length: 12 }, async (_, page) => {
        const [first, second] = page % 2 === 0 ? servers : [servers[1], servers[0]]
        const path = await ask(first, 'capped_place', visitor)
        // What one process decided on, the other counts; twice.
        if (path !== undefined) await Promise.all([count(second, path), count(second, path)])
        return path === undefined ? undefined : visitor
      }),
    )
    const shown = (await Promise.all(pages)).filter((visitor) => visitor !== undefined)
    for (const visitor of visitors) expect(shown.filter((each) => each === visitor)).toHaveLength(3)
    expect(await shownOf('capped')).toBe(3 * visitors.length)
    for (const server of servers) expect(await ask(server, 'capped_place', 'visitor-0')).toBeUndefined()
  })

  it('keep a cap when one of them is killed and started again', async () => {
    const [first] = servers
    await first.end('SIGKILL')
    servers = [await line.serve(['--only', 'ads']), servers[1]]
    expect(await ask(servers[0], 'capped_place', 'visitor-1')).toBeUndefined()
    expect(await ask(servers[0], 'capped_place', 'somebody-new')).toBeDefined()
  })

  it('learn what the other delivered, and over-deliver by no more than was decided until then', async () => {
    const [first, second] = servers
    // Both have the line in memory.
    for (const server of servers) await expect.poll(() => ask(server, 'limited_place', 'v')).toBeDefined()
    for (let shown = await shownOf('limited'); shown < 100; shown += 1) {
      const path = await ask(first, 'limited_place', 'v')
      if (path === undefined) break
      await count(first, path)
    }
    // Those that were decided on above and never shown hold their place for a while.
    const delivered = await shownOf('limited')
    expect(delivered).toBeGreaterThanOrEqual(98)
    expect(delivered).toBeLessThanOrEqual(100)
    // Ten pages a second: what the second process shows before it has heard of it.
    let late = 0
    for (let silent = 0; silent < 5 && late < 100; ) {
      const path = await ask(second, 'limited_place', 'v')
      if (path === undefined) silent += 1
      else {
        silent = 0
        late += 1
        await count(second, path)
      }
      await sleep(100)
    }
    expect(late).toBeLessThanOrEqual(30)
    const now = await shownOf('limited')
    expect(now).toBe(delivered + late)
    for (const server of servers) expect(await ask(server, 'limited_place', 'v')).toBeUndefined()
  })
})
