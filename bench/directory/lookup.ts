import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon, { type Request } from 'autocannon'
import { nextCursor, parseLookup } from '../../src/domain/directory/lookup-query.ts'
import { storePath } from '../../src/store/open.ts'
import { median } from '../measure.ts'
import { type Child, startChild } from './child.ts'
import { BIG_AGENT, domainOf, RECENT_AT, seedStore } from './seed.ts'

/** One case at one size. Latencies are of one connection at a time, in milliseconds; throughput is at ten. */
export interface LookupResult {
  readonly rows: number
  readonly name: string
  readonly perSecond: number
  /** The same bytes from plain node:http, measured right after. */
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
  const sample = await fetch(`${origin}${PATH}${each.query(0)}`)
  const body = Buffer.from(await sample.arrayBuffer())
  if (sample.status !== 200) throw new Error(`${each.name}: ${sample.status} ${body}`)
  const headers: Record<string, string> = each.conditional ? { 'if-none-match': sample.headers.get('etag') ?? '' } : {}
  const file = join(data, 'page.json')
  writeFileSync(file, body)
  const plain = await startChild('plain-server.ts', file)
  try {
    const latency = await latencies(port, (n) => PATH + each.query(n), headers, Math.max(1, seconds / 2))
    const plainOrigin = `http://127.0.0.1:${plain.port}`
    const rounds: { ours: number; floor: number; cpuUs: number; plainCpuUs: number }[] = []
    // In turn, so that whatever else the machine does hits both alike; the middle ratio counts.
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = [cpuUs(server.process.pid), cpuUs(plain.process.pid)] as const
      const ours = await throughput(origin, (n) => PATH + each.query(n), headers, seconds / ROUNDS)
      const floor = await throughput(plainOrigin, () => (each.conditional ? '/304' : '/'), {}, seconds / ROUNDS)
      const used = [cpuUs(server.process.pid) - before[0], cpuUs(plain.process.pid) - before[1]] as const
      const perRound = seconds / ROUNDS
      rounds.push({ ours, floor, cpuUs: used[0] / (ours * perRound), plainCpuUs: used[1] / (floor * perRound) })
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
): Promise<number> {
  let n = 0
  const requests = [{ setupRequest: (request: Request) => ({ ...request, path: path(n++) }) }]
  const result = await autocannon({ url, connections: 10, duration: seconds, method: 'GET', headers, requests })
  const refused = result.non2xx - (headers['if-none-match'] === undefined && !path(0).endsWith('304') ? 0 : result.non2xx)
  if (refused + result.errors + result.timeouts > 0) throw new Error(`${refused} refused, ${result.errors} lost requests`)
  return (result['2xx'] + result.non2xx) / result.duration
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
