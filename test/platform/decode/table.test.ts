import { expect, it } from 'vitest'
import { importFileOf } from '../../../src/operator/imports/import-file.ts'
import { readSheet } from '../../../src/operator/imports/read-sheet.ts'

const problemsOf = async (text: string) => {
  const read = await readSheet(await importFileOf('table.csv', Buffer.from(text)))
  return read.ok ? [] : read.problems.map(({ message }) => message)
}

it('a table of more rows, columns or cells than a sheet may have is refused with what it may have', async () => {
  const size = [expect.stringMatching(/^has more than 50001 rows, 256 columns or 1000000 cells; split it/)]
  expect(await problemsOf(`a,b\n${'1,2\n'.repeat(200_000)}`)).toEqual(size)
  expect(await problemsOf(Array(300).fill('x').join(','))).toEqual(size)
})

it('a record without an end is not collected', async () => {
  expect(await problemsOf(`a\n"${'x'.repeat(1_000_000)}`)).toEqual([expect.stringContaining('200000')])
})

it('the largest table is read whole', async () => {
  const read = await readSheet(await importFileOf('table.csv', Buffer.from(`a,b\n${'1,2\n'.repeat(50_000)}`)))
  expect(read.ok && [read.rows.length, read.rows.at(-1)]).toEqual([50_000, { line: 50_001, cells: { a: '1', b: '2' } }])
})
