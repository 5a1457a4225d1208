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
/** All other files run in so many parts, each begun only while there is time for it. */
const PARTS = 4
/** Minutes on a slow machine: of a part, of the rounds, of the tests on one other Node. */
const [PART_TAKES, ROUNDS_TAKE, NODE_TAKES] = [14, 25, 10]

const FOLDER = 'test/extended'
const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => `${FOLDER}/${file}`)
const others = files.filter((file) => !ROUNDS.test(file))
const time = new TimeLeft()

const run = new TestRun('.test-results-extended')
run.single('build', 'npm', ['run', '--silent', 'build'])
run.single('storyboards on the embedded ad server', 'npx', ['tsx', 'tools/storyboards/run.ts', '--backend', 'embedded'])
for (let part = 0; part < PARTS; part++)
  await inTime(
    `extended tests, part ${part + 1} of ${PARTS}`,
    others.filter((_, place) => place % PARTS === part),
    PART_TAKES,
  )
await inTime(
  'rounds of kills and faults',
  files.filter((file) => ROUNDS.test(file)),
  ROUNDS_TAKE,
)
for (const line of [24, 26] as const) await onOtherNode(line)
repeatFailures()
run.finish()

/** Runs test files if there are so many minutes; otherwise says so, and counts one as skipped. */
async function inTime(name: string, testFiles: readonly string[], minutes: number): Promise<void> {
  const late = time.tooLateFor(minutes)
  if (late === undefined) await run.vitest(name, ['--project=extended', ...testFiles])
  else run.skip(name, late)
}

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
