/** Which character begins the decimals in the numbers of a file. */
export type DecimalMark = '.' | ','

/** Blanks and apostrophes between digits, as some countries group thousands. */
const GROUPING = /(?<=\d)[\s\u00a0\u202f'’](?=\d{3}(?!\d))/g

/**
 * A number as people write it into a spreadsheet: `1234.5`, `1.234,5`, `1,234.50`, `1 234,5`. `ambiguous` where a separator may be read both ways (`1,234`; without `decimal` `1.234` too, since whoever
 * writes one number may mean either); undefined for what is no such number. `whole` numbers have no decimals, so that every separator in them groups thousands.
 */
export function readNumber(
  cell: string,
  { decimal, whole }: { readonly decimal?: DecimalMark | undefined; readonly whole: boolean },
): number | 'ambiguous' | undefined {
  const text = cell.trim().replace(GROUPING, '')
  if (/^\d+$/.test(text)) return Number(text)
  const marks = [...text].filter((character) => character === '.' || character === ',')
  const last = marks.at(-1)
  if (last === undefined) return undefined
  const [distinct, isGrouped] = [new Set(marks).size, /^[1-9]\d{0,2}([.,]\d{3})+$/.test(text)]
  if (whole) return wholeNumber(text, isGrouped && distinct === 1)
  if (distinct === 2) return twoMarks(text, last)
  if (marks.length > 1) return isGrouped ? digitsOf(text) : undefined
  if (!/^\d+[.,]\d+$/.test(text)) return undefined
  // `1.234` in a file of decimal commas is a thousand or not, and so is `1,234` in a file of decimal points; `0,125` is not.
  if (isGrouped && last !== decimal) return 'ambiguous'
  return Number(text.replace(',', '.'))
}

/** The mark of decimals that the numbers of a file show without doubt: `12.5`, `0,125`. Undefined where none does, or some show one mark and some the other. */
export function decimalMarkIn(texts: Iterable<string>): DecimalMark | undefined {
  const shown = new Set<DecimalMark>()
  for (const text of texts) {
    const mark = /^\d+([.,])\d+$/.exec(text.trim())?.[1]
    if ((mark === '.' || mark === ',') && readNumber(text, { whole: false }) !== 'ambiguous') shown.add(mark)
  }
  const [only] = shown
  return shown.size === 1 ? only : undefined
}

/** A number as `readNumber` reads it without knowing the decimal mark: `1.234` becomes `1.2340`. */
export function writeNumber(value: number): string {
  const text = String(value)
  return readNumber(text, { whole: false }) === 'ambiguous' ? `${text}0` : text
}

/** What to write in place of a text that `readNumber` finds ambiguous, where `most` decimals are taken. */
export function twoReadings(text: string, most = 6): string {
  const [whole = '', decimals = ''] = text.trim().split(/[.,]/)
  const finer = decimals.length <= most ? ` or ${whole}.${decimals}0` : most > 0 ? `, or at most ${most} decimals` : ''
  return `${text} can be read in two ways: write ${whole}${decimals}${finer}`
}

/** `200.000` and `200,000` are whole, and so is `200.0`, which some programs write. */
function wholeNumber(text: string, isGrouped: boolean): number | undefined {
  if (isGrouped) return digitsOf(text)
  return /^\d+[.,]0+$/.test(text) ? Number(text.split(/[.,]/)[0]) : undefined
}

/** The last mark begins the decimals, the other one groups thousands. */
function twoMarks(text: string, last: string): number | undefined {
  const at = text.lastIndexOf(last)
  const [head, decimals] = [text.slice(0, at), text.slice(at + 1)]
  const isSound = /^\d{1,3}([.,]\d{3})+$/.test(head) && !head.includes(last) && /^\d+$/.test(decimals)
  return isSound ? Number(`${head.replaceAll(/[.,]/g, '')}.${decimals}`) : undefined
}

function digitsOf(text: string): number {
  return Number(text.replaceAll(/[.,]/g, ''))
}
