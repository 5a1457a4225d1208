import type { Of } from '../shape.ts'
import type { entryShape } from './audit-shapes.ts'

type Changes = Of<typeof entryShape>['changes']

/** Members that a line of a table names; the answer of the act has all. */
const MOST_IN_LINE = 3
/** Characters of a value in a line of a table. */
const MOST_LETTERS = 60

/** What an act changed, a member each: `status: active → suspended`. A value that was not there, or is not any more, is `none`. */
export function changeTexts(changes: Changes = {}): readonly string[] {
  return Object.entries(changes).map(([name, [before, after]]) => `${name}: ${valueText(before)} → ${valueText(after)}`)
}

/** The same in one line of a table, shortened. */
export function changeLine(changes: Changes = {}): string {
  const shown = Object.entries(changes).slice(0, MOST_IN_LINE)
  const more = Object.keys(changes).length - shown.length
  const texts = shown.map(([name, [before, after]]) => `${name}: ${shortened(before)} → ${shortened(after)}`)
  return [...texts, ...(more > 0 ? [`${more} more`] : [])].join('; ') || '-'
}

function shortened(value: unknown): string {
  const text = valueText(value).replaceAll(/\s+/g, ' ')
  return text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS - 1)}…` : text
}

function valueText(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'none'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
