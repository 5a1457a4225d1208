import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { FRESHNESS } from '../../src/domain/directory/freshness.ts'
import { addDomains, requestRefresh } from '../../src/features/directory/crawl-list.ts'
import { crawl } from '../../src/features/directory/crawler.ts'
import type { Store } from '../../src/store/database.ts'
import { setRecording } from '../../src/store/directory/directory-feed.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import type { CrawlerTask } from '../e2e/crawler-process.ts'
import { type FakeWeb, json, startFakeWeb, wellKnown } from '../support/fake-web/fake-web.ts'
import { grant, property } from '../support/registry-world.ts'

/** `CRAWL_ROUNDS=200 npx vitest run --project extended test/extended/crawl-kills.test.ts` is the long run. */
const ROUNDS = Number(process.env.CRAWL_ROUNDS ?? 5)
const LEASE_MS = 5 * 60_000
/** From one round to the next; the leases of a killed crawler have ended by the middle of it. */
const ROUND_MS = 4 * LEASE_MS
/** The file of every third one never changes, so that its visits end with 304. */
const PUBLISHERS = Array.from({ length: 30 }, (_, n) => ({ domain: `p${n}.example`, changes: n % 3 !== 0 }))
const CHANGING = PUBLISHERS.filter(({ changes }) => changes).length
const AGENTS = ['https://a.example/mcp', 'https://b.example/mcp'] as const

let web: FakeWeb
let store: Store
/** What every clock shows, in Unix milliseconds. */
let now = Date.now()
/** Called with each request of the crawler that is going to be killed. */
let onDoomedRequest = () => {}
const folder = mkdtempSync(join(tmpdir(), 'crawl-kills-'))
const running = new Set<ChildProcess>()

beforeAll(async () => {
  web = await startFakeWeb()
  writeFileSync(join(folder, 'ca.pem'), web.ca)
  store = await openSqlite(join(folder, 'store.sqlite'))
  await store.transaction((tx) => setRecording(tx, true))
})
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL')
  await store?.close()
  await web?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A crawler that has started and waits for its clock. */
interface Doomed {
  readonly process: ChildProcess
  readonly ready: Promise<void>
  readonly ended: Promise<void>
}

function startDoomed(): Doomed {
  const task: CrawlerTask = {
    store: join(folder, 'store.sqlite'),
    port: web.port,
    caFile: join(folder, 'ca.pem'),
    worker: 'doomed',
    aheadMs: null,
  }
  const script = fileURLToPath(new URL('../e2e/crawler-process.ts', import.meta.url))
  const child = spawn(process.execPath, ['--import', 'tsx', script, JSON.stringify(task)], { stdio: ['pipe', 'pipe', 'inherit'] })
  running.add(child)
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  void ended.then(() => running.delete(child))
  const ready = new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve())
    void ended.then(() => reject(new Error('the crawler ended before it was ready')))
  })
  return { process: child, ready, ended }
}

/** Crawls in this process, with the clock of the test. */
async function crawlHere(worker: string) {
  const deps = {
    store,
    fetch: web.fetch({ userAgent: worker }),
    clock: () => new Date(now),
    random: () => 0.5,
    limits: FRESHNESS,
    worker,
    warn: () => undefined,
  }
  return crawl(deps, { concurrency: 4 })
}

function publish(round: number): void {
  for (const { domain, changes } of PUBLISHERS) {
    const url = AGENTS[changes ? round % 2 : 0] ?? ''
    const page = json({ properties: [property()], authorized_agents: [grant({ url })] })
    web.put(wellKnown(domain), (request, response) => {
      if (request.headers['user-agent'] === 'doomed') onDoomedRequest()
      page(request, response)
    })
  }
}

/** The attempts since a moment, by publisher. */
async function attemptsSince(moment: number): Promise<ReadonlyMap<string, number>> {
  const rows = await store.read
    .selectFrom('directory_attempts')
    .select('publisher_domain')
    .where('attempted_at', '>=', new Date(moment).toISOString())
    .execute()
  const counts = new Map(PUBLISHERS.map(({ domain }) => [domain, 0]))
  for (const { publisher_domain } of rows) counts.set(publisher_domain, (counts.get(publisher_domain) ?? 0) + 1)
  return counts
}

async function countEvents(type: string): Promise<number> {
  const rows = await store.read.selectFrom('registry_events').select('sequence').where('event_type', '=', type).execute()
  return rows.length
}

async function claims(): Promise<readonly string[]> {
  const rows = await store.read
    .selectFrom('directory_claims as c')
    .innerJoin('directory_agents as a', 'a.agent_id', 'c.agent_id')
    .select(['a.agent_url', 'c.publisher_domain', 'c.shown'])
    .execute()
  return rows.map((row) => `${row.publisher_domain} ${row.agent_url} ${row.shown}`).sort()
}

it(
  'crawlers are killed at any moment: no visit is lost for longer than a lease, and nothing is written twice',
  async () => {
    const domains = PUBLISHERS.map(({ domain }) => domain)
    await addDomains({ store, clock: () => new Date(now) }, domains)
    let next = startDoomed()
    for (let round = 0; round < ROUNDS; round += 1) {
      const doomed = next
      if (round + 1 < ROUNDS) next = startDoomed()
      const startedAt = now
      publish(round)
      web.forgetRequests()
      await requestRefresh({ store, clock: () => new Date(now) }, domains)

      // Killed at a request that differs from round to round, a few milliseconds later: before, in and after the write of a visit.
      let left = 1 + ((round * 7) % PUBLISHERS.length)
      const due = new Promise<void>((resolve) => {
        onDoomedRequest = () => {
          left -= 1
          if (left === 0) resolve()
        }
      })
      await doomed.ready
      doomed.process.stdin?.write(`${now - Date.now()}\n`)
      await Promise.race([due, doomed.ended])
      await sleep((round % 8) * 4)
      doomed.process.kill('SIGKILL')
      await doomed.ended
      expect(doomed.process.signalCode, 'it did not end by itself').toBe('SIGKILL')

      const { remaining, failed } = await crawlHere('survivor')
      expect(failed, `round ${round}`).toBe(0)
      expect([...new Set(remaining.map(({ owner }) => owner))], `round ${round}`).toEqual(
        remaining.length === 0 ? [] : ['doomed'],
      )
      now += ROUND_MS / 2
      const ended = new Date(now).toISOString()
      expect(remaining.filter(({ until }) => until === null || until > ended)).toEqual([])
      expect(await crawlHere('later'), `round ${round}`).toEqual({
        done: remaining.length,
        failed: 0,
        absent: 0,
        elsewhere: [],
        remaining: [],
      })

      expect(
        [...(await attemptsSince(startedAt))].filter(([, count]) => count !== 1),
        `round ${round}`,
      ).toEqual([])
      const asked = domains.map((domain) => web.requests.filter((url) => url === wellKnown(domain)).length)
      expect(Math.max(...asked), `round ${round}: only what was in hand is asked for twice`).toBeLessThanOrEqual(2)
      expect(await claims()).toEqual(
        PUBLISHERS.map(({ domain, changes }) => `${domain} ${AGENTS[changes ? round % 2 : 0]} authorized`).sort(),
      )
      expect(await countEvents('authorization.granted'), `round ${round}`).toBe(PUBLISHERS.length + round * CHANGING)
      expect(await countEvents('authorization.revoked'), `round ${round}`).toBe(round * CHANGING)
      now += ROUND_MS / 2
    }
  },
  120_000 + ROUNDS * 30_000,
)
