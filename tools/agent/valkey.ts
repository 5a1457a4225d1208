import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './child.ts'

/** A server of Valkey or Redis on a free loopback port, with its data in a temporary folder. */
export interface TestValkey {
  /** `host:port`. */
  readonly server: string
  /** Kills it (SIGKILL); what it did not write to its disk is gone. */
  crash(): Promise<void>
  start(): Promise<void>
  /** Stops it from doing anything (SIGSTOP), or lets it go on. */
  pause(): void
  goOn(): void
  /** Answers a command, as the client program of the server prints it. */
  ask(...words: readonly string[]): string
  /** Ends it and removes its data. */
  stop(): Promise<void>
}

const PROGRAMS = ['valkey-server', 'redis-server']
const START_MS = 30_000

/** Path of a program of a server, or why there is none. */
export function findValkey(): { readonly program: string } | { readonly reason: string } {
  for (const program of PROGRAMS) {
    try {
      execFileSync(program, ['--version'], { stdio: 'ignore' })
      return { program }
    } catch {
      // The next one.
    }
  }
  return { reason: `neither ${PROGRAMS.join(' nor ')} is installed (apt-get install redis-server)` }
}

/** Starts a server. `more`: words of its command line, such as `--appendonly yes`. */
export async function startValkey(more: readonly string[] = []): Promise<TestValkey> {
  const found = findValkey()
  if ('reason' in found) throw new Error(found.reason)
  const folder = mkdtempSync(join(tmpdir(), 'sales-agent-valkey-'))
  const port = await freePort()
  let child: ChildProcess | undefined
  const start = async () => {
    const words = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', ...more]
    child = spawn(found.program, words, { stdio: 'ignore' })
    const until = performance.now() + START_MS
    while (!(await answers(port))) {
      if (child.exitCode !== null || performance.now() > until) throw new Error(`${found.program} did not start`)
      await sleep(20)
    }
  }
  const crash = async () => {
    const ending = child
    child = undefined
    if (!ending || ending.exitCode !== null) return
    const ended = new Promise((resolve) => ending.once('exit', resolve))
    ending.kill('SIGKILL')
    await ended
  }
  const endWithProgram = () => void child?.kill('SIGKILL')
  process.on('exit', endWithProgram)
  await start()
  return {
    server: `127.0.0.1:${port}`,
    crash,
    start,
    pause: () => void child?.kill('SIGSTOP'),
    goOn: () => void child?.kill('SIGCONT'),
    ask: (...words) =>
      execFileSync(found.program.replace('server', 'cli'), ['-p', String(port), ...words], { encoding: 'utf8' }).trim(),
    async stop() {
      await crash()
      process.off('exit', endWithProgram)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Whether a server answers on a port. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => socket.write('PING\r\n'))
    socket.once('data', (data) => {
      resolve(data.toString().startsWith('+PONG'))
      socket.destroy()
    })
    socket.once('error', () => resolve(false))
    socket.once('close', () => resolve(false))
  })
}
