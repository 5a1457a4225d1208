import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { cpuMsOf } from '../../tools/agent/child.ts'
import type { MeasuredAgent } from './agent.ts'

/** A request to the measured agent. */
export interface Ask {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** The address that it comes from; default: the system's choice. */
  readonly localAddress?: string
}

export interface Reply {
  readonly status: number
  readonly body: string
}

export interface Stall {
  /** Longest time that a request of `/livez` took while the asked one ran, in milliseconds: of all rounds the shortest. */
  readonly stallMs: number
  /** Time of the asked request itself, of the same round. */
  readonly requestMs: number
  /** Processor time that the server used meanwhile, probes included, of the round that used least. */
  readonly cpuMs: number
  /** Processor time of the longest turn of its main thread, of the round that had the shortest: what the stall is on an idle machine. */
  readonly turnMs: number
  readonly reply: Reply
}

/** The server that is measured. */
export type Measured = Pick<MeasuredAgent, 'port' | 'pid' | 'begin' | 'end'>

/** Between two probes: shorter than any stall worth a word. */
const PROBE_EVERY_MS = 2

/** Asks `/livez` over and over while a request runs. Other work on the machine only lengthens a stall, so the best of the rounds counts. */
export async function measureStall(server: Measured, ask: (round: number) => Ask, rounds: number): Promise<Stall> {
  const measured: Stall[] = []
  for (let round = 0; round < rounds; round++) measured.push(await measureOnce(server, ask(round)))
  const [first, ...others] = measured
  if (!first) throw new Error('a stall is measured at least once')
  const best = others.reduce((a, b) => (b.stallMs < a.stallMs ? b : a), first)
  const least = (name: 'cpuMs' | 'turnMs') => Math.min(...measured.map((each) => each[name]))
  return { ...best, cpuMs: least('cpuMs'), turnMs: least('turnMs') }
}

async function measureOnce({ port, pid, begin, end }: Measured, ask: Ask): Promise<Stall> {
  const connection = new Agent({ keepAlive: true, maxSockets: 1 })
  await send(port, { path: '/livez' }, connection)
  let running = true
  let stallMs = 0
  const probing = (async () => {
    while (running) {
      const started = performance.now()
      await send(port, { path: '/livez' }, connection)
      stallMs = Math.max(stallMs, performance.now() - started)
      await sleep(PROBE_EVERY_MS)
    }
  })()
  begin()
  const cpuBefore = cpuMsOf(pid)
  const started = performance.now()
  const reply = await send(port, ask)
  const requestMs = performance.now() - started
  // Work that goes on after the answer counts too.
  await sleep(20)
  running = false
  await probing
  connection.destroy()
  const cpuMs = cpuMsOf(pid) - cpuBefore
  const { longestMs: turnMs } = await end()
  return { stallMs, requestMs, cpuMs, turnMs, reply }
}

/** Sends one request; resolves with the whole reply. */
export function send(port: number, { method = 'GET', path, headers, body, localAddress }: Ask, agent?: Agent): Promise<Reply> {
  return new Promise((resolve, reject) => {
    let isAnswered = false
    const sent = request(
      {
        port,
        host: '127.0.0.1',
        method,
        path,
        agent: agent ?? false,
        headers: { ...headers },
        ...(localAddress && { localAddress }),
      },
      (response) => {
        isAnswered = true
        // A stream of events does not end.
        if (response.headers['content-type']?.startsWith('text/event-stream')) {
          sent.destroy()
          resolve({ status: response.statusCode ?? 0, body: '' })
          return
        }
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.once('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') }))
        response.once('error', reject)
      },
    )
    // An answer that comes before the whole body was read ends the connection.
    sent.on('error', (error) => (isAnswered ? undefined : reject(error)))
    sent.end(body)
  })
}

/** A `tools/call` over HTTP. */
export function callOf(key: string, name: string, args: object): Ask {
  return {
    method: 'POST',
    path: '/mcp',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${key}`,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  }
}
