import type { CsvError } from 'csv-parse'
import { DecodeFault } from './decode-fault.ts'

/** What was read of a table before the record at fault. */
export interface ReadBefore {
  readonly bytes: Uint8Array
  readonly delimiter: string
  /** Cells of the headings; undefined: the fault is in them. */
  readonly columns: number | undefined
  /** Offset in `bytes` behind the line break of the last whole record; undefined: there is none. A byte order mark is not counted. */
  readonly endOfLast: number | undefined
  /** Longest record, in characters. */
  readonly maxRecord: number
}

const NAMES: Readonly<Record<string, string>> = { '\t': 'a tab', ';': 'a semicolon', ',': 'a comma' }

/** What csv-parse found, in words for who wrote the file: which row, which cell, what to write in its place. */
export function tableFault(error: CsvError, before: ReadBefore): DecodeFault {
  return new DecodeFault('content', messageOf(error, before), lineOf(before))
}

function messageOf(error: CsvError, { delimiter, columns = 0, maxRecord }: ReadBefore): string {
  const cell = typeof error.column === 'number' ? `cell ${error.column + 1} of this row` : 'a cell of this row'
  const separator = NAMES[delimiter] ?? delimiter
  switch (error.code) {
    case 'CSV_RECORD_INCONSISTENT_FIELDS_LENGTH': {
      const found = Array.isArray(error.record) ? error.record.length : 0
      return `this row has ${cellsText(found)}, the headings are ${columns}: cells are separated by ${separator}, as the headings are; leave a cell empty but not out, and quote a cell that contains ${separator}`
    }
    case 'CSV_QUOTE_NOT_CLOSED':
      return `${cell} begins with a quote that nothing closes up to the end of the file; close it, or double a quote that belongs to the text`
    case 'INVALID_OPENING_QUOTE':
      return `${cell} has a quote amid its text; put the whole cell in quotes, and double each quote that belongs to the text`
    case 'CSV_INVALID_CLOSING_QUOTE':
    case 'CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE':
      return `${cell} goes on behind its closing quote; double a quote that belongs to the text, and write nothing between the closing quote and ${separator}`
    case 'CSV_MAX_RECORD_SIZE':
      return `this row has more than ${maxRecord} characters; shorten its texts, or close the quote that one of its cells begins with`
    default:
      return error.message
  }
}

function cellsText(count: number): string {
  return count === 1 ? 'one cell' : `${count} cells`
}

const [LF, CR, SPACE] = [0x0a, 0x0d, 0x20]

/** The line at which the record behind the last whole one begins, counted from 1; lines of empty cells before it are none of it. */
function lineOf({ bytes, delimiter, endOfLast }: ReadBefore): number {
  const empty = [LF, CR, SPACE, delimiter.charCodeAt(0)]
  let line = 1
  let isBehind = endOfLast === undefined
  for (const [at, byte] of bytes.entries()) {
    if (isBehind && !empty.includes(byte)) return line
    if (byte !== LF && (byte !== CR || bytes[at + 1] === LF)) continue
    line += 1
    isBehind ||= endOfLast !== undefined && at + 1 >= endOfLast
  }
  return line
}
