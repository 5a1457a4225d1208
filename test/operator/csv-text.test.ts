import { expect, it } from 'vitest'
import { csvText, unguardedCell } from '../../src/operator/csv-text.ts'

it('quotes what RFC 4180 asks for, and shows formulas as text', () => {
  expect(
    csvText(
      ['name', 'spent'],
      [
        ['a "b", c', 0.1],
        ['=1+1', -5],
        ['-x', 2],
      ],
    ),
  ).toBe('name,spent\r\n"a ""b"", c",0.1\r\n\'=1+1,-5\r\n\'-x,2\r\n')
})

it.each([
  ['x;=1+1;y', `"x;'=1+1;y"`],
  ['x\t=1+1\ty', `"x\t'=1+1\ty"`],
  ['x; "=1+1"', `"x; ""'=1+1"""`],
  ['x\n@SUM(A1)', `"x\n'@SUM(A1)"`],
  ['\u00a0=1+1', `'\u00a0=1+1`],
  ['  +1', `'  +1`],
  ['\u200b-1', `'\u200b-1`],
  ['＝1+1', `'＝1+1`],
  ['＋1', `'＋1`],
  [' －1', `' －1`],
  ['＠SUM(A1)', `'＠SUM(A1)`],
  ['﹦1+1', `'﹦1+1`],
  ['x;＝1+1;y', `"x;'＝1+1;y"`],
  ['x\n＠SUM(A1)', `"x\n'＠SUM(A1)"`],
  ['\tx', `"'\tx"`],
  ['\rx', `"'\rx"`],
  ['\nx', `"'\nx"`],
  ['\u0001=1+1', `'\u0001=1+1`],
  ['a＝b', 'a＝b'],
  ['a; b', '"a; b"'],
  ['a - b', 'a - b'],
])('no formula begins after a separator of other programs, or after spaces: %j', (cell, written) => {
  expect(csvText(['name'], [[cell]])).toBe(`name\r\n${written}\r\n`)
})

it('a long run of spaces and separators is read once', () => {
  const began = performance.now()
  csvText(['name'], [['; '.repeat(100_000)]])
  expect(performance.now() - began).toBeLessThan(1000)
})

it.each(['=1', '＝1', '﹣1', '@x'])('the apostrophe before %j is taken off when the cell comes back', (cell) => {
  expect(unguardedCell(`'${cell}`)).toBe(cell)
  expect(unguardedCell(`'plain`)).toBe(`'plain`)
})
