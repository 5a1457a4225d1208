import { joined, remaining, SUMMARY_CHARS, type SummaryRow } from './summary-text.ts'

type Members = Readonly<Record<string, unknown>>

/** How much of a payload an outline repeats. */
interface Detail {
  /** Characters of a line about a row, and about another member. */
  readonly row: number
  readonly member: number
  /** Levels of objects that a line includes. */
  readonly depth: number
}

const FULL: Detail = { row: 400, member: 1_200, depth: 4 }
const BRIEF: Detail = { row: 110, member: 300, depth: 1 }

interface Outlined {
  /** The answer is about one thing: all its lists are parts of it. */
  readonly isOne?: boolean
  /** Sentences that stand before `next`, and stay where the answer itself says what is next. */
  readonly said?: readonly string[]
  /** How the rows of a list read, by its name; the others are outlined. */
  readonly rows?: Readonly<Record<string, (row: Members) => SummaryRow>>
}

/** Members that a row begins with: its name, its status, its price. */
const FIRST = [
  /(?:^|_)id$/,
  /^(?:name|title|domain)$/,
  /status|^(?:action|state|verdict|decision|outcome|code)$/,
  /budget|price|spend|amount|cost|currency|balance|totals/,
]

/**
 * A payload as lines of text, for tasks that have no summary of their own: a line for every row of every list, and one for each other
 * member. An answer about one thing (one row, or `isOne` where all its lists are parts of it) has all of it, in lines as deep as its members; of more, in full where that fits into `SUMMARY_CHARS`, else with short lines; no row is left out. Ends with what remains and with `next`.
 */
export function outline(payload: object, next?: string, { isOne = false, said = [], rows = {} }: Outlined = {}): string {
  const members: Members = { ...payload }
  const after = [remaining(paginationOf(members)), ...said, nextStep(members) ?? next].filter((line) => line !== undefined)
  if (isOne || rowsOf(members) === 1) {
    const whole = [...tree(members), ...after].join('\n')
    if (whole.length <= WHOLE_CHARS) return whole
    after.push(shortened(whole.length))
  }
  const full = [...lines(members, FULL, (name) => rowIn(rows[name], 'full')), ...after].join('\n')
  if (full.length <= SUMMARY_CHARS) return full
  return [...lines(members, BRIEF, (name) => rowIn(rows[name], 'brief')), ...after].join('\n')
}

/** About 6,000 tokens: an order of many packages. */
const WHOLE_CHARS = 20_000

/** What a text leaves out that would be too long, and where it is. */
function shortened(characters: number): string {
  return `Shortened from ${characters} characters: "…" stands for members that are left out, "entries" for lists, and ext is not shown. All of it is in the data of this answer, and in the text of a read with ext {"answer_text": "json"}.`
}

/** A value whose members are on lines of their own, indented by their level; what is short, and has no objects below it, takes one line. */
function tree(members: Members, indent = ''): string[] {
  return Object.entries(members)
    .filter(([name, value]) => name !== 'pagination' && name !== 'context' && value !== undefined)
    .flatMap(([name, value]) => branch(name, value, indent))
}

const LINE = 200
/** A list of rows, their members, and lists of words in these. */
const LINE_DEPTH = 3

function branch(name: string, value: unknown, indent: string): string[] {
  const line = `${indent}${name}: ${inOneLine(value)}`
  if (!isRows(value) && !isMembers(value)) return [line]
  const isShort = line.length <= LINE && [value].flat().every((each) => !Object.values(each).some(holdsObjects))
  if (isShort) return [line]
  if (isRows(value)) return [`${indent}${name}: ${value.length}`, ...value.flatMap((row) => entry(row, indent))]
  return [`${indent}${name}:`, ...tree(value, `${indent}  `)]
}

function inOneLine(value: unknown): string {
  return words(value, LINE_DEPTH).replace(/\s+/g, ' ')
}

function holdsObjects(value: unknown): boolean {
  return Array.isArray(value) ? value.some(isNested) : isNested(value)
}

/** A row of a list: the first line is marked. */
function entry(row: Members, indent: string): string[] {
  const [first = '', ...others] = tree(row, `${indent}  `)
  return [`${indent}- ${first.trimStart()}`, ...others]
}

/** What follows an answer that is not the last word. */
function nextStep({ status, task_id }: Members): string | undefined {
  return status === 'submitted' && typeof task_id === 'string' ? `Next: get_task_status with task_id "${task_id}".` : undefined
}

function paginationOf({ pagination }: Members): Parameters<typeof remaining>[0] {
  if (!isMembers(pagination) || typeof pagination.cursor !== 'string') return undefined
  const { has_more, cursor, total_count } = pagination
  return { has_more: has_more === true, cursor, ...(typeof total_count === 'number' && { total_count }) }
}

/** Rows of the longest list. */
function rowsOf(members: Members): number {
  return Math.max(0, ...Object.values(members).map((value) => (isRows(value) ? value.length : 0)))
}

type RowText = ((row: Members) => string) | undefined

function rowIn(row: ((row: Members) => SummaryRow) | undefined, form: keyof SummaryRow): RowText {
  return row && ((members) => row(members)[form])
}

function lines(payload: Members, detail: Detail, rowOf: (name: string) => RowText): string[] {
  return Object.entries(payload).flatMap(([name, value]) => {
    if (name === 'pagination' || name === 'ext') return []
    if (!isRows(value)) return [`${name}: ${fitting(value, detail.depth, detail.member - name.length - 2)}`]
    const text = rowOf(name) ?? ((row) => fitting(row, detail.depth, detail.row))
    return [`${name}: ${value.length}`, ...value.map((row) => `- ${text(row)}`)]
  })
}

/** A value in at most so many characters: members that do not fit are left out, and the end says so; no number and no id is ever cut. */
function fitting(value: unknown, depth: number, most: number): string {
  const parts = isMembers(value) ? memberTexts(value, depth) : Array.isArray(value) ? [words(value, depth)] : [String(value)]
  const all = parts.join(', ').replace(/\s+/g, ' ')
  if (all.length <= most) return all
  let line = ''
  for (const part of parts) {
    const longer = joined([line, part.replace(/\s+/g, ' ')])
    if (longer.length <= most - MORE.length) line = longer
    else line = line === '' ? cutAtWord(part, most - MORE.length) : line
  }
  return `${line}${MORE}`
}

const MORE = ', …'

/** The words of a text that fit, at least its first. */
function cutAtWord(text: string, most: number): string {
  const line = text.replace(/\s+/g, ' ')
  const end = line.lastIndexOf(' ', most)
  return end > 0 ? line.slice(0, end) : (line.split(' ')[0] ?? '')
}

function isRows(value: unknown): value is readonly Members[] {
  return Array.isArray(value) && value.length > 0 && value.every(isMembers)
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A value as words; objects and lists below `depth` levels are counted, not listed. */
function words(value: unknown, depth: number): string {
  if (Array.isArray(value)) {
    if (depth <= 0 || value.length === 0) return `${value.length} entries`
    return value.map((item) => (isMembers(item) ? `{${words(item, depth - 1)}}` : String(item))).join(', ')
  }
  return isMembers(value) ? memberTexts(value, depth).join(', ') : String(value)
}

function memberTexts(value: Members, depth: number): string[] {
  return Object.entries(value)
    .filter(([name, member]) => name !== 'ext' && name !== 'context' && (depth > 0 || !isNested(member)))
    .toSorted(([a, first], [b, second]) => rank(a, first) - rank(b, second))
    .map(([name, member]) =>
      isMembers(member) ? `${name} {${words(member, depth - 1)}}` : `${name} ${words(member, depth - 1)}`,
    )
}

function isNested(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

/** Of members of the same rank those that take a word come first. */
function rank(name: string, member: unknown): number {
  const found = FIRST.findIndex((pattern) => pattern.test(name))
  return (found === -1 ? FIRST.length : found) + (isNested(member) ? 0.5 : 0)
}
