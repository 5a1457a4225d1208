import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { prepareAdStore, SERVED_PLACE } from '../../tools/ad-kills/prepare.ts'
import { type Child, freePort, startChild } from '../../tools/agent/child.ts'
import { BUILT_COMMAND } from '../../tools/agent/start-agent.ts'

/** What `wrk` saw of one address, and what it cost the server. */
export interface HttpFigures {
  readonly requests: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Answers other than 200, and requests without one. */
  readonly failures: number
  /** Processor time of the server for a request, microseconds. */
  readonly cpuUs: number
}

export interface OverHttpFigures {
  readonly processes: number
  /** Of the processes together; each event is new, and answered when it is durable. */
  readonly events: readonly HttpFigures[]
  /** Requests for one place. */
  readonly decisions: HttpFigures
  readonly counted: number
}

const CONNECTIONS = 64
const SECONDS = 6
/** Places of one request for ads. */
const PLACES = 20
const AT_ONCE = 8
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'

/**
 * Decisions and events of processes that serve ads alone, on one SQLite file, by HTTP from `wrk` on the same machine. `events`: so many are made for each process; more than it takes. Throws when
 * the log does not have what was answered.
 */
export async function measureOverHttp(processes: number, events: number): Promise<OverHttpFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-ads-http-'))
  const data = join(folder, 'data')
  const servers: { readonly child: Child; readonly origin: string }[] = []
  try {
    await prepareAdStore(BUILT_COMMAND, folder, data)
    for (let index = 0; index < processes; index += 1) servers.push(await start(data))
    const scripts: string[] = []
    for (const [index, { origin }] of servers.entries()) {
      const paths = await eventPaths(origin, events)
      scripts.push(written(folder, `events-${index}`, eventScript(paths)))
    }
    const counts = await Promise.all(servers.map((server, index) => measured(server, scripts[index] ?? '')))
    const [first] = servers
    if (!first) throw new Error('at least one process is needed')
    const body = JSON.stringify({ placements: [SERVED_PLACE] })
    const decisions = await measured(first, written(folder, 'decisions', decisionScript(body)))
    await Promise.all(servers.map(({ child }) => child.end()))
    const counted = await countedIn(data)
    const answered = counts.reduce((sum, { requests, failures }) => sum + requests - failures, 0)
    // What was on its way when wrk ended is in the log without an answer.
    if (counted < answered || counted > answered + CONNECTIONS * processes)
      throw new Error(`${answered} events were answered with 200, ${counted} are in the log`)
    return { processes, events: counts, decisions, counted }
  } finally {
    await Promise.all(servers.map(({ child }) => child.end('SIGKILL')))
    rmSync(folder, { recursive: true, force: true })
  }
}

async function start(data: string): Promise<{ child: Child; origin: string }> {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const child = await startChild({
    command: [...BUILT_COMMAND, 'serve', '--only', 'ads', '--data', data, '--port', String(port)],
    // A development server exempts this machine from limits.
    environment: { SALES_AGENT_MODE: 'development' },
    readyUrl: `${origin}/readyz`,
  })
  return { child, origin }
}

/** Paths of impressions that were never sent. */
async function eventPaths(origin: string, count: number): Promise<string[]> {
  const paths: string[] = []
  const body = JSON.stringify({ placements: Array.from({ length: PLACES }, () => SERVED_PLACE) })
  const ask = async () => {
    const answer = await fetch(`${origin}/ads/demo/decide`, { method: 'POST', headers: { 'User-Agent': BROWSER }, body })
    const { placements = [] }: { placements?: { ad: { events: { impression: string } } | null }[] } = Object(await answer.json())
    const urls = placements.flatMap(({ ad }) => (ad ? [new URL(ad.events.impression)] : []))
    if (urls.length === 0) throw new Error(`the process at ${origin} answered without an ad`)
    return urls.map(({ pathname, search }) => pathname + search)
  }
  while (paths.length < count) paths.push(...(await Promise.all(Array.from({ length: AT_ONCE }, ask))).flat())
  return paths.slice(0, count)
}

async function measured({ child, origin }: { child: Child; origin: string }, script: string): Promise<HttpFigures> {
  const before = child.cpuMs()
  const words = ['--threads', '1', '--connections', String(CONNECTIONS), '--duration', `${SECONDS}s`, '--timeout', '10s']
  const { stdout } = await promisify(execFile)('wrk', [...words, '--script', script, origin])
  const said: { requests: number; us: number; p50: number; p99: number; failed: number; spent: number } = JSON.parse(
    stdout.split('\n').find((line) => line.startsWith('{')) ?? stdout,
  )
  if (said.spent > 0) throw new Error('the events did not last: a larger number of them is needed')
  return {
    requests: said.requests,
    perSecond: (said.requests * 1e6) / said.us,
    p50Ms: said.p50 / 1000,
    p99Ms: said.p99 / 1000,
    failures: said.failed,
    cpuUs: ((child.cpuMs() - before) * 1000) / said.requests,
  }
}

function written(folder: string, name: string, text: string): string {
  const path = join(folder, `${name}.lua`)
  writeFileSync(path, text)
  return path
}

/** Sends each path once, and fails when they do not last. `wrk` asks for a request before it starts, which is not sent. */
function eventScript(paths: readonly string[]): string {
  return `
local paths = {${paths.map((path) => JSON.stringify(path)).join(',')}}
local headers = { ['user-agent'] = ${JSON.stringify(BROWSER)} }
local sent = -1
good, bad, spent = 0, 0, 0
function request()
  sent = sent + 1
  if sent > #paths then spent = 1 end
  return wrk.format('POST', paths[math.max(1, math.min(sent, #paths))], headers)
end
function response(status)
  if status == 200 then good = good + 1 else bad = bad + 1 end
end
${REPORT}`
}

function decisionScript(body: string): string {
  return `
local headers = { ['user-agent'] = ${JSON.stringify(BROWSER)} }
good, bad, spent = 0, 0, 0
function request() return wrk.format('POST', '/ads/demo/decide', headers, ${JSON.stringify(body)}) end
function response(status, _, text)
  if status == 200 and string.find(text, '"impression"', 1, true) then good = good + 1 else bad = bad + 1 end
end
${REPORT}`
}

const REPORT = `
local threads = {}
function setup(thread) table.insert(threads, thread) end
function done(summary, latency)
  local failed, answered, ended = summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout, 0, 0
  for _, thread in ipairs(threads) do
    failed = failed + thread:get('bad')
    answered = answered + thread:get('good') + thread:get('bad')
    ended = ended + thread:get('spent')
  end
  print(string.format('{"requests":%d,"us":%d,"p50":%d,"p99":%d,"failed":%d,"spent":%d}', answered, summary.duration,
    latency:percentile(50), latency:percentile(99), failed, ended))
end
`

async function countedIn(data: string): Promise<number> {
  const store = await openSqlite(join(data, 'sales-agent.sqlite'))
  try {
    const { rows } = await store.read
      .selectFrom('embedded_events')
      .select((e) => e.fn.countAll<number>().as('rows'))
      .executeTakeFirstOrThrow()
    return rows
  } finally {
    await store.close()
  }
}
