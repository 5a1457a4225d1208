import { expect, it } from 'vitest'
import { importFileOf } from '../../src/operator/imports/import-file.ts'
import { readProductFile } from '../../src/operator/products/product-file.ts'
import { loadContracts } from '../../src/protocol/contracts.ts'

const { schemas } = loadContracts().base
const HEAD =
  'product_id,name,description,channels,delivery_type,format_ids,publisher_domain,daily_capacity,pricing_model,currency,price'
const ROW = 'news,News,Text,display,guaranteed,display_300x250,a.example,1000,cpm,EUR,5'

/** What is said of a CSV: lines and messages, or the refusal. */
async function saidOf(text: string | Uint8Array<ArrayBuffer>): Promise<readonly string[]> {
  try {
    const read = await readProductFile(await importFileOf('products.csv', Buffer.from(text as string)), { schemas })
    return read.ok ? [] : read.problems.map(({ line, column, message }) => [line, column, message].filter(Boolean).join(': '))
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}

const FEW =
  'this row has 2 cells, the headings are 11: cells are separated by a comma, as the headings are; leave a cell empty but not out, and quote a cell that contains a comma'

it.each<readonly [string, string | Uint8Array<ArrayBuffer>, string]>([
  ['too few cells', `${HEAD}\r\n${ROW}\r\nnews2,x`, `3: ${FEW}`],
  ['too few cells behind a text of two lines', `${HEAD}\r\n${ROW.replace('Text', '"a\r\nb"')}\r\nnews2,x\r\n`, `4: ${FEW}`],
  ['too few cells behind a byte order mark and empty rows', `\uFEFF${HEAD}\n${ROW}\n\n${','.repeat(10)}\nnews2,x`, `5: ${FEW}`],
  ['too many cells', `${HEAD}\r\n${ROW},x`, `2: ${FEW.replace('2 cells', '12 cells')}`],
  [
    'rows by commas below headings by semicolons',
    `${HEAD.replaceAll(',', ';')}\n${ROW}`,
    `2: ${FEW.replace('2 cells', 'one cell').replaceAll('a comma', 'a semicolon')}`,
  ],
  [
    'a quote that nothing closes',
    `${HEAD}\n${ROW}\n"${ROW}\n${ROW}`,
    '3: cell 1 of this row begins with a quote that nothing closes up to the end of the file; close it, or double a quote that belongs to the text',
  ],
  [
    'a quote amid a cell',
    `${HEAD}\n${ROW.replace('News', '17" screens')}`,
    '2: cell 2 of this row has a quote amid its text; put the whole cell in quotes, and double each quote that belongs to the text',
  ],
  [
    'text behind a quote',
    `${HEAD}\n${ROW.replace('News', '"News" of today')}`,
    '2: cell 2 of this row goes on behind its closing quote; double a quote that belongs to the text, and write nothing between the closing quote and a comma',
  ],
  [
    'a long row',
    `${HEAD}\n${ROW.replace('News', `"${'x'.repeat(200_001)}`)}`,
    '2: this row has more than 200000 characters; shorten its texts, or close the quote that one of its cells begins with',
  ],
  ['no rows', HEAD, '1: the file holds no rows below its headings'],
  [
    'no headings',
    `${ROW}\n${ROW}x`,
    '1: has to name columns of the import format, and "5", "1000", "news" are none; write their names above the products (sales-agent products columns lists them)',
  ],
  [
    'bars between cells',
    `${HEAD}\n${ROW}`.replaceAll(',', '|'),
    'has the names of its columns separated by |; separate cells by commas, semicolons or tabs',
  ],
  ['JSON', '{"products":[]}', 'begins as JSON does and not with the names of columns; name a JSON file .json'],
  ['a workbook', 'PK\u0003\u0004\u0014\u0000', 'is a ZIP file and no text; name a workbook .xlsx'],
  [
    'letters in UTF-8, and one that is cut',
    Buffer.concat([Buffer.from(`${HEAD}\n${ROW.replace('News', 'Näwes')}\n`), Buffer.from('ä').subarray(0, 1)]),
    'cannot read products.csv: it is no UTF-8 text; save it as CSV UTF-8, or as .xlsx',
  ],
  [
    'a byte order mark of UTF-8 before Latin-1',
    Buffer.concat([Buffer.from('\uFEFF'), Buffer.from(`${HEAD}\n${ROW.replace('News', 'Näwes')}`, 'latin1')]),
    'cannot read products.csv: it is no UTF-8 text; save it as CSV UTF-8, or as .xlsx',
  ],
  [
    'bytes that Windows-1252 has no letter for',
    Buffer.from(`${HEAD}\n${ROW.replace('News', 'N\u0081wes')}`, 'latin1'),
    'cannot read products.csv: it is no UTF-8 text; save it as CSV UTF-8, or as .xlsx',
  ],
  [
    'UTF-16 without a byte order mark',
    Buffer.from(`${HEAD}\n${ROW}`, 'utf16le'),
    'cannot read products.csv: it is in UTF-16 without a byte order mark, or no text; save it as CSV UTF-8, or as .xlsx',
  ],
])('a CSV with %s is refused in the words of who wrote it', async (_name, text, said) => {
  expect(await saidOf(text)).toEqual([said])
})
