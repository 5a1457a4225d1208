/**
 * Every test of the project: types, lint, unit, end-to-end and PostgreSQL tests, the same in part on Node 24, and beside them the official
 * storyboards and our own against the built server. Ends with one line that counts them, and a non-zero exit on any failure.
 */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { OtherNode } from './runtime/other-node.ts'

interface Counts {
  passed: number
  failed: number
  skipped: number
}

/** What Vitest's JSON reporter writes, as far as it is read here. */
interface VitestReport {
  numPassedTests: number
  numFailedTests: number
  numPendingTests: number
  numFailedTestSuites: number
  testResults: {
    name: string
    status: string
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[]
  }[]
}

/** What a run of storyboards says of the official ones, or of our own. */
interface Played {
  totals: { brokenClaims: string[] }
  storyboards: { claimed: boolean; kept: boolean }[]
}

const results = '.test-results'
rmSync(results, { recursive: true, force: true })
mkdirSync(results, { recursive: true })

/** Both clients and doors, the command line, workers, and a store that is killed: what another Node could break. */
const ON_NODE_24 = ['adcp-client', 'cli.test', 'crash.test', 'differential', 'workers'].map((name) => `test/e2e/${name}`)

const total: Counts = { passed: 0, failed: 0, skipped: 0 }
/** The steps and tests that failed, named again at the end: their own output is far above by then. */
const failedSteps: string[] = []

/** A step without cases of its own counts as one. */
function step(name: string, command: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}): boolean {
  console.log(`\n== ${name}`)
  const { status } = spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, ...environment } })
  if (status !== 0) failedSteps.push(name)
  return status === 0
}

function single(name: string, command: string, args: readonly string[]): void {
  if (step(name, command, args)) total.passed += 1
  else total.failed += 1
}

/** The native module is compiled for Node 24 beside the steps before its own. */
const node24 = beside('node-24', ['tsx', 'tools/runtime/obtain.ts'])

single('build', 'npm', ['run', '--silent', 'build'])
single('types', 'npm', ['run', '--silent', 'typecheck'])
single('lint', 'npm', ['run', '--silent', 'lint'])
single('generated tables of the README', 'npx', ['tsx', 'tools/docs.ts', '--check'])
/** For two thirds of their time the storyboards wait for what must not happen, such as a webhook too many. */
const stories = beside('storyboards', ['tsx', 'tools/storyboards/run.ts', '--json', '--check', 'README.md'])
vitest('unit, end-to-end and PostgreSQL tests', [])
await onNode24()
await storyboards()

if (failedSteps.length > 0) console.log(`\nfailed:\n${failedSteps.map((name) => `  ${name}`).join('\n')}`)
console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`)
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1

function vitest(name: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}): void {
  const report = join(results, `${name.replaceAll(/\W+/g, '-')}.json`)
  const words = ['vitest', 'run', ...args, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const ok = step(name, 'npx', words, environment)
  const counted = read<VitestReport>(report)
  if (!counted) {
    total.failed += 1
    return
  }
  failedSteps.push(...failuresOf(counted))
  total.passed += counted.numPassedTests
  total.failed += counted.numFailedTests
  total.skipped += counted.numPendingTests
  // A file that could not be loaded, or an error outside any test, fails the run without failing a test.
  if (!ok && counted.numFailedTests === 0) total.failed += Math.max(1, counted.numFailedTestSuites)
}

/** Each failed test, or file that could not be loaded, with the first line of its reason. */
function failuresOf({ testResults }: VitestReport): string[] {
  return testResults
    .filter(({ status }) => status === 'failed')
    .flatMap(({ name, assertionResults }) => {
      const failed = assertionResults.filter(({ status }) => status === 'failed')
      const reasons = failed.map(({ fullName, failureMessages: [why = ''] }) => `${fullName}: ${why.split('\n', 1)[0]}`)
      return (reasons.length > 0 ? reasons : ['not loaded']).map((reason) => `  ${relative('.', name)} > ${reason}`)
    })
}

/**
 * The rules and those end-to-end tests that stand for the rest, on Node 24: the whole takes minutes. Where that Node cannot be had, this is
 * said and counts as skipped.
 */
async function onNode24(): Promise<void> {
  await node24.ended
  const found = read<OtherNode | { readonly reason: string }>(node24.output) ?? { reason: 'tools/runtime/obtain.ts failed' }
  if ('reason' in found) {
    console.log(`\n== tests on Node 24: skipped, ${found.reason}`)
    total.skipped += 1
    return
  }
  vitest(`unit tests on Node ${found.version}`, ['--project', 'unit'], found.environment)
  vitest(`end-to-end tests on Node ${found.version}`, ['--project', 'e2e', ...ON_NODE_24], found.environment)
}

async function storyboards(): Promise<void> {
  const status = await stories.ended
  console.log('\n== official storyboards, the README table made from them, and our own storyboards')
  console.log(readFileSync(stories.messages, 'utf8'))
  if (status !== 0) failedSteps.push('storyboards')
  const report = read<Played & { own: Played }>(stories.output)
  if (!report) {
    total.failed += 1
    return
  }
  for (const part of [report, report.own]) {
    total.passed += part.storyboards.filter((storyboard) => storyboard.claimed && storyboard.kept).length
    total.skipped += part.storyboards.filter((storyboard) => !storyboard.claimed).length
    total.failed += part.totals.brokenClaims.length
  }
  // Every claim kept and still not 0: the table in the README is out of date.
  const broken = report.totals.brokenClaims.length + report.own.totals.brokenClaims.length
  if (status !== 0 && broken === 0) total.failed += 1
}

/** Starts a command that prints JSON beside the steps. What it prints goes to files: nobody reads a pipe while a step runs. */
function beside(name: string, words: readonly string[]) {
  const [output, messages] = [join(results, `${name}.json`), join(results, `${name}.log`)]
  const child = spawn('npx', words, { stdio: ['ignore', openSync(output, 'w'), openSync(messages, 'w')] })
  const ended = new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null))
    child.once('close', resolve)
  })
  return { output, messages, ended }
}

function read<T>(file: string): T | undefined {
  return existsSync(file) ? parsed(readFileSync(file, 'utf8')) : undefined
}

function parsed<T>(text: string): T | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
