import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { FRESHNESS } from '../../src/domain/directory/freshness.ts'
import { addDomains, requestRefresh } from '../../src/features/directory/crawl-list.ts'
import { crawl } from '../../src/features/directory/crawler.ts'
import type { Store } from '../../src/store/database.ts'
import { setRecording } from '../../src/store/directory/directory-feed.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { type FakeWeb, json, startFakeWeb, wellKnown } from '../support/fake-web/fake-web.ts'
import { grant, property } from '../support/registry-world.ts'

/** `FEED_ROUNDS=100 npx vitest run --project extended test/extended/feed-kills.test.ts` is the long run. */
const ROUNDS = Number(process.env.FEED_ROUNDS ?? 6)
const CHANGES = 12
const PUBLISHERS = Array.from({ length: 20 }, (_, n) => `p${n}.example`)
const AGENTS = ['https://a.example/mcp', 'https://b.example/mcp', 'https://c.example/mcp']

let web: FakeWeb
let store: Store
let port: number
const folder = mkdtempSync(join(tmpdir(), 'feed-kills-'))
const file = (name: string) => join(folder, name)
const running = new Set<ChildProcess>()
/** What node and follower write to stderr: a process that ends by itself says why. */
const errors = openSync(file('errors.log'), 'a')

beforeAll(async () => {
  web = await startFakeWeb()
  store = await openSqlite(file('sales-agent.sqlite'))
  await store.transaction((tx) => setRecording(tx, true))
  port = await freePort()
})
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL')
  await store?.close()
  await web?.close()
  closeSync(errors)
  rmSync(folder, { recursive: true, force: true })
})

/** A port that the node gets again after each kill: below those that this machine gives to outgoing connections (from 32768 on Linux). */
async function freePort(): Promise<number> {
  for (let port = 20_000 + (process.pid % 10_000); port < 32_768; port += 1) {
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
    })
    if (isFree) return port
  }
  throw new Error('no port is free')
}

function start(script: string, ...words: string[]): ChildProcess {
  const child = spawn(process.execPath, ['--import', 'tsx', script, ...words], {
    stdio: ['ignore', 'ignore', errors],
    env: {
      ...process.env,
      SALES_AGENT_MODE: 'development',
      SALES_AGENT_DIRECTORY_FEED: 'true',
      SALES_AGENT_DIRECTORY_REQUESTS_PER_ADDRESS: '1000000',
    },
  })
  running.add(child)
  child.once('close', () => running.delete(child))
  return child
}
const startNode = () => start('src/cli/sales-agent.ts', 'serve', '--data', folder, '--port', String(port))
const startFollower = () => start('test/support/feed-follower.ts', `http://127.0.0.1:${port}`, file('state.json'), ...AGENTS)

async function kill(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('close', resolve))
  child.kill('SIGKILL')
  await ended
}

/** Grants that move with every call: each publisher names some of the agents. */
async function change(turn: number): Promise<void> {
  const deps = {
    store,
    fetch: web.fetch(),
    clock: () => new Date(),
    random: () => 0.5,
    limits: FRESHNESS,
    worker: 'test',
    warn: () => undefined,
  }
  const domain = PUBLISHERS[turn % PUBLISHERS.length] ?? ''
  const agents = AGENTS.filter((_, index) => (turn >> index) % 2 === 0)
  web.put(wellKnown(domain), json({ properties: [property()], authorized_agents: agents.map((url) => grant({ url })) }))
  await addDomains(deps, [domain])
  await requestRefresh(deps, [domain])
  await crawl(deps, { concurrency: 1, domain, maxAgeMs: 0 })
}

/** What a follower holds; nothing before its first load. */
function heldBy({ pid }: ChildProcess): readonly string[] | undefined {
  if (!existsSync(file('state.json'))) return undefined
  const state: { readonly pid: number; readonly held: readonly string[] } = JSON.parse(readFileSync(file('state.json'), 'utf8'))
  return state.pid === pid ? state.held : undefined
}

async function indexed(): Promise<readonly string[]> {
  const rows = await store.read
    .selectFrom('directory_claims as c')
    .innerJoin('directory_agents as a', 'a.agent_id', 'c.agent_id')
    .select(['a.agent_url', 'c.publisher_domain'])
    .where('c.shown', '=', 'authorized')
    .execute()
  return rows.map((row) => `${row.agent_url} ${row.publisher_domain}`).sort()
}

it(
  'the official follower and the node are killed in turns: no event is missed, none counts twice',
  async () => {
    let node = startNode()
    let follower = startFollower()
    for (let round = 0; round < ROUNDS; round += 1) {
      const killed = sleep((round * 37) % 250).then(async () => {
        if (round % 2 === 0) {
          await kill(node)
          node = startNode()
        } else {
          await kill(follower)
          follower = startFollower()
        }
      })
      for (let each = 0; each < CHANGES; each += 1) await change(round * CHANGES + each)
      await killed
      const wanted = await indexed()
      for (let waited = 0; JSON.stringify(heldBy(follower)) !== JSON.stringify(wanted); waited += 1) {
        if (waited > 1_800) {
          const ended = [node, follower].map(({ exitCode, signalCode }) => exitCode ?? signalCode ?? 'running')
          const said = readFileSync(file('errors.log'), 'utf8').slice(-2_000)
          expect(heldBy(follower), `round ${round}; node ${ended[0]}, follower ${ended[1]}; stderr: ${said}`).toEqual(wanted)
        }
        await sleep(100)
      }
    }
  },
  120_000 + ROUNDS * 30_000,
)
