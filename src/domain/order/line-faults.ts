import type { ExistingLine } from '../ad-serving/existing-line.ts'
import { isDay } from '../calendar/instant.ts'
import { unfitText } from '../fit-text.ts'

/** Longest id of a line. */
const MOST_OF_ID = 100
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/
const FIRST_YEAR = 1970
const LAST_YEAR = 2100

/** Whether a text is a moment of an order, ISO 8601 with its zone, from 1970 to 2100: the 30th of February is none. */
export function isMomentOfOrder(text: unknown): text is string {
  if (typeof text !== 'string' || !MOMENT.test(text) || !isDay(text.slice(0, 10))) return false
  const year = Number(text.slice(0, 4))
  return year >= FIRST_YEAR && year <= LAST_YEAR && !Number.isNaN(Date.parse(text))
}

/** Whether a number is a price in micros: whole, not negative, below 2^53. */
export function isPrice(micros: unknown): micros is number {
  return Number.isSafeInteger(micros) && Number(micros) >= 0
}

/** Whether a line comes without any price: neither an amount nor its currency. */
export function hasNoPrice({ currency, rateMicros }: Pick<ExistingLine, 'currency' | 'rateMicros'>): boolean {
  return currency === '' && rateMicros === 0
}

/**
 * What is wrong with a line that an ad server gives, as a sentence after the line's id that names the member and what is allowed; undefined: nothing. One without a price
 * has no fault: see {@link hasNoPrice}.
 */
export function faultOfLine(line: ExistingLine): string | undefined {
  const { startsAt, endsAt, currency, rateMicros, goal } = line
  for (const [member, moment] of Object.entries({ startsAt, endsAt }))
    if (moment !== undefined && !isMomentOfOrder(moment))
      return `${member} is ${quoted(moment)}; it has to be a moment from ${FIRST_YEAR} to ${LAST_YEAR}, such as 2026-03-01T00:00:00Z`
  if (hasNoPrice(line)) return undefined
  if (!isPrice(rateMicros)) return `rateMicros is ${rateMicros}; it has to be a whole number of micros from 0, below 2^53`
  if (!/^[A-Z]{3}$/.test(currency)) return `currency is ${quoted(currency)}; it has to be a code of ISO 4217, such as EUR`
  if (goal && !(Number.isSafeInteger(goal.units) && goal.units > 0))
    return `goal.units is ${goal.units}; it has to be a whole number from 1, below 2^53`
  return undefined
}

/** What is wrong with the ids of lines of one order, as {@link faultOfLine}, with the index of the line. */
export function faultOfIds(
  lines: readonly Pick<ExistingLine, 'id'>[],
): { readonly index: number; readonly fault: string } | undefined {
  const known = new Set<string>()
  for (const [index, { id }] of lines.entries()) {
    const wrong = id === '' ? 'is empty' : id.length > MOST_OF_ID ? `is longer than ${MOST_OF_ID} characters` : unfitText(id)
    if (wrong !== undefined) return { index, fault: `id ${wrong}` }
    if (/\p{Cc}/u.test(id)) return { index, fault: 'id holds a control character' }
    if (known.has(id)) return { index, fault: `id is ${quoted(id)}, as that of a line before; each line has to have its own` }
    known.add(id)
  }
  return undefined
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 50))
}
