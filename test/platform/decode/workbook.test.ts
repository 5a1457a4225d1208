import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate'
import { expect, it } from 'vitest'
import { importFileOf } from '../../../src/operator/imports/import-file.ts'
import { madeFile } from '../../../src/operator/made-file.ts'
import { decode } from '../../../src/platform/decode/decode.ts'
import { decodeRefusals } from '../../../src/platform/decode/decode-refusals.ts'
import { DecodeThread } from '../../../src/platform/decode/decode-thread-handle.ts'
import { writtenSheet } from '../../../src/platform/decode/written-file.ts'
import { workbook, workbookOfOneText } from '../../support/workbook.ts'

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

/** The workbook with another size of its sheet in the header before it (APPNOTE.TXT, 4.3.7). */
function declaring(bytes: number): Uint8Array {
  const archive = Buffer.from(workbook(rows))
  const name = archive.indexOf(SHEET)
  expect(archive.readUInt32LE(name - 30)).toBe(0x04034b50)
  archive.writeUInt32LE(bytes, name - 8)
  return archive
}

it.each([500_000_000, 4_294_967_295, 1])('a part that declares %d bytes is as large as what is in it', async (bytes) => {
  expect(await decode('workbook', { bytes: declaring(bytes) })).toHaveLength(2)
})

it.each(['ZZZZZ1', 'A99999999999', `${'Z'.repeat(400)}1`])('a cell of no sheet is refused: %s', async (cell) => {
  await expect(importFileOf('far.xlsx', movedTo(cell, '2'))).rejects.toThrow(`it has a cell ${cell}; a sheet may have`)
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
  expect(await decode('workbook', { bytes: workbook(rows) })).toEqual([
    { line: 1, cells: ['product_id', 'price'] },
    { line: 2, cells: ['a', '12.5'] },
  ])
})

it('a text that many cells refer to counts for each: in a cell, a row and the whole', async () => {
  const read = (length: number, rows: number, columns: number) =>
    importFileOf('same.xlsx', workbookOfOneText('A'.repeat(length), rows, columns))
  await expect(read(1_000_000, 100, 20)).rejects.toMatchObject({
    field: 'file',
    message:
      'cannot read same.xlsx as a workbook: it has 1000000 characters in cell A1 of its first sheet; 32767 in a cell are allowed: shorten the text',
  })
  await expect(read(32_767, 100, 7)).rejects.toThrow('it has 229369 characters in row 1 of its first sheet; 200000 in a row')
  await expect(read(9_500, 300, 20)).rejects.toThrow('it comes to more than 50000000 characters when it is read, each repetition')
  const { table } = await read(32_767, 3, 2)
  expect(table?.ok && table.rows.map(({ cells }) => cells.map(({ length }) => length))).toEqual(Array(3).fill([32_767, 32_767]))
})

it('a document that takes longer than its deadline ends the thread', async () => {
  const thread = new DecodeThread()
  await expect(thread.decode('workbook', { bytes: workbook(rows) }, 1)).rejects.toMatchObject({ limit: 'time' })
  expect(thread.hasEnded).toBe(true)
})

it('more workbooks than there are threads are read in turn', async () => {
  const read = await Promise.all(Array.from({ length: 10 }, () => decode('workbook', { bytes: workbook(rows) })))
  expect(read.map(({ length }) => length)).toEqual(Array(10).fill(2))
})

it('a workbook that would use up the memory of a thread is not begun', async () => {
  const written = (rows: number, cell: string) =>
    madeFile(writtenSheet({ sheet: 'a', headings: ['h'], rows: Array(rows).fill(Array(10).fill(cell)) }))
  await expect(written(30_001, 'a')).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
    message: 'the file has more than 300000 cells: ask for less, or take it as CSV',
  })
  await expect(written(2_000, 'a'.repeat(751))).rejects.toThrow('has more than 15000000 characters')
  expect((await written(3, 'a')).length).toBeGreaterThan(1_000)
})

/** A workbook whose cells and rows are in their order and have no names, which ECMA-376 allows. */
function unnamed(row: string, count: number): Uint8Array {
  const files = unzipSync(workbook([['x']]))
  const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
  const sheet = `<worksheet ${main}><sheetData>${row.repeat(count)}</sheetData></worksheet>`
  return zipSync({ ...files, [SHEET]: strToU8(sheet) })
}

it('cells without names are refused in words of a spreadsheet, not of the program', async () => {
  const file = unnamed('<row><c><v>1</v></c><c><v>2</v></c></row>', 2)
  await expect(importFileOf('plain.xlsx', file)).rejects.toThrow(
    'cannot read plain.xlsx as a workbook: its sheet cannot be read: a cell does not say where it is, or the file is damaged; open it with a spreadsheet program and save it as .xlsx again, or as CSV UTF-8',
  )
})

it('cells without names count', async () => {
  const file = unnamed(`<row>${'<c/>'.repeat(100)}</row>`, 10_001)
  await expect(importFileOf('many.xlsx', file)).rejects.toThrow('it has more than 1000000 cells; a sheet may have')
})
