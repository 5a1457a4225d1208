import { expect, test } from 'vitest'
import { satisfies } from '../../../../src/domain/creative/canonical/satisfies.ts'

test.each([
  ['a fixed size that is stated', { width: 300, height: 250 }, { width: 300, height: 250 }, true],
  ['a fixed size as the only one of a list', { width: 300, height: 250 }, { sizes: [{ width: 300, height: 250 }] }, true],
  [
    'one of several sizes',
    { width: 300, height: 250 },
    {
      sizes: [
        { width: 300, height: 250 },
        { width: 1, height: 1 },
      ],
    },
    false,
  ],
  ['another size', { width: 300, height: 250 }, { width: 300, height: 600 }, false],
  ['no size where one is fixed', { width: 300, height: 250 }, {}, false],
  ['no size where none is fixed', {}, {}, true],
  ['a size where none is fixed', {}, { width: 300, height: 250 }, true],
  ['a size within limits', { min_width: 300, max_width: 600 }, { width: 400 }, true],
  ['a size outside limits', { min_width: 300, max_width: 600 }, { width: 700 }, false],
  ['limits within limits', { min_width: 300 }, { min_width: 320, max_width: 400 }, true],
  ['limits that overlap only', { min_width: 300 }, { min_width: 200, max_width: 400 }, false],
  ['the fixed length', { duration_ms_exact: 15000 }, { duration_ms_exact: 15000 }, true],
  ['a range where a length is fixed', { duration_ms_exact: 15000 }, { duration_ms_range: [10000, 20000] }, false],
  ['a length within a range', { duration_ms_range: [6000, 30000] }, { duration_ms_exact: 15000 }, true],
  ['a range within a range', { duration_ms_range: [null, 60000] }, { duration_ms_range: [15000, 30000] }, true],
  ['a range that overlaps only', { duration_ms_range: [null, 60000] }, { duration_ms_range: [15000, 90000] }, false],
  ['no length where a range is declared', { duration_ms_range: [null, 60000] }, {}, false],
])('%s', (_case, declared, wanted, expected) => {
  expect(satisfies(declared, wanted)).toBe(expected)
})
