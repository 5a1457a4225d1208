/** A share of 0 to 1 as whole percent. */
export function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}

/** Rows as aligned columns with a heading; an empty list says so. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  if (rows.length === 0) return ['(none)']
  const widths = columnWidths(headings, rows)
  return [...headingLines(headings, widths), ...rows.map((row) => aligned(row, widths))]
}

/** How wide each column is. */
export function columnWidths(headings: readonly string[], rows: readonly (readonly string[])[]): readonly number[] {
  const widths = headings.map(({ length }) => length)
  for (const row of rows) for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length)
  return widths
}

/** The headings, and a line below them. */
export function headingLines(headings: readonly string[], widths: readonly number[]): readonly string[] {
  const rule = headings.map((_, column) => '-'.repeat(widths[column] ?? 0))
  return [aligned(headings, widths), aligned(rule, widths)]
}

/** One row, its cells as wide as their columns; a cell with line breaks would show as rows of its own. */
export function aligned(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, column) => cell.replaceAll(/[\r\n]/g, ' ').padEnd(widths[column] ?? 0))
    .join('  ')
    .trimEnd()
}
