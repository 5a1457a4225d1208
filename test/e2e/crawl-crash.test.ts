import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { addDomains } from '../../src/features/directory/crawl-list.ts'
import type { CrawlTotals } from '../../src/features/directory/crawler.ts'
import type { Store } from '../../src/store/database.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { type FakeWeb, json, startFakeWeb, wellKnown } from '../support/fake-web/fake-web.ts'
import type { CrawlerTask } from './crawler-process.ts'

const AGENT = 'https://agent.example/mcp'
const PUBLISHERS = 60
/** As many as a crawler refreshes at once (`crawler-process.ts`): the killed one finishes so many, and holds as many when it is killed. */
const AT_ONCE = 4
/** Longer than a lease. */
const LATER_MS = 6 * 60_000
const domains = Array.from({ length: PUBLISHERS }, (_, index) => `pub-${index}.example`)

let web: FakeWeb
let folder: string
let store: Store
beforeAll(async () => {
  web = await startFakeWeb()
  folder = mkdtempSync(join(tmpdir(), 'crawl-crash-'))
  writeFileSync(join(folder, 'ca.pem'), web.ca)
  store = await openSqlite(join(folder, 'store.sqlite'))
})
afterAll(async () => {
  await store.close()
  await web.close()
  rmSync(folder, { recursive: true, force: true })
})

interface Crawler {
  readonly process: ChildProcess
  /** Resolves when it has refreshed this many publishers. */
  reached(count: number): Promise<void>
  readonly ended: Promise<CrawlTotals | undefined>
}

function startCrawler(worker: string, { aheadMs = 0, here = false, file = 'store.sqlite' } = {}): Crawler {
  const task: CrawlerTask = {
    store: join(folder, file),
    port: web.port,
    caFile: join(folder, 'ca.pem'),
    worker,
    here,
    aheadMs,
  }
  const script = fileURLToPath(new URL('crawler-process.ts', import.meta.url))
  const child = spawn(process.execPath, ['--import', 'tsx', script, JSON.stringify(task)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (data: Buffer) => {
    output += data.toString()
  })
  const ended = new Promise<CrawlTotals | undefined>((resolve) => {
    child.once('close', () => {
      const end = /^end (.*)$/m.exec(output)?.[1]
      resolve(end === undefined ? undefined : JSON.parse(end))
    })
  })
  const reached = (count: number) =>
    new Promise<void>((resolve, reject) => {
      const look = () => output.includes(`done ${count}\n`) && resolve()
      child.stdout.on('data', look)
      child.once('close', () => reject(new Error(`${worker} ended before it had refreshed ${count}: ${output}`)))
      look()
    })
  return { process: child, reached, ended }
}

const verified = async () =>
  (await store.read.selectFrom('directory_claims').select('publisher_domain').where('shown', '=', 'authorized').execute()).map(
    (row) => row.publisher_domain,
  )

/** Every claim about some publishers, without its times. */
async function timeless({ read }: Store, publishers: readonly string[]) {
  const rows = await read.selectFrom('directory_claims').selectAll().where('publisher_domain', 'in', publishers).execute()
  const members = rows.map((row) => Object.entries(row).filter(([name]) => !name.endsWith('_at')))
  return members.map((each) => JSON.stringify(each.toSorted()).replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')).toSorted()
}

it('a crawler killed with its work in hand strands nothing: the others go on, and its publishers follow when its leases end', async () => {
  const file = (domain: string) => ({
    properties: [
      { property_type: 'website', name: 'Site', identifiers: [{ type: 'domain', value: domain }], property_id: 'home' },
    ],
    authorized_agents: [{ url: AGENT, authorized_for: 'all', authorization_type: 'property_ids', property_ids: ['home'] }],
  })
  let answered = 0
  const held = new Set<string>()
  let fillHands = () => {}
  const handsFull = new Promise<void>((resolve) => {
    fillHands = resolve
  })
  for (const domain of domains) {
    const page = json(file(domain))
    web.put(wellKnown(domain), (request, response) => {
      const crawler = request.headers['user-agent']
      if (crawler === 'doomed' && answered < AT_ONCE) {
        answered += 1
        page(request, response)
      } else if (crawler === 'doomed') {
        // It waits for this answer until it is killed.
        if (held.add(domain).size === AT_ONCE) fillHands()
      } else {
        void handsFull.then(() => page(request, response))
      }
    })
  }
  await addDomains({ store, clock: () => new Date() }, domains)

  const doomed = startCrawler('doomed')
  const survivor = startCrawler('survivor')
  await Promise.all([handsFull, doomed.reached(AT_ONCE), survivor.reached(1)])
  doomed.process.kill('SIGKILL')
  expect(await doomed.ended).toBeUndefined()
  const totals = await survivor.ended
  expect(totals?.failed).toBe(0)

  const reached = new Set(await verified())
  const stranded = domains.filter((domain) => !reached.has(domain))
  expect(stranded.sort(), 'what the killed one had in hand, and nothing else').toEqual([...held].sort())
  const atOnce = await startCrawler('at once').ended
  expect(atOnce, 'leases of the killed one still hold').toMatchObject({ done: 0, failed: 0, absent: 0 })
  expect(atOnce?.remaining.map(({ domain, owner }) => `${domain} ${owner}`).sort()).toEqual(
    stranded.map((domain) => `${domain} doomed`).sort(),
  )

  const later = startCrawler('later', { aheadMs: LATER_MS })
  expect(await later.ended).toEqual({ done: stranded.length, failed: 0, absent: 0, elsewhere: [], remaining: [] })
  expect((await verified()).sort()).toEqual([...domains].sort())
  const asked = domains.map((domain) => web.requests.filter((url) => url === wellKnown(domain)).length)
  expect(Math.max(...asked), 'only what was in hand is asked for twice').toBeLessThanOrEqual(2)
})

it('what a crawler that was killed on this machine had in hand is taken over at once, the file that it was fetching too', async () => {
  const shared = 'https://files.example/shared.json'
  const managed = ['managed-0.example', 'managed-1.example']
  const page = json({
    properties: managed.map((domain) => ({
      property_type: 'website',
      name: 'Site',
      identifiers: [{ type: 'domain', value: domain }],
      property_id: 'home',
      publisher_domain: domain,
    })),
    authorized_agents: [{ url: AGENT, authorized_for: 'all', authorization_type: 'property_ids', property_ids: ['home'] }],
  })
  for (const domain of managed) web.put(wellKnown(domain), { authoritative_location: shared })
  const asked = new Promise<void>((resolve) => {
    web.put(shared, (request, response) => (request.headers['user-agent'] === 'doomed' ? resolve() : page(request, response)))
  })
  await addDomains({ store, clock: () => new Date() }, managed)
  const doomed = startCrawler('doomed', { here: true })
  await asked
  doomed.process.kill('SIGKILL')
  await doomed.ended
  expect(await startCrawler('next', { here: true }).ended).toEqual({
    done: 2,
    failed: 0,
    absent: 0,
    elsewhere: [],
    remaining: [],
  })
  expect(await verified()).toEqual(expect.arrayContaining(managed))

  // The rows are those of a crawl that nobody interrupted, but for their times.
  const undisturbed = await openSqlite(join(folder, 'undisturbed.sqlite'))
  await addDomains({ store: undisturbed, clock: () => new Date() }, managed)
  expect(await startCrawler('alone', { file: 'undisturbed.sqlite' }).ended).toEqual({
    done: 2,
    failed: 0,
    absent: 0,
    elsewhere: [],
    remaining: [],
  })
  const rows = await timeless(store, managed)
  expect(rows.length).toBeGreaterThanOrEqual(2)
  expect(rows).toEqual(await timeless(undisturbed, managed))
  await undisturbed.close()
})
