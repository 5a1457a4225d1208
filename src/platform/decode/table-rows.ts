import { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { DecodeFault } from './decode-fault.ts'
import { tableFault } from './table-fault.ts'
import { MAX_CELLS, MAX_COLUMNS, MAX_ROW_CHARACTERS, MAX_ROWS } from './table-limits.ts'

/** Text of a table in UTF-8, without a line that names its separator. */
export interface TableInput {
  readonly bytes: Uint8Array
  readonly delimiter: string
}

/** A record of a table: its cells, and the line at which it begins, counted from 1. */
export interface TableRow {
  readonly line: number
  readonly cells: readonly string[]
}

/** Records of delimited text (RFC 4180), the headings first; those without any text are left out. Reads no further than the limits of a table. */
export async function* tableRows({ bytes, delimiter }: TableInput): AsyncGenerator<TableRow> {
  const linesOf = lineCounter()
  let rows = 0
  for await (const { record, info } of recordsIn(bytes, delimiter)) {
    rows += 1
    if (record.length > MAX_COLUMNS || rows > MAX_ROWS || rows * record.length > MAX_CELLS)
      throw new DecodeFault(
        'size',
        `has more than ${MAX_ROWS} rows, ${MAX_COLUMNS} columns or ${MAX_CELLS} cells; split it into several files`,
      )
    yield { line: linesOf(record, info.lines), cells: record }
  }
}

interface CountedRecord {
  readonly record: string[]
  readonly info: { readonly lines: number }
}

async function* recordsIn(bytes: Uint8Array, delimiter: string): AsyncGenerator<CountedRecord> {
  // What is read before a fault does not always come out of the stream.
  let [columns, endOfLast]: [number | undefined, number | undefined] = [undefined, undefined]
  const parser = parse({
    bom: true,
    delimiter,
    info: true,
    max_record_size: MAX_ROW_CHARACTERS,
    on_record(each, { bytes: end, index: cells }) {
      columns ??= cells
      endOfLast = end
      return each
    },
    relax_column_count: false,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
  })
  try {
    yield* Readable.from(pieces(bytes)).pipe(parser)
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw tableFault(error, { bytes, delimiter, columns, endOfLast, maxRecord: MAX_ROW_CHARACTERS })
  }
}

const PIECE_BYTES = 65_536

function* pieces(bytes: Uint8Array): Generator<Buffer> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  for (let at = 0; at < buffer.length; at += PIECE_BYTES) yield buffer.subarray(at, at + PIECE_BYTES)
}

/** The line at which a record begins, from the one at which csv-parse sees its end: it counts a CR LF inside quotes as two lines. */
function lineCounter(): (cells: readonly string[], counted: number) => number {
  let twice = 0
  return (cells, counted) => {
    const text = cells.join()
    twice += text.match(/\r\n/g)?.length ?? 0
    return counted - twice - (text.match(/\r\n|\r|\n/g)?.length ?? 0)
  }
}
