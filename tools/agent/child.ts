import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))

/** A busy machine starts slowly; a server that needs longer than this is broken. */
const READY_WITHIN_MS = 120_000
/** How long a process may take to end after SIGTERM before it is killed. */
const STOP_WITHIN_MS = 30_000
/** Short enough to time a start by it. */
const POLL_MS = 5

/** A program to run, and how to see that it serves. */
export interface ChildOptions {
  /** Words of the command line. */
  readonly command: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** Answers with any status below 500 once the server is up. */
  readonly readyUrl: string
}

/** How a process ended: one of the two is set. */
export interface Ending {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A server in a process of its own. */
export interface Child {
  readonly pid: number
  /** From the start of the process until it answered. */
  readonly startMs: number
  /** Resolves when the process is gone. */
  readonly ended: Promise<Ending>
  /** What it wrote to standard output and error so far. */
  output(): string
  /** Resident memory in bytes; of another process (a worker of it) when named. */
  rssBytes(pid?: number): number
  /** Processor time that it, or the named process, has used so far, in milliseconds. */
  cpuMs(pid?: number): number
  /** Ends this process, and only this, with a signal; resolves when it is gone. */
  end(signal?: NodeJS.Signals): Promise<Ending>
}

/**
 * Starts a server and waits until it answers. Its output goes to a file, so that reading it costs the caller no time.
 * @throws Error with the output when it ends or stays silent
 */
export async function startChild({ command, environment = {}, readyUrl }: ChildOptions): Promise<Child> {
  const [executable, ...words] = command
  if (executable === undefined) throw new Error('the command is empty')
  const folder = mkdtempSync(join(tmpdir(), 'sales-agent-child-'))
  const outputFile = join(folder, 'output')
  let whole: string | undefined
  const sink = openSync(outputFile, 'a')
  const started = performance.now()
  const child = spawn(executable, words, { cwd: PROJECT, env: { ...process.env, ...environment }, stdio: ['ignore', sink, sink] })
  closeSync(sink)
  const ended = new Promise<Ending>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      whole = readFileSync(outputFile, 'utf8')
      rmSync(folder, { recursive: true, force: true })
      resolve({ code, signal })
    })
  })
  const output = () => whole ?? readFileSync(outputFile, 'utf8')
  const end = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal)
    const giveUp = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS)
    const ending = await ended
    clearTimeout(giveUp)
    return ending
  }
  const isGone = () => child.exitCode !== null || child.signalCode !== null
  while (!(await answers(readyUrl))) {
    const waitedMs = performance.now() - started
    if (isGone() || waitedMs > READY_WITHIN_MS) {
      if (!isGone()) await end()
      throw new Error(`${command.join(' ')} did not answer at ${readyUrl}:\n${output()}`)
    }
    await sleep(POLL_MS)
  }
  const { pid = 0 } = child
  return {
    pid,
    startMs: performance.now() - started,
    ended,
    output,
    rssBytes: (of = pid) => rssBytesOf(of),
    cpuMs: (of = pid) => cpuMsOf(of),
    end,
  }
}

async function answers(url: string): Promise<boolean> {
  const response = await fetch(url, { headers: { connection: 'close' } }).catch(() => undefined)
  await response?.arrayBuffer()
  return response !== undefined && response.status < 500
}

/** `VmRSS` of the process (proc(5)); not a number where the system has no such file. */
function rssBytesOf(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024
  } catch {
    return Number.NaN
  }
}

/** `utime` and `stime` of the process in clock ticks (proc(5)), of which Linux counts 100 a second on every platform of Node. */
export function cpuMsOf(pid: number): number {
  try {
    const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return (Number(afterName[11]) + Number(afterName[12])) * 10
  } catch {
    return Number.NaN
  }
}

/** Linux gives out ports from 32768 by itself, other systems from 49152: to servers on port 0 and to outgoing connections. */
const PORTS = { from: 15_000, below: 32_000 } as const
const PORT_ATTEMPTS = 100

/**
 * A TCP port that is free on loopback, and that nobody gets who does not ask for it by number: between now and the moment at which the
 * server that is meant to have it listens, any number of others may be opened.
 * @throws Error when none is found
 */
export async function freePort(range: { readonly from: number; readonly below: number } = PORTS): Promise<number> {
  for (let attempt = 0; attempt < PORT_ATTEMPTS; attempt++) {
    const port = randomInt(range.from, range.below)
    if (await isFree(port)) return port
  }
  throw new Error('no free port')
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer()
  const isBound = await new Promise<boolean>((resolve) => {
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => resolve(true))
  })
  if (isBound) await new Promise((resolve) => probe.close(resolve))
  return isBound
}
