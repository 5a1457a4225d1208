import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { failuresOf, filesThatFailed } from '../../tools/testing/vitest-report.ts'

const test = (status: string, ...failureMessages: string[]) => ({ status, fullName: 'adds up', failureMessages })
const file = (status: string, message: string, ...assertionResults: ReturnType<typeof test>[]) => ({
  name: resolve('test/sums.test.ts'),
  ...{ status, message, assertionResults },
})

it.each([
  [
    'a test',
    file('failed', '', test('passed'), test('failed', 'expected 3 to be 4\n  at sums.test.ts')),
    'adds up: expected 3 to be 4',
    0,
  ],
  [
    'a hook',
    file('failed', 'Hook timed out in 50ms.\nPass a value', test('skipped')),
    'outside its tests: Hook timed out in 50ms.',
    1,
  ],
  ['a hook after all tests', file('failed', 'folder not empty', test('passed')), 'outside its tests: folder not empty', 1],
  ['an import', file('failed', 'Cannot find module "x"'), 'outside its tests: Cannot find module "x"', 1],
  ['something that says nothing', file('failed', ''), 'outside its tests: it was not loaded', 1],
])('a file fails by %s, and the reason is named', (_what, failed, reason, files) => {
  const testResults = [file('passed', '', test('passed')), failed]
  expect(failuresOf({ testResults })).toEqual([`  test/sums.test.ts > ${reason}`])
  expect(filesThatFailed({ testResults })).toBe(files)
})
