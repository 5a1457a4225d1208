import { atOnce, mapSteps, type Steps } from '../platform/concurrency/steps.ts'

/** Rows as CSV (RFC 4180), the headings first. Numbers are written with a point. */
export function csvText(headings: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return atOnce(csvSteps(headings, rows))
}

/** The same in steps, where there may be thousands of rows. */
export function* csvSteps(headings: readonly string[], rows: readonly (readonly (string | number)[])[]): Steps<string> {
  const lines = yield* mapSteps([headings, ...rows], (cells) => `${cells.map(cellText).join(',')}\r\n`)
  return lines.join('')
}

/** RFC 4180 §2: a cell with a comma, a quote or a line break is quoted, a quote in it is doubled. So are separators of other tables: semicolons and tabs. */
export function quotedCell(cell: string): string {
  return /[",;\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}

/**
 * A text that a spreadsheet would take for a formula is shown as text; buyers choose names and domains. Spreadsheets in East Asian locales take full-width
 * signs for the plain ones (OWASP, CSV injection); the small forms of Unicode are the same signs.
 */
function cellText(cell: string | number): string {
  if (typeof cell === 'number') return String(cell)
  const guarded = guardedWithin(cell)
  return quotedCell(/^(?:[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠﹦﹢﹣﹫]|[\p{Cc}])/u.test(cell) ? `'${guarded}` : guarded)
}

/**
 * A program that separates by semicolons or tabs begins a cell after one, and after a line break: to it, a quote amid its own cell quotes nothing. What
 * would be a formula there is text too.
 */
function guardedWithin(cell: string): string {
  return cell.replaceAll(/[\s\p{Cc}\p{Cf};"]+[=+\-@＝＋－＠﹦﹢﹣﹫]?/gu, (run) =>
    /[;\t\r\n]/.test(run) && /[=+\-@＝＋－＠﹦﹢﹣﹫]$/.test(run) ? `${run.slice(0, -1)}'${run.slice(-1)}` : run,
  )
}

/** The text of a cell that came back from a spreadsheet, without the apostrophe that `csvText` puts before what would be a formula. */
export function unguardedCell(cell: string): string {
  return cell.replace(/^'(?=[=+\-@＝＋－＠﹦﹢﹣﹫])/, '')
}
