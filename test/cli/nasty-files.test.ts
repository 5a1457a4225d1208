import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { readImportFile } from '../../src/cli/read-import-file.ts'
import { readNamedFile } from '../../src/cli/read-named-file.ts'
import { csvText } from '../../src/operator/csv-text.ts'
import { readProductFile } from '../../src/operator/products/product-file.ts'
import { loadContracts } from '../../src/protocol/contracts.ts'
import { workbook } from '../support/workbook.ts'

const { schemas } = loadContracts().base
const folder = mkdtempSync(join(tmpdir(), 'sales-agent-nasty-'))
afterAll(() => rmSync(folder, { recursive: true }))

const HEADINGS = [
  'product_id',
  'name',
  'description',
  'channels',
  'delivery_type',
  'format_ids',
  'publisher_domain',
  'daily_capacity',
  'pricing_model',
  'currency',
  'price',
]
const row = (id: string, name = 'Name', price = '5') => [
  ...[id, name, 'Text', 'display', 'guaranteed', 'display_300x250', 'a.example', '1000', 'cpm', 'EUR'],
  price,
]
const lines = (rows: readonly (readonly string[])[], delimiter = ',') => rows.map((cells) => cells.join(delimiter)).join('\r\n')

async function read(name: string, bytes: string | Uint8Array) {
  writeFileSync(join(folder, name), bytes)
  const result = await readProductFile(await readImportFile(join(folder, name)), { schemas })
  return result.ok ? { products: result.file.products, problems: [] } : { products: [], problems: result.problems }
}

function utf16(text: string, isBigEndian: boolean): Buffer {
  const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le')
  return isBigEndian ? bytes.swap16() : bytes
}

/** Letters of Latin-1, an en dash and the sign of the euro. */
function windows1252(text: string): Buffer {
  return Buffer.from(text.replaceAll('€', '\u0080').replaceAll('–', '\u0096'), 'latin1')
}

describe('a table as a spreadsheet leaves it', () => {
  it.each([false, true])('in UTF-16, separated by tabs ("Unicode text" of Excel); big-endian: %s', async (isBigEndian) => {
    const { products, problems } = await read(
      'unicode.txt.csv',
      utf16(lines([HEADINGS, row('a', 'Zürich 新聞')], '\t'), isBigEndian),
    )
    expect([problems, products[0]?.name]).toEqual([[], 'Zürich 新聞'])
  })

  it('in Windows-1252 ("CSV" of Excel in western languages), which is said', async () => {
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const text = lines([HEADINGS, row('a', 'Zürich – 5 €', '5,50')], ';')
    const { products, problems } = await read('western.csv', windows1252(text))
    expect([problems, products[0]?.name]).toEqual([[], 'Zürich – 5 €'])
    expect(said.mock.calls.flat().join('')).toContain('western.csv is no UTF-8 and was read as Windows-1252')
    said.mockClear()
    expect((await read('utf8.csv', text)).products[0]?.name).toBe('Zürich – 5 €')
    expect(said).not.toHaveBeenCalled()
    said.mockRestore()
  })

  it.each(['', '\uFEFF'])('with the line that names the separator, and empty rows around (%j before it)', async (mark) => {
    const empty = ';'.repeat(HEADINGS.length - 1)
    const text = `${mark}sep=;\r\n${lines([HEADINGS, row('a', 'Name', '5,50'), [empty], row('b', 'Name', 'cheap'), [empty]], ';')}\r\n\r\n`
    const { problems } = await read('named.csv', text)
    expect(problems.map(({ line, column }) => [line, column])).toEqual([[5, 'price']])
  })

  it('with an empty line before the headings', async () => {
    const { products, problems } = await read('late.csv', `\r\n${lines([HEADINGS, row('a', 'Name', '5,50')], ';')}`)
    expect([problems, products[0]?.pricing_options]).toEqual([[], [expect.objectContaining({ fixed_price: 5.5 })]])
  })

  it('with a heading that is there twice: neither column is dropped in silence', async () => {
    const twice = [...HEADINGS, 'price']
    const expected = [{ line: 1, column: 'price', message: 'several columns have this heading; leave one of them' }]
    expect((await read('twice.csv', lines([twice, [...row('a'), '9']]))).problems).toEqual(expected)
    expect((await read('twice.xlsx', workbook([twice, [...row('a'), '9']]))).problems).toEqual(expected)
  })

  it('with formulas where numbers and texts belong: they are text, and nothing is computed', async () => {
    const { problems } = await read('formula.csv', lines([HEADINGS, row('a', '=1+1', '=2*3')]))
    expect(problems.map(({ line, column }) => [line, column])).toEqual([[2, 'price']])
    const { products } = await read('name.csv', lines([HEADINGS, row('a', '"=HYPERLINK(""https://x.example"")"')]))
    expect(products[0]?.name).toBe('=HYPERLINK("https://x.example")')
  })

  it('with a line break in a quoted cell: problems after it are at the line of the file', async () => {
    const rows = [row('a', '"two\r\nlines"'), row('b', '"or\nthree\nlines"', 'low'), row('c', 'Name', 'cheap')]
    const { problems } = await read('breaks.csv', lines([HEADINGS, ...rows]))
    expect(problems.map(({ line, column }) => [line, column])).toEqual([
      [4, 'price'],
      [7, 'price'],
    ])
  })
})

it('texts of others in an exported table are no formulas', () => {
  const cells = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', 'plain', 'a,"b"']
  const text = csvText(
    ['name', 'spent'],
    cells.map((cell) => [cell, -1.5]),
  )
  const written = text.split('\r\n').slice(1, -1)
  expect(written.map((line) => line.replace(/,-1\.5$/, ''))).toEqual([
    ...["'=1+1", "'+1", "'-1", "'@SUM(A1)", `"'\t'=1"`, `"'\r'=1"`, 'plain', '"a,""b"""'],
  ])
})

it('a file without an end is refused by its size', () => {
  expect(() => readNamedFile('/dev/zero', 'file')).toThrow('file is larger than 256 MiB')
})
