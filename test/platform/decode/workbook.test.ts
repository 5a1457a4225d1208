import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate'
import { expect, it } from 'vitest'
import { importFileOf } from '../../../src/operator/imports/import-file.ts'
import { decode } from '../../../src/platform/decode/decode.ts'
import { decodeRefusals } from '../../../src/platform/decode/decode-refusals.ts'
import { DecodeThread } from '../../../src/platform/decode/decode-thread-handle.ts'
import { workbook } from '../../support/workbook.ts'

const rows = [
  ['product_id', 'price'],
  ['a', 12.5],
]
const SHEET = 'xl/worksheets/sheet1.xml'

/** The workbook with its second row elsewhere. */
function movedTo(cell: string, row = '2'): Uint8Array {
  const files = unzipSync(workbook([['x'], ['y']]))
  const sheet = strFromU8(files[SHEET] ?? new Uint8Array())
  return zipSync({ ...files, [SHEET]: strToU8(sheet.replace('r="A2"', `r="${cell}"`).replace('r="2"', `r="${row}"`)) })
}

it('a cell far outside the table is refused by its name, with what is allowed', async () => {
  await expect(importFileOf('far.xlsx', movedTo('XFD1048576'))).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
    field: 'file',
    message: expect.stringMatching(/^cannot read far\.xlsx as a workbook: it has a cell XFD1048576; a sheet may have \d+ rows/),
  })
})

it('neither may a row be far outside, nor a column that character references hide', async () => {
  await expect(importFileOf('far.xlsx', movedTo('A2', '1048576'))).rejects.toThrow('it has a row 1048576')
  await expect(importFileOf('far.xlsx', movedTo('&#88;&#70;&#68;2'))).rejects.toThrow('it has 2 rows and 16384 columns')
})

it('what the look at the cells does not see ends the thread, not the process, and is counted', async () => {
  const before = decodeRefusals().get('workbook memory') ?? 0
  const hidden = movedTo('&#88;&#70;&#68;1048576', '&#49;048576')
  await expect(importFileOf('hidden.xlsx', hidden)).rejects.toMatchObject({ message: expect.stringContaining('MiB of memory') })
  expect(decodeRefusals().get('workbook memory')).toBe(before + 1)
  expect((await decode('workbook', { bytes: workbook(rows) })).flat()).toEqual([
    { line: 1, cells: ['product_id', 'price'] },
    { line: 2, cells: ['a', '12.5'] },
  ])
})

it('a document that takes longer than its deadline ends the thread', async () => {
  const thread = new DecodeThread()
  await expect(thread.decode('workbook', { bytes: workbook(rows) }, 1)).rejects.toMatchObject({ limit: 'time' })
  expect(thread.hasEnded).toBe(true)
})

it('more workbooks than there are threads are read in turn', async () => {
  const read = await Promise.all(Array.from({ length: 10 }, () => decode('workbook', { bytes: workbook(rows) })))
  expect(read.map((parts) => parts.flat().length)).toEqual(Array(10).fill(2))
})
