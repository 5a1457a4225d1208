import { AdcpError } from '../protocol/errors.ts'
import { atMost, type Field, text } from './fields.ts'

/** What a text is as a whole. */
export interface TextForm {
  /** With ^ and $. It is read with the flag `v`, as browsers read the pattern of an input: a hyphen in a class is escaped. */
  readonly pattern: string
  /** What it is, as a refusal, the description and the forms of the console say it. */
  readonly words: string
  /** What is kept of what people write, which has the pattern. Absent: what they wrote. */
  readonly clean?: (text: string) => string
}

/** The same text in a form. Of a form that is cleaned the pattern alone says how long it is: what is written may be longer. */
export function inForm({ pattern, words: own, clean }: TextForm, field: Field<string, false>): Field<string, false> {
  const { maxLength, ...schema } = field.schema
  const words = clean ? own : `${own}, at most ${maxLength} characters`
  const expression = new RegExp(pattern, 'v')
  const check = (value: unknown): value is string => field.check(value) && expression.test(value)
  const cleaned = (value: unknown) => {
    const trimmed = field.clean ? field.clean(value) : value
    return clean && typeof trimmed === 'string' ? clean(trimmed) : trimmed
  }
  return {
    ...field,
    about: `${field.about}: ${words}`,
    schema: { ...(clean ? schema : field.schema), pattern },
    words,
    check,
    ...((field.clean || clean) && { clean: cleaned }),
    form: clean ? 'cleaned' : 'as written',
  }
}

/** A list of at most `most` texts of a form; `words`: what they are together. */
export function listInForm(
  { pattern, words }: Pick<TextForm, 'pattern' | 'words'>,
  most: number,
  field: Field<readonly string[], false>,
): Field<readonly string[], false> {
  const expression = new RegExp(pattern, 'u')
  const isItem = (item: unknown) => typeof item === 'string' && expression.test(item)
  const check = (value: unknown): value is readonly string[] => field.check(value) && value.length <= most && value.every(isItem)
  const schema = { ...field.schema, maxItems: most, items: { type: 'string', pattern } }
  return { ...field, schema, words: `a list of at most ${most} ${words}`, check, isItem }
}

/** Throws INVALID_REQUEST for a name of points alone, which no address has: browsers and clients take "." and ".." out. */
export function requireAddressable(name: string, field: string): void {
  if (/^\.+$/.test(name)) throw new AdcpError('INVALID_REQUEST', `${field} has more than points`, { field })
}

/** Longest id that buyers give to what is theirs, and ad servers to what is there. */
const LONGEST_ID = 512

/** The id of something that is there, whoever gave it. */
export function idText(about: string): Field<string, false> {
  return atMost(LONGEST_ID, text(about))
}

/** A domain (RFC 1035 §2.3.4). Where it is read, another text is refused with what it looks like (an address, a list). */
export function domainText(about: string): Field<string, false> {
  return atMost(253, text(about))
}

/** One mail address without a display name, a list or a comment (RFC 5321 §4.1.2, without quoted local parts). */
export const MAIL_ADDRESS: TextForm = {
  pattern: '^[^\\s@<>\\(\\),;:"\\\\\\[\\]]{1,64}@[^\\s@<>\\(\\),;:"\\\\\\[\\]]{1,190}$',
  words: 'one mail address, e.g. robin@publisher.example',
}

/** The name under which somebody signs in. */
export function userName(about: string): Field<string, false> {
  return atMost(128, text(about))
}

/** The name of an ad server that is there (schemas/config.json). */
export function adServerName(about: string): Field<string, false> {
  return atMost(32, text(about))
}

const ORDER_ID: TextForm = {
  pattern: '^[A-Za-z0-9._\\-]+$',
  words: 'letters without accents, digits, dots, _ and -',
}
/** Longest id of an order that people enter or adopt (schemas/direct-order.json). */
export const LONGEST_ORDER_ID = 64

/** The id of an order that people enter or adopt. */
export function newOrderId(about: string): Field<string, false> {
  return inForm(ORDER_ID, atMost(LONGEST_ORDER_ID, text(about)))
}
