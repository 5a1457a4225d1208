/**
 * Every test of the project, in the order of their cost: types, lint, unit, end-to-end and PostgreSQL tests, then the official
 * storyboards and our own against the built server. Ends with one line that counts them, and a non-zero exit on any failure.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface Counts {
  passed: number
  failed: number
  skipped: number
}

/** What a run of storyboards says of the official ones, or of our own. */
interface Played {
  totals: { brokenClaims: string[] }
  storyboards: { claimed: boolean; kept: boolean }[]
}

const results = '.test-results'
rmSync(results, { recursive: true, force: true })
mkdirSync(results, { recursive: true })

const total: Counts = { passed: 0, failed: 0, skipped: 0 }
/** The steps that failed, named again at the end: their own output is far above by then. */
const failedSteps: string[] = []

/** A step without cases of its own counts as one. */
function step(name: string, command: string, args: readonly string[]): boolean {
  console.log(`\n== ${name}`)
  const { status } = spawnSync(command, args, { stdio: 'inherit' })
  if (status !== 0) failedSteps.push(name)
  return status === 0
}

function single(name: string, command: string, args: readonly string[]): void {
  if (step(name, command, args)) total.passed += 1
  else total.failed += 1
}

single('build', 'npm', ['run', '--silent', 'build'])
single('types', 'npm', ['run', '--silent', 'typecheck'])
single('lint', 'npm', ['run', '--silent', 'lint'])
single('generated tables of the README', 'npx', ['tsx', 'tools/docs.ts', '--check'])
vitest()
storyboards()

if (failedSteps.length > 0) console.log(`\nfailed: ${failedSteps.join(', ')}`)
console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`)
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1

function vitest(): void {
  const report = join(results, 'vitest.json')
  const ok = step('unit, end-to-end and PostgreSQL tests', 'npx', [
    'vitest',
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ])
  const counted = read<{ numPassedTests: number; numFailedTests: number; numPendingTests: number; numFailedTestSuites: number }>(
    report,
  )
  if (!counted) {
    total.failed += 1
    return
  }
  total.passed += counted.numPassedTests
  total.failed += counted.numFailedTests
  total.skipped += counted.numPendingTests
  // A file that could not be loaded, or an error outside any test, fails the run without failing a test.
  if (!ok && counted.numFailedTests === 0) total.failed += Math.max(1, counted.numFailedTestSuites)
}

function storyboards(): void {
  console.log('\n== official storyboards, the README table made from them, and our own storyboards')
  const args = ['tsx', 'tools/storyboards/run.ts', '--json', '--check', 'README.md']
  const { status, stdout } = spawnSync('npx', args, { stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 2 ** 26 })
  if (status !== 0) failedSteps.push('storyboards')
  writeFileSync(join(results, 'storyboards.json'), stdout)
  const report = read<Played & { own: Played }>(join(results, 'storyboards.json'))
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

function read<T>(file: string): T | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}
