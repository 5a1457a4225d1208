import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { HungWorkers, RUNNING_FILES } from './hung-workers.ts'
import { failuresOf, filesThatFailed, type VitestReport } from './vitest-report.ts'

/** A file of `npm test` takes at most a tenth of this, one of `test/extended` a quarter. */
const FILE_LIMIT_MS = 12 * 60_000
const LOOK_MS = 15_000
/** A build, a type check. */
const STEP_LIMIT_MS = 10 * 60_000

/** A command that runs beside the steps. What it prints goes to files, because no pipe is read while a step runs. */
export interface Background {
  readonly output: string
  readonly messages: string
  readonly ended: Promise<number | null>
}

/** Counts of test cases. */
export interface Counts {
  readonly passed?: number
  readonly failed?: number
  readonly skipped?: number
}

/** A sequence of test steps with one total. Reports and logs go to a folder of its own, which is emptied first. */
export class TestRun {
  readonly #folder: string
  readonly #total = { passed: 0, failed: 0, skipped: 0 }
  /** The steps and tests that failed, listed again at the end: their own output is far above by then. */
  readonly #failedSteps: string[] = []

  constructor(folder: string) {
    this.#folder = folder
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
  }

  /** Adds cases that a step counted by itself. */
  count({ passed = 0, failed = 0, skipped = 0 }: Counts, failedStep?: string): void {
    this.#total.passed += passed
    this.#total.failed += failed
    this.#total.skipped += skipped
    if (failedStep !== undefined) this.#failedSteps.push(failedStep)
  }

  /** Counts one case as skipped and says why. */
  skip(name: string, reason: string): void {
    console.log(`\n== ${name}: skipped, ${reason}`)
    this.#total.skipped += 1
  }

  /** Runs a command that has no cases of its own: it counts as one. */
  single(name: string, command: string, args: readonly string[]): void {
    this.count(this.#run(name, command, args) ? { passed: 1 } : { failed: 1 })
  }

  /**
   * Runs Vitest and counts its cases from its own report. A process of it that hangs is ended, and its test file runs once more: whatever a
   * machine did to the first process, it seldom does it twice, and a test that hangs by itself fails there.
   */
  async vitest(name: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<void> {
    const files = await this.#vitestOnce(name, args, environment)
    if (files.length === 0) return
    const options = args.filter((arg) => arg.startsWith('--'))
    const hungAgain = await this.#vitestOnce(`${name}, files whose process hung`, [...options, ...files], environment)
    this.count({ failed: hungAgain.length })
    this.#failedSteps.push(...hungAgain.map((file) => `  ${file} > its process hung twice`))
  }

  /** Returns the files whose process hung and was ended. */
  async #vitestOnce(name: string, args: readonly string[], environment: NodeJS.ProcessEnv): Promise<readonly string[]> {
    const plain = name.replaceAll(/\W+/g, '-')
    const report = join(this.#folder, `${plain}.json`)
    const words = ['vitest', 'run', ...args, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
    const running = resolve(this.#folder, `${plain}-running`)
    const hung = new HungWorkers(running, FILE_LIMIT_MS)
    console.log(`\n== ${name}`)
    const child = spawn('npx', words, { stdio: 'inherit', env: { ...process.env, ...environment, [RUNNING_FILES]: running } })
    const look = setInterval(() => void hung.end(), LOOK_MS)
    const status = await ending(child)
    clearInterval(look)
    const files = hung.ended.map(({ file }) => relative('.', file))
    const counted = readJson<VitestReport>(report)
    if (status !== 0 && files.length === 0) this.#failedSteps.push(name)
    if (!counted) {
      this.count({ failed: 1 })
      return []
    }
    this.#failedSteps.push(...failuresOf(counted))
    this.count({ passed: counted.numPassedTests, failed: counted.numFailedTests, skipped: counted.numPendingTests })
    // Files that hung run again and are counted then.
    if (files.length > 0) return files
    const outside = filesThatFailed(counted)
    // An error that belongs to no file fails the run, too.
    this.count({ failed: outside > 0 || status === 0 || counted.numFailedTests > 0 ? outside : 1 })
    return files
  }

  /** Starts a command that prints JSON beside the steps. */
  background(name: string, words: readonly string[]): Background {
    const [output, messages] = [join(this.#folder, `${name}.json`), join(this.#folder, `${name}.log`)]
    const child = spawn('npx', words, { stdio: ['ignore', openSync(output, 'w'), openSync(messages, 'w')] })
    return { output, messages, ended: ending(child) }
  }

  /** Prints the failed steps and the line that counts all cases, and writes the former to `failed.txt`; sets the exit code. */
  finish(): void {
    const { passed, failed, skipped } = this.#total
    const list = this.#failedSteps.map((name) => `  ${name}\n`).join('')
    writeFileSync(join(this.#folder, 'failed.txt'), list)
    if (list !== '') console.log(`\nfailed:\n${list}`)
    console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`)
    process.exitCode = failed === 0 && passed > 0 ? 0 : 1
  }

  #run(name: string, command: string, args: readonly string[]): boolean {
    console.log(`\n== ${name}`)
    const { status } = spawnSync(command, args, { stdio: 'inherit', timeout: STEP_LIMIT_MS })
    if (status !== 0) this.#failedSteps.push(name)
    return status === 0
  }
}

/** The exit code of a child; null when it did not start or ended by a signal. */
function ending(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    child.once('error', () => resolve(null))
    child.once('close', resolve)
  })
}

/** The JSON of a file; undefined where there is no file, or no JSON in it. */
export function readJson<T>(file: string): T | undefined {
  if (!existsSync(file)) return undefined
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}
