/** Rows as CSV (RFC 4180), the headings first. Numbers are written with a point. */
export function csvText(headings: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [headings, ...rows].map((cells) => `${cells.map(cellText).join(',')}\r\n`).join('')
}

/** RFC 4180 §2: a cell with a comma, a quote or a line break is quoted, a quote in it is doubled. */
export function quotedCell(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}

/** A text that a spreadsheet would take for a formula is shown as text (OWASP, CSV injection); buyers choose names and domains. */
function cellText(cell: string | number): string {
  if (typeof cell === 'number') return String(cell)
  return quotedCell(/^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell)
}
