/**
 * What is too long for `npm test`, on the build that is there or a new one: tests of `test/extended` (foreign clients, matrices, faults, an
 * installation under each line of Node), and the tests that another Node could break on the newest ones. Takes at most an hour on two cores.
 * Ends with one line that counts all cases, and a non-zero exit on any failure.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { type NodeLine, obtainNode } from './runtime/other-node.ts'
import { TestRun } from './testing/test-run.ts'
import { TimeLeft } from './testing/time-left.ts'

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

/** Rounds of kills, faults and generated input: what takes longest, and is left out first where time is short. */
const ROUNDS = /(?:-kills|-crash|-rounds|-fuzz|hostile|ad-week|gam\/contract|gam\/faults)\.test\.ts$/
/** Minutes that they take on a slow machine, and that the tests on one other Node do. */
const [ROUNDS_TAKE, NODE_TAKES] = [25, 10]

const FOLDER = 'test/extended'
const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => `${FOLDER}/${file}`)
const time = new TimeLeft()

const run = new TestRun('.test-results-extended')
run.single('build', 'npm', ['run', '--silent', 'build'])
await run.vitest('extended tests', ['--project=extended', ...files.filter((file) => !ROUNDS.test(file))])
const late = time.tooLateFor(ROUNDS_TAKE)
if (late === undefined)
  await run.vitest('rounds of kills and faults', ['--project=extended', ...files.filter((file) => ROUNDS.test(file))])
else run.skip('rounds of kills and faults', late)
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
  const found = time.tooLateFor(NODE_TAKES) ?? obtainNode(line)
  if (typeof found === 'string') {
    run.skip(`tests on Node ${line}`, found)
    return
  }
  for (const [name, ...args] of ON_OTHER_NODES)
    await run.vitest(`${name} tests on Node ${found.version}`, args, found.environment)
}
