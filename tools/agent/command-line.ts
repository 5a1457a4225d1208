import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type Child, freePort, startChild } from './child.ts'

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))
const SOURCE = join(PROJECT, 'src/cli/sales-agent.ts')
const BUILT = join(PROJECT, 'dist/cli/sales-agent.js')
const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href

/** The command line as it was last edited: the built one, which starts in half the time, unless a source is newer. */
export const COMMAND: readonly string[] = isBuiltFresh() ? [process.execPath, BUILT] : [process.execPath, '--import', TSX, SOURCE]

function isBuiltFresh(): boolean {
  const builtAt = existsSync(BUILT) && existsSync(join(PROJECT, 'dist/validators/3.0/modules.json')) ? statSync(BUILT).mtimeMs : 0
  const sources = readdirSync(join(PROJECT, 'src'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return sources.every(({ parentPath, name }) => statSync(join(parentPath, name)).mtimeMs < builtAt)
}

export interface Printed {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A server of this command line and where to reach it. */
export interface Served extends Child {
  readonly origin: string
  readonly mcpUrl: string
}

/** A data folder of its own, and the commands on it, each in a process as a user runs them. */
export class CommandLine {
  readonly folder = mkdtempSync(join(tmpdir(), 'sales-agent-cli-'))
  readonly data = join(this.folder, 'data')
  readonly #started: Child[] = []
  readonly #environment: Readonly<Record<string, string>>

  /** Every command and server gets these variables. */
  constructor(environment: Readonly<Record<string, string>> = {}) {
    this.#environment = environment
  }

  /** Runs a command as it is, with further variables of the environment. */
  run(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Printed> {
    const [executable = '', ...words] = COMMAND
    return new Promise((resolve) => {
      execFile(
        executable,
        [...words, ...args],
        { cwd: this.folder, env: { ...process.env, ...this.#environment, ...environment } },
        (error, stdout, stderr) =>
          resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr }),
      )
    })
  }

  /** Starts a command that the test ends itself; its output is dropped. */
  start(args: readonly string[]): ChildProcess {
    const [executable = '', ...words] = COMMAND
    return spawn(executable, [...words, ...args], {
      cwd: this.folder,
      env: { ...process.env, ...this.#environment },
      stdio: 'ignore',
    })
  }

  /** Runs a command on the data folder and returns what it printed as JSON. Throws when it fails. */
  // biome-ignore lint/suspicious/noExplicitAny: what a command prints is judged by assertions
  async json(...args: string[]): Promise<any> {
    const { code, stdout, stderr } = await this.run([...args, '--data', this.data, '--json'])
    if (code !== 0) throw new Error(`${args.join(' ')} ended with code ${code}: ${stderr}`)
    return JSON.parse(stdout)
  }

  /** Serves the data folder on a free loopback port. */
  async serve(args: readonly string[] = [], environment: Readonly<Record<string, string>> = {}): Promise<Served> {
    const port = await freePort()
    const origin = `http://127.0.0.1:${port}`
    const command = [...COMMAND, 'serve', '--data', this.data, '--port', String(port), ...args]
    const child = await startChild({
      command,
      environment: { ...this.#environment, ...environment },
      readyUrl: `${origin}/readyz`,
    })
    this.#started.push(child)
    return { ...child, origin, mcpUrl: `${origin}/mcp` }
  }

  /** Ends what still runs and removes the folder. */
  async close(): Promise<void> {
    await Promise.all(this.#started.map((child) => child.end('SIGKILL')))
    // Workers of a killed server write there until they have seen that it is gone.
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  }
}
