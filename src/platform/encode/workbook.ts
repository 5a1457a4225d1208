/** A cell: a text or a number; numbers stay numbers, and a text is never a formula. */
export type SheetCell = string | number

/** A workbook (.xlsx, ECMA-376) of one sheet whose first row is its headings. */
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
      return typeof value === 'number' ? { value, type: Number } : { value, type: String }
    }),
  )
  return writeExcelFile([head, ...body], { sheet, stickyRowsCount: 1 }).toBuffer()
}
