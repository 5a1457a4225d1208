import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import autocannon, { type Request } from 'autocannon'
import { CURSOR_STEP_MS, nextCursor, parseLookup } from '../../src/domain/directory/lookup-query.ts'
import { storePath } from '../../src/store/open.ts'
import { median } from '../measure.ts'
import { type Child, startChild } from './child.ts'
import { BIG_AGENT, domainOf, RECENT_AT, seedStore } from './seed.ts'

/** One case at one size. Latencies are of one connection at a time, in milliseconds; throughput is at ten. */
export interface LookupResult {
  readonly rows: number
  readonly name: string
  readonly perSecond: number
  /** The same head and body from plain node:http, measured right after. */
  readonly plainPerSecond: number
  readonly ratio: number
  /** Processor time of a request, ours and plain, in microseconds: what a busy machine does not change. */
  readonly cpuUs: number
  readonly plainCpuUs: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly bytes: number
}

interface Case {
  readonly name: string
  /** Query of the n-th request. */
  readonly query: (n: number) => string
  readonly conditional?: boolean
}

const ROUNDS = 5
const PATH = `/v1/agents/${encodeURIComponent(BIG_AGENT)}/publishers`

/** Measures every case of the lookup on a directory of `rows` rows for one agent and `agents` agents in all. */
export async function benchLookup(rows: number, agents: number, seconds: number): Promise<LookupResult[]> {
  const data = mkdtempSync(join(tmpdir(), 'directory-bench-'))
  await seedStore(data, storePath('.').replace(/^\.?\//, ''), { rows, agents })
  const server = await startChild('agent-server.ts', data)
  try {
    const results: LookupResult[] = []
    for (const each of casesFor(rows)) results.push(await benchCase(server, rows, each, data, seconds))
    return results
  } finally {
    await server.stop()
    rmSync(data, { recursive: true, force: true })
  }
}

function casesFor(rows: number): Case[] {
  const query = parseLookup({ agentUrl: BIG_AGENT }, new Date())
  const after = (index: number) => `?cursor=${nextCursor(query, domainOf(index), new Date())}`
  // A walk over the whole range in large steps: pages that no cache has kept.
  const scattered = (n: number) => Math.max(0, Math.floor((n * 0.618_033_99 * rows) % Math.max(rows - 250, 1)))
  return [
    { name: 'first page', query: () => '' },
    { name: 'any page (not cached)', query: (n) => after(scattered(n)) },
    { name: 'middle page', query: () => after(Math.floor(rows / 2)) },
    { name: 'last page', query: () => after(Math.max(rows - 201, 0)) },
    // The millisecond changes the query, so that no page comes from the cache.
    {
      name: 'since, few match (not cached)',
      query: (n) => `?since=${new Date(Date.parse(RECENT_AT) - (n % 1_000_000)).toISOString()}`,
    },
    { name: 'status=revoked (not cached)', query: (n) => `?status=revoked&limit=${1 + (n % 1000)}` },
    { name: 'include=properties', query: () => '?include=properties' },
    { name: 'conditional GET, 304', query: () => '', conditional: true },
  ]
}

async function benchCase(server: Child, rows: number, each: Case, data: string, seconds: number): Promise<LookupResult> {
  const { port } = server
  const origin = `http://127.0.0.1:${port}`
  if (each.conditional) await enoughOfStep(seconds * 4)
  const sample = await fetch(`${origin}${PATH}${each.query(0)}`)
  const body = Buffer.from(await sample.arrayBuffer())
  if (sample.status !== 200) throw new Error(`${each.name}: ${sample.status} ${body}`)
  const headers: Record<string, string> = each.conditional ? { 'if-none-match': sample.headers.get('etag') ?? '' } : {}
  const answered = each.conditional ? await fetch(`${origin}${PATH}${each.query(0)}`, { headers }) : sample
  if (answered.status !== (each.conditional ? 304 : 200)) throw new Error(`${each.name}: ${answered.status}`)
  const plain = await startPlain(data, answered, body)
  try {
    const latency = await latencies(port, (n) => PATH + each.query(n), headers, Math.max(1, seconds / 2))
    const plainOrigin = `http://127.0.0.1:${plain.port}`
    const rounds: { ours: number; floor: number; cpuUs: number; plainCpuUs: number }[] = []
    // In turn, so that whatever else the machine does hits both alike; the middle ratio counts.
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = [cpuUs(server.process.pid), cpuUs(plain.process.pid)] as const
      const ours = await throughput(origin, (n) => PATH + each.query(n), headers, seconds / ROUNDS)
      const floor = await throughput(plainOrigin, () => '/', headers, seconds / ROUNDS)
      const used = [cpuUs(server.process.pid) - before[0], cpuUs(plain.process.pid) - before[1]] as const
      rounds.push({
        ours: ours.perSecond,
        floor: floor.perSecond,
        cpuUs: used[0] / ours.answered,
        plainCpuUs: used[1] / floor.answered,
      })
    }
    return {
      rows,
      name: each.name,
      perSecond: median(rounds.map(({ ours }) => ours)),
      plainPerSecond: median(rounds.map(({ floor }) => floor)),
      ratio: median(rounds.map(({ ours, floor }) => ours / floor)),
      cpuUs: median(rounds.map((round) => round.cpuUs)),
      plainCpuUs: median(rounds.map((round) => round.plainCpuUs)),
      ...latency,
      bytes: body.length,
    }
  } finally {
    await plain.stop()
  }
}

/** Waits for the next step of cursors when less than `seconds` are left of this one: with the step the ETag of a page changes. */
async function enoughOfStep(seconds: number): Promise<void> {
  const leftMs = CURSOR_STEP_MS - (Date.now() % CURSOR_STEP_MS)
  if (leftMs < seconds * 1000) await setTimeout(leftMs + 10)
}

/** Plain node:http that gives the answer just seen, but for the headers that node writes by itself. */
async function startPlain(folder: string, { status, headers }: Response, body: Buffer): Promise<Child> {
  const own = ['connection', 'date', 'keep-alive']
  const head = { status, headers: [...headers].filter(([name]) => !own.includes(name)).flat() }
  const [bodyFile, headFile] = [join(folder, 'body'), join(folder, 'head.json')]
  writeFileSync(bodyFile, body)
  writeFileSync(headFile, JSON.stringify(head))
  return startChild('plain-server.ts', bodyFile, headFile)
}

/** Processor time of a process so far (Linux: clock ticks of 10 ms in /proc). */
function cpuUs(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}

async function throughput(
  url: string,
  path: (n: number) => string,
  headers: Record<string, string>,
  seconds: number,
): Promise<{ perSecond: number; answered: number }> {
  let n = 0
  const requests = [{ setupRequest: (request: Request) => ({ ...request, path: path(n++) }) }]
  const result = await autocannon({ url, connections: 10, duration: seconds, method: 'GET', headers, requests })
  const answered = headers['if-none-match'] === undefined ? result['2xx'] : result['3xx']
  const refused = result['2xx'] + result.non2xx - answered
  if (refused + result.errors + result.timeouts > 0) throw new Error(`${refused} refused, ${result.errors} lost requests`)
  return { perSecond: answered / result.duration, answered }
}

async function latencies(port: number, path: (n: number) => string, headers: Record<string, string>, seconds: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const times: number[] = []
  const end = performance.now() + seconds * 1000
  for (let n = 0; performance.now() < end; n += 1) {
    const started = performance.now()
    await new Promise<void>((resolve, reject) => {
      get({ port, host: '127.0.0.1', agent, path: path(n), headers }, (response) => response.resume().on('end', resolve)).on(
        'error',
        reject,
      )
    })
    times.push(performance.now() - started)
  }
  agent.destroy()
  // The first fifth compiles.
  const warm = times.slice(Math.floor(times.length / 5)).sort((a, b) => a - b)
  const at = (share: number) => warm[Math.min(warm.length - 1, Math.floor(warm.length * share))] ?? Number.NaN
  return { p50Ms: at(0.5), p99Ms: at(0.99) }
}
