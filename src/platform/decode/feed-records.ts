import { DecodeFault } from './decode-fault.ts'
import { type FeedRecord, isRecord } from './feed-record.ts'

/** The bytes of a feed, in UTF-8. */
export interface FeedInput {
  readonly bytes: Uint8Array
}

/** How a feed is written. */
export type FeedSyntax = 'json' | 'xml' | 'delimited'

/** Some records of a feed. */
export interface FeedPart {
  readonly syntax: FeedSyntax
  readonly records: readonly FeedRecord[]
}

/** Longest record of a CSV feed, and longest text of a record in a JSON feed, in characters. */
const MAX_RECORD = 200_000
/** A feed of the largest size that is fetched has as many records of 100 bytes. */
const MAX_RECORDS = 100_000
const RECORDS_OF_A_PART = 500
/** Values of one record, on all levels: a product of 2,000 variants with 20 members each has as many. */
const MAX_VALUES = 50_000
const VALUES_OF_A_PART = 20_000
const CHARACTERS_OF_A_PART = 1_000_000

/**
 * Records of a feed. The syntax (JSON, XML, delimited text) is recognised from the text itself: the well-known formats exist in several. Throws DecodeFault when it
 * cannot be read.
 */
export async function* feedRecords({ bytes }: FeedInput): AsyncGenerator<FeedPart> {
  const { syntax, records } = await recordsIn(new TextDecoder().decode(bytes))
  if (records.length > MAX_RECORDS)
    throw new DecodeFault('size', `has ${records.length} items; ${MAX_RECORDS} are allowed: split it into several catalogs`)
  let part: FeedRecord[] = []
  let size = { values: 0, characters: 0 }
  for (const [index, record] of records.entries()) {
    const own = sizeOf(record, index)
    size = { values: size.values + own.values, characters: size.characters + own.characters }
    part.push(record)
    if (part.length < RECORDS_OF_A_PART && size.values < VALUES_OF_A_PART && size.characters < CHARACTERS_OF_A_PART) continue
    yield { syntax, records: part }
    part = []
    size = { values: 0, characters: 0 }
  }
  if (part.length > 0) yield { syntax, records: part }
}

/** Values of a record on all levels, and characters of its texts and names. Throws DecodeFault for more values than a record has. */
function sizeOf(record: FeedRecord, index: number): { readonly values: number; readonly characters: number } {
  let [values, characters] = [0, 0]
  const stack: unknown[] = [record]
  while (stack.length > 0) {
    const value = stack.pop()
    if (typeof value === 'string') characters += value.length
    if (typeof value !== 'object' || value === null) continue
    const names = Array.isArray(value) ? [] : Object.keys(value)
    const inner = Array.isArray(value) ? value : Object.values(value)
    values += inner.length
    if (values > MAX_VALUES) {
      const most = `more than ${MAX_VALUES} values, item ${index}`
      throw new DecodeFault('size', `has an item with ${most}; split it, or leave out what is no field of an item`)
    }
    for (const name of names) characters += name.length
    for (const each of inner) stack.push(each)
  }
  return { values, characters }
}

async function recordsIn(text: string): Promise<FeedPart> {
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

/** Comma, semicolon or tab, whichever the heading has most of. */
async function readDelimited(text: string): Promise<readonly FeedRecord[]> {
  const { parse } = await import('csv-parse/sync')
  const heading = text.slice(0, text.indexOf('\n') < 0 ? undefined : text.indexOf('\n'))
  const count = (delimiter: string) => heading.split(delimiter).length
  const delimiter = [',', '\t', ';'].reduce((best, other) => (count(other) > count(best) ? other : best))
  try {
    const rows: FeedRecord[] = parse(text, {
      delimiter,
      columns: (names: string[]) => names.map((name) => name.trim().replace(/^g:/, '')),
      skip_empty_lines: true,
      relax_column_count: true,
      trim: true,
      max_record_size: MAX_RECORD,
      to: MAX_RECORDS + 1,
    })
    return rows.map((row) => Object.fromEntries(Object.entries(row).filter(([, cell]) => cell !== '')))
  } catch {
    throw unreadable('is not delimited text that can be read')
  }
}

function unreadable(problem: string): DecodeFault {
  return new DecodeFault('content', problem)
}
