import { strToU8, zipSync } from 'fflate'
import { workbook, workbookOfOneText } from '../../test/support/workbook.ts'
import type { Exchange } from './exchange.ts'
import type { Kind, Place } from './places.ts'
import { isRecord } from './schema-node.ts'

/** A name in an archive has 65,535 bytes at most, and a letter of the patterns has three (APPNOTE.TXT 4.4.10). */
const MOST_NAME_LETTERS = 20_000
const BOUNDARY = 'hostile-boundary'
/** What begins a file of each format that is known by its first bytes. */
const SIGNATURES: Readonly<Record<string, readonly number[]>> = {
  'a.png': [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52],
  'a.jpg': [0xff, 0xd8, 0xff, 0xe0, 0, 2],
  'a.gif': [0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 1, 0, 1, 0],
  'a.webp': [0x52, 0x49, 0x46, 0x46, 0xff, 0xff, 0, 0, 0x57, 0x45, 0x42, 0x50, 0x56, 0x50, 0x38, 0x58],
  'a.mp4': [0, 0, 0, 0x18, 0x66, 0x74, 0x79, 0x70, 0x69, 0x73, 0x6f, 0x6d],
  'a.zip': [0x50, 0x4b, 3, 4],
}

/** Places in a file that a form takes: in its text, its rows, the names in an archive, the parts of the form itself. */
export function filePlaces(base: Exchange): Place[] {
  const place = (path: string, kind: Kind, parts: (value: unknown) => readonly Part[]): Place => ({
    ...{ path, at: '', kind, schema: {}, name: path },
    item: (index) => `id${index},name ${index},${index}`,
    put: (request, value) => ({ ...(isRecord(request) && request), ...multipart(base, parts(value)) }),
  })
  const file = (name: string, kind: Kind, bytes: (value: unknown) => Uint8Array) =>
    place(`file ${name}`, kind, (value) => [{ name: 'file', fileName: name, bytes: bytes(value) }])
  return [
    ...['a.csv', 'a.json', 'a.txt'].map((name) => file(name, 'text', (value) => strToU8(plain(value)))),
    file('a.csv', 'list', (value) => strToU8(`product_id,name,price\n${rowsOf(value).join('\n')}`)),
    file('a.json', 'list', (value) => strToU8(JSON.stringify({ version: 1, products: value }))),
    file('a.json', 'map', (value) => strToU8(JSON.stringify(value))),
    file('a.xlsx', 'list', (value) => workbook(rowsOf(value).map((row) => [row, 1]))),
    file('a.xlsx', 'text', (value) => workbook([['product_id'], [plain(value).replaceAll(/[<>&]/g, '_')]])),
    file('same.xlsx', 'text', (value) => workbookOfOneText(plain(value).replaceAll(/[<>&]/g, '_'), 200, 20)),
    file('a.zip', 'map', (value) => zipSync(archiveOf(value), { level: 0 })),
    file('a.zip', 'text', (value) => zipSync({ 'index.html': strToU8(plain(value)) })),
    ...Object.entries(SIGNATURES).map(([name, start]) =>
      file(name, 'text', (value) => Buffer.concat([Uint8Array.from(start), strToU8(plain(value))])),
    ),
    place('parts of the form', 'map', (value) =>
      Object.entries(isRecord(value) ? value : {}).map(([name, each]) => ({ name, bytes: strToU8(plain(each)) })),
    ),
    place('headers of a part', 'text', (value) => [{ name: plain(value), fileName: 'a.csv', bytes: strToU8('x') }]),
  ]
}

interface Part {
  readonly name: string
  readonly fileName?: string
  readonly bytes: Uint8Array
}

/** The parts of an exchange that make it a form with a file (RFC 7578): its fields first, the token against forgery before all others. */
function multipart({ form, headers }: Exchange, parts: readonly Part[]): Partial<Exchange> {
  const fields = Object.entries(isRecord(form) ? form : {}).map(([name, value]) => ({ name, bytes: strToU8(plain(value)) }))
  const written = [...fields, ...parts].flatMap(({ name, fileName, bytes }: Part) => {
    const file = fileName === undefined ? '' : `; filename="${fileName}"`
    return [strToU8(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`), bytes, strToU8('\r\n')]
  })
  return {
    form: undefined,
    headers: { ...(isRecord(headers) && headers), 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    body: Buffer.concat([...written, strToU8(`--${BOUNDARY}--\r\n`)]),
  }
}

const plain = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
const rowsOf = (value: unknown): string[] => (Array.isArray(value) ? value : [value]).map(plain)

function archiveOf(value: unknown): Record<string, Uint8Array> {
  const names = Object.keys(isRecord(value) ? value : {})
  return Object.fromEntries(['index.html', ...names].map((name) => [name.slice(0, MOST_NAME_LETTERS) || 'x', strToU8('x')]))
}
