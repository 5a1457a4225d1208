import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type FakeWeb, startFakeWeb } from '../../test/support/fake-web/fake-web.ts'
import { builtProgram } from './built-program.ts'
import type { Metered } from './turn-meter.ts'

/** One that a request holds up does not hear that it should end. */
const STOP_WITHIN_MS = 5_000

/** What the server says of itself when it serves. */
interface Said {
  readonly port: number
  readonly data: string
  /** Of a buyer that is no sandbox agent. */
  readonly key: string
  readonly sandboxKey: string
  /** Of an administrator of the whole deployment. */
  readonly adminKey: string
  /** With which a person becomes an administrator of the publisher. */
  readonly invitation: string
  readonly tenant: string
  /** Patterns of the paths that it serves, in the order in which they are tried. */
  readonly routes: readonly string[]
}

/** A server in a process of its own, so that what blocks it does not block the process that measures. */
export interface MeasuredAgent extends Said {
  readonly pid: number
  /** What its outbound fetches see. */
  readonly web: FakeWeb
  /** Begins to watch the main thread. */
  begin(): void
  /** What the main thread did since. Rejects when the process has ended. */
  end(): Promise<Metered>
  /** Processor milliseconds that a fixed work takes the main thread now. Rejects when the process has ended. */
  yardstickMs(): Promise<number>
  readonly hasEnded: boolean
  stop(): Promise<void>
}

export interface MeasuredAgentOptions {
  readonly clockShiftMs?: number
  /** Path of a module with `routes` that are served beside those of the server. */
  readonly moreRoutes?: string
  /** Runs the server as it was built, which is what users run; otherwise its source. */
  readonly isBuilt?: boolean
}

/** Starts the agent that is measured; throws when it ends before it serves. */
export async function startMeasuredAgent({
  clockShiftMs = 0,
  moreRoutes,
  isBuilt = false,
}: MeasuredAgentOptions = {}): Promise<MeasuredAgent> {
  const web = await startFakeWeb()
  const script = fileURLToPath(new URL('agent-server.ts', import.meta.url))
  const words = [String(web.port), String(clockShiftMs), ...(moreRoutes === undefined ? [] : [moreRoutes])]
  const built = isBuilt ? await builtProgram(script) : undefined
  const program = built ? [built.path] : ['--import', 'tsx', script]
  const child = spawn(process.execPath, [...program, ...words], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { ...process.env, STALLS_CA: web.ca },
  })
  const said = await new Promise<Said>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the measured agent ended with ${code}`)))
    if (child.stdout) createInterface(child.stdout).once('line', (line) => resolve(JSON.parse(line)))
  })
  return {
    ...said,
    pid: child.pid ?? 0,
    web,
    begin: () => void child.send('begin', ignored),
    end: () => answered<Metered>(child, 'end'),
    yardstickMs: () => answered<number>(child, 'yardstick'),
    get hasEnded() {
      return hasEnded(child)
    },
    async stop() {
      const gone = hasEnded(child) ? undefined : once(child, 'exit')
      child.kill('SIGTERM')
      const giveUp = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS)
      await gone
      clearTimeout(giveUp)
      await web.close()
      built?.remove()
      rmSync(said.data, { recursive: true, force: true })
    },
  }
}

/** That one has ended is said where its answer is awaited. */
const ignored = () => undefined

function answered<T>(child: ChildProcess, question: 'end' | 'yardstick'): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = () => reject(new Error(`the measured agent ended with ${child.exitCode ?? child.signalCode}`))
    if (hasEnded(child)) return ended()
    child.once('exit', ended)
    child.once('message', (message: T) => {
      child.off('exit', ended)
      resolve(message)
    })
    child.send(question, (error) => (error ? ended() : undefined))
  })
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}
