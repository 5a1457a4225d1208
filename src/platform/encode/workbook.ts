import { cutText } from './fitted-text.ts'

/** A cell: a text or a number; numbers stay numbers, and a text is never a formula. */
export type SheetCell = string | number

/** Characters that a cell may have: spreadsheets repair, or refuse, a file with more. */
const MOST_OF_CELL = 32_767

/** A workbook (.xlsx, ECMA-376) of one sheet whose first row is its headings. Longer texts than a cell can hold are cut, and end in `…`. */
export async function workbook(
  sheet: string,
  headings: readonly string[],
  rows: readonly (readonly SheetCell[])[],
): Promise<Uint8Array> {
  const { writeExcelFile } = await import('../libraries/write-excel-file.ts')
  const head = headings.map((value) => ({ value, type: String, fontWeight: 'bold' as const }))
  const body = rows.map((cells) =>
    cells.map((value) => {
      if (value === '') return null
      return typeof value === 'number' ? { value, type: Number } : { value: cutText(value, MOST_OF_CELL), type: String }
    }),
  )
  return writeExcelFile([head, ...body], { sheet, stickyRowsCount: 1 }).toBuffer()
}
