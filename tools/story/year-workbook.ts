import { writeExcelFile } from '../../src/platform/libraries/write-excel-file.ts'
import type { YearCell } from './year-sheet.ts'

/** The sheet as a workbook (.xlsx); spreadsheets compute its formulas when they open it. */
export async function yearWorkbook(rows: readonly (readonly YearCell[])[]): Promise<Uint8Array> {
  // In the file a formula is without its sign (ECMA-376, 18.3.1.40).
  const cells = rows.map((row) =>
    row.map((cell) => {
      if (cell === '') return null
      if (typeof cell === 'object') return { value: cell.formula.slice(1), type: 'Formula' as const }
      return typeof cell === 'number' ? { value: cell, type: Number } : { value: cell, type: String }
    }),
  )
  return writeExcelFile(cells, { sheet: '2026', stickyRowsCount: 1 }).toBuffer()
}
