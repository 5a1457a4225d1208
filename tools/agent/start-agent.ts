import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from './child.ts'
import { CLOCK_PRELOAD, CLOCK_SHIFT_VARIABLE } from './clock.ts'

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))

/** The built command line of this project, as words of a command. */
export const BUILT_COMMAND: readonly string[] = [process.execPath, 'dist/cli/sales-agent.js']

/** Start to ready takes under 2 s by design; the rest is patience for a loaded machine. */
const READY_WITHIN_MS = 120_000
/** `serve` promises to drain within 10 s after SIGTERM. */
const DRAIN_WITHIN_MS = 11_000

/** How to start an agent; everything else (data folder, port, key) is made fresh. */
export interface StartOptions {
  /** Words of the command that has `init` and `serve`; default: the built command line. */
  readonly command?: readonly string[] | undefined
  /** Milliseconds added to the server's clock. */
  readonly clockShiftMs?: number | undefined
  /** Settings of the server as environment variables. */
  readonly environment?: Readonly<Record<string, string>> | undefined
  /** A configuration file for the server and the commands beside it. */
  readonly config?: string | undefined
  /** Keep the data folder and the log after `stop`. */
  readonly keep?: boolean | undefined
}

/** A started agent on a fresh demo store, bound to loopback. */
export interface StartedAgent {
  readonly origin: string
  readonly mcpUrl: string
  /** Key of the demo buyer, a sandbox principal. */
  readonly key: string
  readonly folder: string
  readonly pid: number
  /** Standard output and error of the server so far. */
  log(): Promise<string>
  /** Runs a command on its data folder, as its operator would beside the running server; gives what it printed as JSON. Throws when it fails. */
  command(args: readonly string[]): Promise<unknown>
  stop(): Promise<void>
}

/**
 * Creates a demo store in a new temporary folder and serves it on a free loopback port.
 * @throws Error with the output of the server when it does not become ready
 */
export async function startAgent(options: StartOptions = {}): Promise<StartedAgent> {
  const folder = await mkdtemp(join(tmpdir(), 'sales-agent-'))
  const data = join(folder, 'data')
  const run = agentCommand(options)
  const config = options.config === undefined ? [] : ['--config', options.config]
  try {
    const key = await createDemoStore(run, data)
    const port = await freePort()
    const logFile = join(folder, 'server.log')
    const child = run(['serve', '--data', data, '--port', String(port), '--host', '127.0.0.1', '--sandbox', ...config])
    const sink = createWriteStream(logFile)
    child.stdout?.pipe(sink, { end: false })
    child.stderr?.pipe(sink, { end: false })
    const origin = `http://127.0.0.1:${port}`
    const log = () => readFile(logFile, 'utf8').catch(() => '')
    await ready(child, `${origin}/readyz`, log)
    const stop = async () => {
      await terminate(child)
      sink.end()
      if (!options.keep) await rm(folder, { recursive: true, force: true })
    }
    // Commands that sign or show addresses have to know what the server is called: host and port say it.
    const served = { SALES_AGENT_HOST: '127.0.0.1', SALES_AGENT_PORT: String(port) }
    const asServed = agentCommand({ ...options, environment: { ...options.environment, ...served } })
    const command = async (args: readonly string[]): Promise<unknown> =>
      JSON.parse(await printedBy(asServed([...args, '--data', data, ...config, '--json']), args))
    return { origin, mcpUrl: `${origin}/mcp`, key, folder, pid: child.pid ?? 0, log, command, stop }
  } catch (error) {
    if (!options.keep) await rm(folder, { recursive: true, force: true })
    throw error
  }
}

function agentCommand(options: StartOptions): (args: readonly string[]) => ChildProcess {
  const [executable, ...words] = options.command ?? BUILT_COMMAND
  if (executable === undefined) throw new Error('the server command is empty')
  const env = { ...process.env, ...clockEnvironment(options.clockShiftMs ?? 0), ...options.environment }
  return (args) => spawn(executable, [...words, ...args], { cwd: PROJECT, env, stdio: ['ignore', 'pipe', 'pipe'] })
}

/** The variables under which a server's clock is shifted. */
export function clockEnvironment(shiftMs: number): Readonly<Record<string, string>> {
  if (shiftMs === 0) return {}
  return { [CLOCK_SHIFT_VARIABLE]: String(shiftMs), NODE_OPTIONS: withPreload(process.env.NODE_OPTIONS) }
}

function withPreload(nodeOptions: string | undefined): string {
  return [nodeOptions, `--import=${CLOCK_PRELOAD}`].filter(Boolean).join(' ')
}

async function createDemoStore(run: (args: readonly string[]) => ChildProcess, data: string): Promise<string> {
  return keyOf(await printedBy(run(['init', '--data', data, '--demo', '--json']), ['init']))
}

/** Waits for a command and gives its standard output. Throws when it ends with another code than 0. */
async function printedBy(child: ChildProcess, args: readonly string[]): Promise<string> {
  let stdout = ''
  let stderr = ''
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk
  })
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk
  })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (code !== 0) throw new Error(`${args.slice(0, 2).join(' ')} ended with code ${code}:\n${stdout}${stderr}`)
  return stdout
}

/** The buyer's key out of what `init --demo --json` prints: `{data, tenant, agent_url, key}`. */
export function keyOf(json: string): string {
  const printed: unknown = JSON.parse(json)
  if (typeof printed === 'object' && printed !== null && 'key' in printed && typeof printed.key === 'string') return printed.key
  throw new Error(`init printed no key: ${json}`)
}

async function ready(child: ChildProcess, url: string, log: () => Promise<string>): Promise<void> {
  const started = performance.now()
  while (performance.now() - started < READY_WITHIN_MS) {
    if (child.exitCode !== null) throw new Error(`serve ended with code ${child.exitCode}:\n${await log()}`)
    const status = await fetch(url).then(
      (response) => response.status,
      () => 0,
    )
    if (status === 200) return
    await sleep(50)
  }
  await terminate(child)
  throw new Error(`not ready after ${READY_WITHIN_MS} ms:\n${await log()}`)
}

async function terminate(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('close', resolve))
  child.kill('SIGTERM')
  const giveUp = setTimeout(() => child.kill('SIGKILL'), DRAIN_WITHIN_MS)
  await ended
  clearTimeout(giveUp)
}
