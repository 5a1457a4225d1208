import { once } from 'node:events'
import { aligned, columnWidths, headingLines } from '../operator/text-table.ts'
import { terminalText } from '../platform/terminal-text.ts'

export { percent, table } from '../operator/text-table.ts'

/** Prints one JSON document (`--json`) or lines of text. */
export function print(json: boolean | undefined, value: unknown, lines: readonly string[]): void {
  console.log(json ? JSON.stringify(value) : terminalText(lines.join('\n')))
}

/** Prints a list (`--json`: `{"items", "next_cursor"}`, as the admin API has it) or lines of text; `nextCursor` of a list that is whole is null. */
export function printList(
  json: boolean | undefined,
  items: readonly unknown[],
  lines: readonly string[],
  nextCursor: string | null = null,
): void {
  print(json, { items, next_cursor: nextCursor }, lines)
}

/** Lines of a list with how its next page is asked for, when it has one. */
export function withMore(lines: readonly string[], nextCursor: string | null, option = 'cursor'): readonly string[] {
  return nextCursor === null ? lines : [...lines, '', `more: --${option} ${nextCursor}`]
}

/**
 * Writes rows to standard output as they come, one table or one JSON document, without holding more than a page of them. `cells` gives the
 * columns of a row; the first page decides how wide they are. Waits while the reader of the output is slow. Rejects with what `pages` throws.
 */
export async function printPages<Row>(
  json: boolean | undefined,
  pages: AsyncIterable<readonly Row[]>,
  form: {
    readonly headings: readonly string[]
    readonly cells: (row: Row) => readonly string[]
  },
): Promise<void> {
  if (json) return writeJson(pages)
  let widths: readonly number[] | undefined
  for await (const page of pages) {
    const rows = page.map(form.cells)
    if (rows.length === 0) continue
    const isFirst = widths === undefined
    const chosen = widths ?? columnWidths(form.headings, rows)
    widths = chosen
    const lines = rows.map((row) => aligned(row, chosen))
    await write(terminalText(`${[...(isFirst ? headingLines(form.headings, chosen) : []), ...lines].join('\n')}\n`))
  }
  if (widths === undefined) await write('(none)\n')
}

async function writeJson<Row>(pages: AsyncIterable<readonly Row[]>): Promise<void> {
  // Nothing is written before the first page is there, so that a refusal leaves no half of a document.
  const start = '{"items":['
  let before = start
  for await (const page of pages) {
    if (page.length === 0) continue
    await write(`${before}${page.map((row) => JSON.stringify(row)).join(',')}`)
    before = ','
  }
  await write(`${before === start ? start : ''}],"next_cursor":null}\n`)
}

async function write(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain')
}
