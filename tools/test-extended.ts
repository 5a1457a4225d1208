/**
 * What is too long for `npm test`, on the build that is there or a new one: tests of `test/extended` (foreign clients, matrices, faults), and the
 * tests that another Node could break on that Node. Takes at most an hour on two cores. Ends with one line that counts all cases, and a non-zero
 * exit on any failure.
 */
import type { OtherNode } from './runtime/other-node.ts'
import { readJson, TestRun } from './testing/test-run.ts'

/** Both clients and transports, the command line, workers, and a store that is killed: what another Node could break. */
const ON_OTHER_NODES = ['adcp-client', 'cli.test', 'crash.test', 'differential', 'workers'].map((name) => `test/e2e/${name}`)

const run = new TestRun('.test-results-extended')
/** The native module is compiled for Node 24 beside the steps before its own. */
const node24 = run.background('node-24', ['tsx', 'tools/runtime/obtain.ts'])
run.single('build', 'npm', ['run', '--silent', 'build'])
run.vitest('extended tests', ['--project=extended', '--passWithNoTests'])
await onNode24()
run.finish()

/** Where that Node cannot be had, this is printed and counts as skipped. */
async function onNode24(): Promise<void> {
  await node24.ended
  const found = readJson<OtherNode | { readonly reason: string }>(node24.output) ?? { reason: 'tools/runtime/obtain.ts failed' }
  if ('reason' in found) {
    run.skip('tests on Node 24', found.reason)
    return
  }
  run.vitest(`unit tests on Node ${found.version}`, ['--project', 'unit'], found.environment)
  run.vitest(`end-to-end tests on Node ${found.version}`, ['--project', 'e2e', ...ON_OTHER_NODES], found.environment)
}
