import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { authority } from '../../test/support/match-provider.ts'
import { KEY, PROPERTY, SELLER } from '../../test/support/match-router.ts'

export interface RouterProcess {
  readonly port: number
  /** Resident memory now, in MB (1,000,000 bytes). */
  rssMb(): number
  /** Processor time so far, in milliseconds. */
  cpuMs(): number
  /** Questions to providers so far that ended without an answer, by its metrics. */
  outcomes(): Promise<{ readonly timeouts: number; readonly errors: number }>
  stop(): Promise<void>
}

const START_MS = 30_000
const METRICS_MS = 5_000
/** Kernel ticks in a second (`getconf CLK_TCK` is 100 on every Linux of Node). */
const TICK_MS = 10

/** Starts `sales-agent trusted-match router` from dist as a process of its own; `more` goes over its file. Plain HTTP to it, HTTP/2 to its providers. */
export async function startRouterProcess(providers: readonly object[], more: object): Promise<RouterProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-router-'))
  const { privateKey } = generateKeyPairSync('ed25519')
  writeFileSync(join(folder, 'key.pem'), privateKey.export({ format: 'pem', type: 'pkcs8' }))
  writeFileSync(join(folder, 'ca.pem'), authority.ca)
  const sha256 = createHash('sha256').update(KEY).digest('hex')
  const settings = {
    port: 0,
    metricsPort: 0,
    development: true,
    contextCacheSeconds: 0,
    providerCa: 'ca.pem',
    signing: { kid: 'bench', key: 'key.pem' },
    publishers: [{ id: 'one', sellerAgentUrls: [SELLER], properties: [PROPERTY], keys: [{ sha256 }] }],
    providers,
    ...more,
  }
  const file = join(folder, 'router.json')
  writeFileSync(file, JSON.stringify(settings))
  const flags = process.env.ROUTER_NODE_FLAGS?.split(' ').filter(Boolean) ?? []
  const child = spawn(process.execPath, [...flags, 'dist/cli/sales-agent.js', 'trusted-match', 'router', '--file', file], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const stop = async () => {
    await ended(child)
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const { port, metricsPort } = await portsOf(child)
    return {
      port,
      rssMb: () => (Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) * 1024) / 1e6,
      cpuMs() {
        const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
        return (Number(fields[11]) + Number(fields[12])) * TICK_MS
      },
      async outcomes() {
        const answer = await fetch(`http://127.0.0.1:${metricsPort}/metrics`, { signal: AbortSignal.timeout(METRICS_MS) })
        const text = await answer.text()
        const sum = (name: string) =>
          [...text.matchAll(new RegExp(`^tmp_\\w+_${name}_total(?:{.*})? (\\d+)$`, 'gm'))].reduce(
            (all, [, one]) => all + Number(one),
            0,
          )
        return { timeouts: sum('provider_timeout'), errors: sum('provider_error') }
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function portsOf(child: ChildProcess): Promise<{ readonly port: number; readonly metricsPort: number }> {
  if (!child.stderr) throw new Error('the router has no log')
  const late = setTimeout(() => child.kill('SIGKILL'), START_MS)
  try {
    for await (const line of createInterface(child.stderr)) {
      const { msg, port, metricsPort }: { msg?: string; port?: number; metricsPort?: number } = JSON.parse(line)
      if (msg === 'routing' && port !== undefined && metricsPort !== undefined) return { port, metricsPort }
    }
  } finally {
    clearTimeout(late)
    child.stderr.resume()
  }
  throw new Error('the router did not start; "npm run build" makes dist')
}

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((resolve) => {
    const force = setTimeout(() => child.kill('SIGKILL'), 8_000)
    child.once('exit', () => {
      clearTimeout(force)
      resolve()
    })
    child.kill('SIGTERM')
  })
}
