import type { FileProblem } from '../../operator/products/check-product-file.ts'
import type { UploadedTable } from '../../operator/products/map-columns.ts'
import { type Html, html } from '../html.ts'

/** Rows that a person repairs in a page; with more, the file itself is the place. */
const MAX_ROWS = 50
/** Characters of a cell that is repaired in a page. */
const MOST_OF_CELL = 2_000

/**
 * The rows of a table that have problems, as a grid whose wrong cells can be written anew (fields `cell:LINE:COLUMN`), and the problems that belong
 * to none of its cells.
 */
export function problemGrid(
  { headings, rows }: UploadedTable,
  problems: readonly FileProblem[],
): { readonly grid: Html | undefined; readonly elsewhere: readonly FileProblem[] } {
  const byLine = new Map(rows.map((row) => [row.line, row]))
  const places = new Map(headings.map((heading, index) => [heading, index]))
  const isInGrid = ({ line, column }: FileProblem) => {
    const cell = line === undefined ? undefined : byLine.get(line)?.cells[places.get(String(column)) ?? -1]
    return cell !== undefined && cell.length <= MOST_OF_CELL
  }
  const inGrid = problems.filter(isInGrid)
  const elsewhere = problems.filter((problem) => !isInGrid(problem))
  const wrong = new Map<string, string[]>()
  for (const { line, column, message } of inGrid) {
    const key = `${line} ${column}`
    wrong.set(key, [...(wrong.get(key) ?? []), message])
  }
  const [wrongLines, wrongColumns] = [new Set(inGrid.map(({ line }) => line)), new Set(inGrid.map(({ column }) => column))]
  const shown = rows.filter(({ line }) => wrongLines.has(line)).slice(0, MAX_ROWS)
  if (shown.length === 0) return { grid: undefined, elsewhere }
  const columns = headings
    .map((heading, index) => ({ heading, index }))
    .filter(({ heading }, index) => index === 0 || wrongColumns.has(heading))
  const body = shown.map(
    ({ line, cells }) =>
      html`<tr><td class="number">${line}</td>${columns.map(({ heading, index }) => cell(line, heading, cells[index] ?? '', wrong.get(`${line} ${heading}`)))}</tr>`,
  )
  const grid = html`<div class="scroll" role="region" aria-label="Rows to repair" tabindex="0"><table><thead><tr><th scope="col" class="number">Line</th>${columns.map(({ heading }) => html`<th scope="col">${heading}</th>`)}</tr></thead><tbody>${body}</tbody></table></div>`
  return { grid, elsewhere }
}

function cell(line: number, heading: string, value: string, problems: readonly string[] | undefined): Html {
  if (!problems) return html`<td>${value.slice(0, 80)}</td>`
  const id = `e-${line}-${heading.replaceAll(/\W/g, '_')}`
  return html`<td class="wrong"><input name="cell:${line}:${heading}" value="${value}" aria-label="${heading} of line ${line}" aria-invalid="true" aria-describedby="${id}"><small id="${id}">${problems.join('; ').slice(0, 2_000)}</small></td>`
}
