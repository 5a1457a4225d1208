/**
 * The tests that every change passes: types, lint, unit, end-to-end and PostgreSQL tests, and beside them the official storyboards and our own
 * against the built server. What takes longer is in `tools/test-extended.ts`. Ends with one line that counts them, and a non-zero exit on any
 * failure.
 */
import { readFileSync } from 'node:fs'
import { readJson, TestRun } from './testing/test-run.ts'

/** What a run of storyboards says of the official ones, or of our own. */
interface Played {
  totals: { brokenClaims: string[] }
  storyboards: { claimed: boolean; kept: boolean }[]
}

const run = new TestRun('.test-results')
run.single('build', 'npm', ['run', '--silent', 'build'])
run.single('types', 'npm', ['run', '--silent', 'typecheck'])
run.single('lint', 'npm', ['run', '--silent', 'lint'])
run.single('generated tables of the documentation', 'npx', ['tsx', 'tools/docs.ts', '--check'])
/** For two thirds of their time the storyboards wait for what must not happen, such as a webhook too many. */
const stories = run.background('storyboards', ['tsx', 'tools/storyboards/run.ts', '--json', '--check', 'docs/conformance.md'])
await run.vitest(
  'unit, end-to-end and PostgreSQL tests',
  ['unit', 'agent', 'e2e', 'postgres'].map((name) => `--project=${name}`),
)
await storyboards()
run.finish()

async function storyboards(): Promise<void> {
  const status = await stories.ended
  console.log('\n== official storyboards, the table made from them, and our own storyboards')
  console.log(readFileSync(stories.messages, 'utf8'))
  const report = readJson<Played & { own: Played }>(stories.output)
  const failedStep = status === 0 ? undefined : 'storyboards'
  if (!report) {
    run.count({ failed: 1 }, failedStep)
    return
  }
  for (const part of [report, report.own]) {
    run.count({
      passed: part.storyboards.filter((storyboard) => storyboard.claimed && storyboard.kept).length,
      skipped: part.storyboards.filter((storyboard) => !storyboard.claimed).length,
      failed: part.totals.brokenClaims.length,
    })
  }
  // Every claim kept and still not 0: the table in docs/conformance.md is out of date.
  const broken = report.totals.brokenClaims.length + report.own.totals.brokenClaims.length
  run.count({ failed: status !== 0 && broken === 0 ? 1 : 0 }, failedStep)
}
