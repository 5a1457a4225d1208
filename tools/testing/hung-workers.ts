import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'undici'

/** Names the folder in which each worker of Vitest says what it runs; see `test/support/running-file.ts`. */
export const RUNNING_FILES = 'TEST_RUN_FILES'

/** A worker of Vitest that has been on one test file for too long. No time-out of a test ends a loop that never yields. */
export interface HungWorker {
  readonly pid: number
  readonly file: string
}

/** Ends workers that hang, so that a run ends with a failure and its reason instead of never. */
export class HungWorkers {
  readonly ended: HungWorker[] = []
  readonly #folder: string
  readonly #limitMs: number

  constructor(folder: string, limitMs: number) {
    mkdirSync(folder, { recursive: true })
    this.#folder = folder
    this.#limitMs = limitMs
  }

  /** Prints where each hung worker is, and kills it: Vitest goes on with its next file. */
  async end(): Promise<void> {
    for (const worker of this.#find()) {
      // First, because the next look comes while this one still waits for the stack.
      this.ended.push(worker)
      console.log(
        `\n== ${worker.file} has run for more than ${this.#limitMs / 60_000} minutes; its process ${worker.pid} is ended. It is at:`,
      )
      console.log(await stackOf(worker.pid).catch((error: unknown) => `  (no stack: ${error})`))
      console.log(childrenOf(worker.pid))
      process.kill(worker.pid, 'SIGKILL')
    }
  }

  #find(): HungWorker[] {
    return readdirSync(this.#folder)
      .map((name) => ({ pid: Number(name), path: join(this.#folder, name) }))
      .filter(({ pid, path }) => Date.now() - statSync(path).mtimeMs > this.#limitMs && commandOf(pid).includes('vitest'))
      .filter(({ pid }) => !this.ended.some((earlier) => earlier.pid === pid))
      .map(({ pid, path }) => ({ pid, file: readFileSync(path, 'utf8') }))
  }
}

/** The command line of a process; empty when it is gone, or on a system without `/proc`. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
  } catch {
    return ''
  }
}

/** What a process started and waits for: a synchronous call of a program shows here. */
function childrenOf(pid: number): string {
  try {
    const pids = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
    return pids.map((child) => `  its child ${child}: ${commandOf(Number(child)).slice(0, 300)}`).join('\n')
  } catch {
    return ''
  }
}

const INSPECTOR = 'http://127.0.0.1:9229/json/list'
const PATIENCE_MS = 10_000
const MOST_FRAMES = 40

/** The JavaScript stack of another Node, by its inspector, which SIGUSR1 opens and which stops a loop that never yields. */
async function stackOf(pid: number): Promise<string> {
  process.kill(pid, 'SIGUSR1')
  await sleep(1_000)
  const [{ webSocketDebuggerUrl: url = '' } = {}] = (await (
    await fetch(INSPECTOR, { signal: AbortSignal.timeout(PATIENCE_MS) })
  ).json()) as { webSocketDebuggerUrl?: string }[]
  const socket = new WebSocket(url)
  try {
    const urls = new Map<string, string>()
    return await new Promise((resolve, reject) => {
      const tooLate = setTimeout(() => reject(new Error('it does not answer, as in a system call')), PATIENCE_MS)
      socket.addEventListener('error', () => reject(new Error('its inspector cannot be reached')))
      socket.addEventListener('open', () => {
        for (const [id, method] of ['Debugger.enable', 'Debugger.pause'].entries()) socket.send(JSON.stringify({ id, method }))
      })
      socket.addEventListener('message', ({ data }) => {
        const { method, params } = JSON.parse(String(data))
        if (method === 'Debugger.scriptParsed') urls.set(params.scriptId, params.url)
        if (method !== 'Debugger.paused') return
        clearTimeout(tooLate)
        const frames: Frame[] = params.callFrames.slice(0, MOST_FRAMES)
        resolve(frames.map((frame) => frameText(frame, urls.get(frame.location.scriptId))).join('\n'))
      })
    })
  } finally {
    socket.close()
  }
}

interface Frame {
  readonly functionName: string
  readonly location: { readonly scriptId: string; readonly lineNumber: number }
}

/** Lines are those of the code that runs, which Vitest made from the file. */
const frameText = ({ functionName, location }: Frame, url = '') =>
  `  ${functionName || '(anonymous)'} ${url}:${location.lineNumber + 1}`
