/** A date in figures: "24.12.", "24.12.2026", "24/12", "12/24/2026". */
const DATE = '\\d{1,2}(?:\\.\\d{1,2}(?:\\.(?:\\d{4})?)?|/\\d{1,2}(?:/\\d{4})?)'
const RANGE = new RegExp(
  `(?<![\\d./])(${DATE})(\\s?(?:[-\\u2013\\u2014]|to|until|till|til|bis|through|och|og|und|and|au|al)\\s?)(${DATE})(?![\\d/])`,
  'giu',
)
const SINGLE = new RegExp(
  `(?<=\\b(?:from|starting|beginning|until|till|through|ab|vom|bis|från|fra|frem til)\\s(?:on\\s)?)(${DATE})(?![\\d/])`,
  'giu',
)
const MONTHS = 'January February March April May June July August September October November December'.split(' ')

/** A text with its dates in figures by the names of their months. */
export interface FigureDates {
  readonly text: string
  /** Dates of which the day and the month may be swapped, as they are written: they stay as they are. Absent: there are none. */
  readonly unclear?: string
}

interface Parts {
  readonly first: number
  readonly second: number
  readonly year: string
  readonly isDotted: boolean
}

/**
 * Reads dates in figures. With points the day comes first. With slashes either may: a number above 12 in one date of a text tells it for all of them, and nothing tells it where both
 * are a month. A point that may be of a decimal number is of a date where a range or a word such as "from" makes it one. Time grows with the length of the text.
 */
export function withMonthNames(text: string): FigureDates {
  const written = [...text.matchAll(RANGE), ...text.matchAll(SINGLE)]
  const slashed = written.flatMap((found) => datesOf(found).filter(({ isDotted }) => !isDotted))
  const isDayFirst = slashed.some(({ first }) => first > 12)
  const isMonthFirst = slashed.some(({ second }) => second > 12)
  const isUnclear = isDayFirst ? isMonthFirst : !isMonthFirst && slashed.some(({ first, second }) => first !== second)
  const named = (date: string): string => {
    const { first, second, year, isDotted } = partsOf(date)
    if (!isDotted && isUnclear) return date
    const [day, month] = isDotted || !isMonthFirst ? [first, second] : [second, first]
    const name = MONTHS[month - 1]
    return name === undefined || day < 1 || day > 31 ? date : `${day} ${name}${year && ` ${year}`}`
  }
  const ranges = text.replace(RANGE, (all, from: string, to: string, until: string) =>
    isRange(from, until) ? `${named(from)}${to.trim() === '' ? to : ` ${to.trim()} `}${named(until)}` : all,
  )
  const open = isUnclear
    ? written.filter((each) => datesOf(each).some(({ isDotted }) => !isDotted)).map(([all]) => all.trim())
    : []
  const found = open.filter((date, index) => open.every((other, at) => at === index || !other.includes(date)))
  return {
    text: ranges.replace(SINGLE, (date: string) => (isDate(date) ? named(date) : date)),
    ...(found.length > 0 && { unclear: found.join(', ') }),
  }
}

function partsOf(date: string): Parts {
  const [first = '', second = '', year = ''] = date.split(/[./]/)
  return { first: Number(first), second: Number(second), year, isDotted: date.includes('.') }
}

function datesOf([, from = '', , until = '']: RegExpMatchArray): Parts[] {
  return [from, until]
    .filter((date) => date !== '')
    .map(partsOf)
    .filter(({ first, second }) => first <= 31 && second <= 31)
}

/** Two points, or slashes: one point alone may be that of a decimal number. */
function isDate(date: string): boolean {
  return date.includes('/') || date.split('.').length > 2
}

function isRange(from: string, until: string): boolean {
  return isDate(from) || isDate(until)
}

/** The sentence on dates that may mean other days. */
export function unclearDates(unclear: string | undefined): string[] {
  return unclear === undefined ? [] : [`"${unclear}" may be day and month or month and day: write the days as YYYY-MM-DD.`]
}
