import { DecodeFault } from './decode-fault.ts'
import { decodedSize } from './decoded-size.ts'
import { type FeedRecord, isRecord } from './feed-record.ts'

/** The bytes of a feed, in UTF-8. */
export interface FeedInput {
  readonly bytes: Uint8Array
}

/** How a feed is written. */
export type FeedSyntax = 'json' | 'xml' | 'delimited'

/** A record of a feed. */
export interface FeedItem {
  readonly syntax: FeedSyntax
  readonly record: FeedRecord
}

/** Longest record of a CSV feed, and longest text of a record in a JSON feed, in characters. */
const MAX_RECORD = 200_000
/** A feed of the largest size that is fetched has as many records of 100 bytes. */
const MAX_RECORDS = 100_000
/** Values of one record, on all levels: a product of 2,000 variants with 20 members each has as many. */
const MAX_VALUES = 50_000
/** Columns of a CSV feed, and characters of a heading: the specifications of the well-known formats have some 200 fields. */
const MAX_COLUMNS = 1_000
const MAX_HEADING = 200

/**
 * Records of a feed. The syntax (JSON, XML, delimited text) is recognised from the text itself: the well-known formats exist in several. Throws DecodeFault when it
 * cannot be read.
 */
export async function* feedRecords({ bytes }: FeedInput): AsyncGenerator<FeedItem> {
  const { syntax, records } = await recordsIn(new TextDecoder().decode(bytes))
  if (records.length > MAX_RECORDS)
    throw new DecodeFault('size', `has ${records.length} items; ${MAX_RECORDS} are allowed: split it into several catalogs`)
  for (const [index, record] of records.entries()) {
    requireFewValues(record, index)
    yield { syntax, record }
  }
}

function requireFewValues(record: FeedRecord, index: number): void {
  if (decodedSize(record, MAX_VALUES).values <= MAX_VALUES) return
  const most = `more than ${MAX_VALUES} values, item ${index}`
  throw new DecodeFault('size', `has an item with ${most}; split it, or leave out what is no field of an item`)
}

async function recordsIn(text: string): Promise<{ readonly syntax: FeedSyntax; readonly records: readonly FeedRecord[] }> {
  const start = text.trimStart()[0]
  if (start === undefined) throw unreadable('is empty')
  if (start === '<') return { syntax: 'xml', records: (await import('./feed-xml.ts')).readXml(text) }
  if (start === '{' || start === '[') return { syntax: 'json', records: readJson(text) }
  return { syntax: 'delimited', records: await readDelimited(text) }
}

/** A list of items, or an object with one list of items (`items`, `products`, …). */
function readJson(text: string): readonly FeedRecord[] {
  const document = parsedJson(text)
  const list = Array.isArray(document) ? document : listIn(document)
  if (!list) throw unreadable('holds no list of items')
  const records = list.filter(isRecord)
  if (records.length < list.length) throw unreadable('has items that are no objects')
  for (const [index, record] of records.entries()) refuseLongTexts(record, index)
  return records
}

/** Refuses an item with a text that is longer than the text of any ad. */
function refuseLongTexts(record: FeedRecord, index: number): void {
  for (const [name, value] of Object.entries(record)) {
    if (typeof value !== 'string' || value.length <= MAX_RECORD) continue
    const place = `in item ${index}, ${name.slice(0, 64)}`
    throw new DecodeFault('size', `has a text of ${value.length} characters ${place}; ${MAX_RECORD} are allowed`)
  }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw unreadable('is not JSON that can be read')
  }
}

function listIn(document: unknown): readonly unknown[] | undefined {
  if (!isRecord(document)) return undefined
  if (Array.isArray(document.items)) return document.items
  const lists = Object.values(document).filter((value) => Array.isArray(value))
  return lists.length === 1 ? lists[0] : undefined
}

/** Comma, semicolon or tab, whichever the heading has most of. A record costs as much as its own cells, however many headings there are. */
async function readDelimited(text: string): Promise<readonly FeedRecord[]> {
  const { parse } = await import('csv-parse/sync')
  const heading = text.slice(0, text.indexOf('\n') < 0 ? undefined : text.indexOf('\n'))
  const count = (delimiter: string) => heading.split(delimiter).length
  const delimiter = [',', '\t', ';'].reduce((best, other) => (count(other) > count(best) ? other : best))
  const read = (from: number, to: number): string[][] =>
    parse(text, {
      ...{ delimiter, from, to },
      skip_empty_lines: true,
      relax_column_count: true,
      trim: true,
      max_record_size: MAX_RECORD,
    })
  const [headings = []] = delimitedRows(() => read(1, 1))
  const names = namesOf(headings)
  return delimitedRows(() => read(2, MAX_RECORDS + 2)).map((cells) =>
    Object.fromEntries(cells.flatMap((cell, column) => (cell === '' || column >= names.length ? [] : [[names[column], cell]]))),
  )
}

function delimitedRows(parse: () => string[][]): string[][] {
  try {
    return parse()
  } catch {
    throw unreadable('is not delimited text that can be read')
  }
}

/** Names of the columns, each of which is a name in every record. */
function namesOf(headings: readonly string[]): string[] {
  if (headings.length > MAX_COLUMNS)
    throw new DecodeFault(
      'size',
      `has ${headings.length} columns; ${MAX_COLUMNS} are allowed: leave out those that are no field of an item`,
    )
  const long = headings.findIndex(({ length }) => length > MAX_HEADING)
  if (long >= 0)
    throw new DecodeFault(
      'size',
      `has a heading of ${headings[long]?.length} characters in column ${long + 1}; ${MAX_HEADING} are allowed`,
    )
  return headings.map((name) => name.trim().replace(/^g:/, ''))
}

function unreadable(problem: string): DecodeFault {
  return new DecodeFault('content', problem)
}
