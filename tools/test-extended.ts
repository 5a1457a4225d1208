/**
 * What is too long for `npm test`, on the build that is there or a new one: tests of `test/extended` (foreign clients, matrices, faults, an
 * installation under each line of Node), and the tests that another Node could break on the newest ones. Takes at most an hour on two cores.
 * Ends with one line that counts all cases, and a non-zero exit on any failure.
 */
import { existsSync, readFileSync } from 'node:fs'
import { type NodeLine, obtainNode } from './runtime/other-node.ts'
import { TestRun } from './testing/test-run.ts'

/** The store, both clients and transports, the command line, workers, and a store that is killed: what another Node could break. */
const ON_OTHER_NODES = [
  ['unit', '--project=unit'],
  ['store', '--project=agent', 'test/store'],
  [
    'end-to-end',
    '--project=e2e',
    ...['adcp-client', 'backup-files', 'cli.test', 'crash.test', 'differential', 'workers'].map((name) => `test/e2e/${name}`),
  ],
] as const

/** Nothing more is begun after it: on a machine that is several times slower than usual the rest counts as skipped, so that the run ends within its hour. */
const LAST_START_MS = 45 * 60_000
const started = performance.now()

const run = new TestRun('.test-results-extended')
run.single('build', 'npm', ['run', '--silent', 'build'])
await run.vitest('extended tests', ['--project=extended'])
run.single('storyboards on the embedded ad server', 'npx', ['tsx', 'tools/storyboards/run.ts', '--backend', 'embedded'])
for (const line of [24, 26] as const) await onOtherNode(line)
repeatFailures()
run.finish()

/** Prints what failed in `npm test` before, because a CI log may show the end only. */
function repeatFailures(): void {
  const file = '.test-results/failed.txt'
  const failures = existsSync(file) ? readFileSync(file, 'utf8') : ''
  if (failures !== '') console.log(`\nfailed in the last npm test, not counted here:\n${failures}`)
}

/** Where that Node cannot be had, or no time is left, this is printed and counts as skipped. */
async function onOtherNode(line: NodeLine): Promise<void> {
  if (performance.now() - started > LAST_START_MS) {
    run.skip(`tests on Node ${line}`, `the run has taken ${LAST_START_MS / 60_000} minutes already; a faster machine runs them`)
    return
  }
  const found = obtainNode(line)
  if (typeof found === 'string') {
    run.skip(`tests on Node ${line}`, found)
    return
  }
  for (const [name, ...args] of ON_OTHER_NODES)
    await run.vitest(`${name} tests on Node ${found.version}`, args, found.environment)
}
