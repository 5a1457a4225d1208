import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inspectStore } from '../../src/store/inspect/inspect.ts'
import { startPostgres, type TestPostgres } from '../../tools/agent/postgres.ts'
import { type AdPublisher, CHROME, startAdPublisher } from '../support/ad-publisher.ts'

/** Ads of an agent whose PostgreSQL goes away under load. */
let postgres: TestPostgres
let publisher: AdPublisher

const PLACE = { place: 'news_homepage_display', sizes: ['970x250'] }
const CAPPED = { place: 'sports_preroll_q2', kind: 'video' }
const VISITOR = { visitor_id: 'visitor', consent: { gdpr: false } }
const SENDERS = 8

beforeAll(async () => {
  postgres = await startPostgres()
  const database = await postgres.createDatabase('ad_events_outage')
  publisher = await startAdPublisher({ flags: { database, 'metrics.port': 0 } })
  await publisher.sell('outage', 'image')
  await publisher.sell('outage-capped', 'video', {
    productId: CAPPED.place,
    targeting: { frequency_cap: { max_impressions: 50, per: 'individuals', window: { interval: 1, unit: 'days' } } },
  })
}, 120_000)
afterAll(async () => {
  await publisher?.stop()
  await postgres?.stop()
})

async function shownOf(slot: object): Promise<string | undefined> {
  const { body } = await publisher.decide({ placements: [slot], ...VISITOR })
  return body.placements[0]?.ad?.events.impression
}

async function statusOf(url: string): Promise<number> {
  const answer = await fetch(url, { method: 'POST', headers: { 'User-Agent': CHROME } })
  await answer.arrayBuffer()
  return answer.status
}

function impressionsOf(urls: readonly string[]): readonly string[] {
  return urls.map((url) => new URL(url).searchParams.get('t') ?? '').sort()
}

async function loggedImpressions(): Promise<number> {
  const { read } = publisher.server.store
  const { events } = await read
    .selectFrom('embedded_events')
    .select((e) => e.fn.countAll().as('events'))
    .where('kind', '=', 'impression')
    .executeTakeFirstOrThrow()
  return Number(events)
}

describe('ads while PostgreSQL is away', () => {
  it('lose no acknowledged event and count none twice; lines with a cap stay silent', async () => {
    expect(await shownOf(CAPPED)).toBeDefined()
    const acknowledged: string[] = []
    const refused: number[] = []
    let isOn = true
    const senders = Array.from({ length: SENDERS }, async () => {
      while (isOn) {
        const url = await shownOf(PLACE)
        if (url === undefined) throw new Error('no ad')
        // Twice, as a page does that got no answer.
        const [first, second] = await Promise.all([statusOf(url), statusOf(url)])
        if (first === 200 || second === 200) acknowledged.push(url)
        else refused.push(first)
      }
    })
    const grown = async (by: number) => {
      const before = acknowledged.length
      await expect.poll(() => acknowledged.length, { timeout: 30_000 }).toBeGreaterThan(before + by)
    }
    await grown(100)
    await postgres.crash()
    await grown(300)
    expect(await shownOf(CAPPED)).toBeUndefined()
    const { port } = { port: publisher.server.metricsPort }
    const numbers = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    expect(numbers).toMatch(/\nadcp_ad_spool_bytes [1-9]/)
    expect(numbers).toMatch(/\nadcp_ad_events_total\{result="spooled"\} [1-9]/)
    await postgres.start()
    await grown(100)
    isOn = false
    await Promise.all(senders)
    await expect.poll(() => publisher.server.embedded.events.isBehind(), { timeout: 30_000 }).toBe(false)
    expect(refused).toEqual([])
    expect(new Set(impressionsOf(acknowledged)).size).toBe(acknowledged.length)
    expect(await loggedImpressions()).toBe(acknowledged.length)
    expect((await inspectStore(publisher.server.store.read)).problems).toEqual([])
    const folder = join(publisher.config.data, 'ad-events')
    expect(existsSync(folder) && readdirSync(folder)).toEqual([])
    await expect.poll(() => shownOf(CAPPED), { timeout: 10_000 }).toBeDefined()
  }, 120_000)
})
