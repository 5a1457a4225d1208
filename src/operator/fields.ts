import { isDay } from '../domain/calendar/instant.ts'
import { isCurrency } from '../domain/money.ts'
import { isObject } from '../protocol/is-object.ts'
import { MOST_FILE_CHARACTERS } from './size-limits.ts'

/** A member of a request: how it is checked, described, and read from a query. */
export interface Field<T, Required extends boolean = boolean> {
  readonly about: string
  /** JSON Schema of the value, for the description. */
  readonly schema: Readonly<Record<string, unknown>>
  readonly required: Required
  /** What a value must be, in words. */
  readonly words: string
  readonly check: (value: unknown) => value is T
  /** The value that the text of a query parameter stands for; undefined: a query cannot hold such a value. */
  readonly parse: ((text: string) => unknown) | undefined
  /** What is kept of a value of the right type: of a text, what is between the blanks around it. Absent: all of it. */
  readonly clean?: (value: unknown) => unknown
  /** Also texts that people do not read: whatever a text can hold. */
  readonly anyText?: true
  /** An empty text takes away what is there. */
  readonly isClearable?: true
  /** Of a text that has a form beside its length (`inForm`): whether it is kept as people write it. People are told the form before they write. */
  readonly form?: 'as written' | 'cleaned'
  /** Of a list whose items have a form: whether one has it. A refusal quotes the first that has not. */
  readonly isItem?: (item: unknown) => boolean
  /** A list whose items hold no commas. */
  readonly separated?: true
  /** What is sent stands in the audit log: a reason, or what is agreed. Never a secret. */
  readonly isLogged?: true
  /** Given only inside of this process, such as a file that a person chose: not a member of the admin API. */
  readonly local?: true
}

/** The members that an operation takes, by name. */
export type FieldSet = Readonly<Record<string, Field<unknown>>>

/** Checked members; those that are not required are absent when they were not sent. */
export type Values<F extends FieldSet> = {
  readonly [N in keyof F as F[N] extends Field<unknown, true> ? N : never]: ValueOf<F[N]>
} & {
  readonly [N in keyof F as F[N] extends Field<unknown, true> ? never : N]?: ValueOf<F[N]>
}

type ValueOf<F> = F extends Field<infer T> ? T : never

const MAX_TEXT = 2000
/** What a list has at most. */
export const MAX_ITEMS = 200

const asText = (text: string): unknown => text
const trimmed = (value: unknown): unknown => (typeof value === 'string' ? value.trim() : value)
const capitals = (value: unknown): unknown => (typeof value === 'string' ? value.trim().toUpperCase() : value)
const eachTrimmed = (value: unknown): unknown => (Array.isArray(value) ? value.map(trimmed) : value)
/** An empty text in place of items is the list without any. */
const itemsOf = (value: string): readonly string[] => (value.trim() === '' ? [] : value.split(',').map((item) => item.trim()))
const isText = (value: unknown): value is string => typeof value === 'string' && hasAtMost(MAX_TEXT, value)
const isSome = (value: unknown): value is string => isText(value) && value !== ''
const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length <= MAX_ITEMS && value.every(isText)

/** Whether a text has at most so many characters, counted as JSON Schema counts them: one beyond the Basic Multilingual Plane is one. */
function hasAtMost(most: number, value: string): boolean {
  return value.length <= most || (value.length <= 2 * most && [...value].length <= most)
}

const textSchema = { type: 'string', maxLength: MAX_TEXT }

/** A text of at most 2,000 characters, without the blanks around it. It is not sent empty: an empty variable in a command would else read as none, or as all. */
export function text(about: string): Field<string, false> {
  const words = `a text of at most ${MAX_TEXT} characters`
  return { about, schema: { ...textSchema, minLength: 1 }, required: false, words, check: isSome, parse: asText, clean: trimmed }
}

/** The same text, which may be sent empty: that takes away what is there. */
export function clearable({
  schema: { minLength: _, pattern, ...schema },
  ...field
}: Field<string, false>): Field<string, false> {
  const check = (value: unknown): value is string => value === '' || field.check(value)
  return { ...field, isClearable: true, schema: { ...schema, ...(pattern !== undefined && { pattern: `^$|${pattern}` }) }, check }
}

/** The same text to the letter, with blanks around it: a password, or an id that another system gave. */
export function exact({ clean: _, ...field }: Field<string, false>): Field<string, false> {
  return { ...field, anyText: true }
}

/** The same text with a lower limit. */
export function atMost(length: number, field: Field<string, false>): Field<string, false> {
  const check = (value: unknown): value is string => field.check(value) && hasAtMost(length, value)
  return { ...field, schema: { ...field.schema, maxLength: length }, words: `a text of at most ${length} characters`, check }
}

/** The same text with a lower and an upper limit of its length. */
export function ofLength(least: number, most: number, field: Field<string, false>): Field<string, false> {
  const check = (value: unknown): value is string => field.check(value) && !hasAtMost(least - 1, value) && hasAtMost(most, value)
  const schema = { ...field.schema, minLength: least, maxLength: most }
  return { ...field, schema, words: `a text of ${least} to ${most} characters`, check }
}

/** The same member, which stands in the audit log as it was sent. */
export function logged<T, R extends boolean>(field: Field<T, R>): Field<T, R> {
  return { ...field, isLogged: true }
}

/** The text of a file. */
export function fileText(about: string): Field<string, false> {
  const check = (value: unknown): value is string => typeof value === 'string' && value.length <= MOST_FILE_CHARACTERS
  const schema = { type: 'string', maxLength: MOST_FILE_CHARACTERS }
  return {
    about,
    schema,
    required: false,
    words: `a text of at most ${MOST_FILE_CHARACTERS} characters`,
    check,
    parse: undefined,
  }
}

/** A day of the calendar, `YYYY-MM-DD`. */
export function day(about: string): Field<string, false> {
  const words = 'a day of the calendar, written as YYYY-MM-DD'
  return { about, schema: { type: 'string', format: 'date' }, required: false, words, check: isDay, parse: asText }
}

/** A month of the calendar, `YYYY-MM`. */
export function month(about: string): Field<string, false> {
  const check = (value: unknown): value is string => typeof value === 'string' && /^\d{4}-(?:0[1-9]|1[0-2])$/.test(value)
  const schema = { type: 'string', pattern: '^\\d{4}-(0[1-9]|1[0-2])$' }
  return { about, schema, required: false, words: 'a month, written as YYYY-MM', check, parse: asText }
}

/** A currency, as ISO 4217 writes it; small letters are taken for capital ones. */
export function currency(about: string): Field<string, false> {
  const check = (value: unknown): value is string => typeof value === 'string' && isCurrency(value)
  const schema = { type: 'string', pattern: '^[A-Za-z]{3}$' }
  return {
    about,
    schema,
    required: false,
    words: 'the ISO 4217 code of a currency, e.g. EUR',
    check,
    parse: asText,
    clean: capitals,
  }
}

/** One of some words. */
export function oneOf<const C extends string>(choices: readonly C[], about: string): Field<C, false> {
  const check = (value: unknown): value is C => choices.some((choice) => choice === value)
  const schema = { type: 'string', enum: choices }
  return { about, schema, required: false, words: `one of ${choices.join(', ')}`, check, parse: asText }
}

/** A list of at most 200 ids or words, none of which holds a comma: separated by commas in a query and on the command line. */
export function ids(about: string): Field<readonly string[], false> {
  return { ...texts(about), separated: true }
}

/** The ids of one to `most` things, of which an act changes each by itself; `what`: what they are called. */
export function several(most: number, what: string, about: string): Field<readonly string[], true> {
  const field = ids(about)
  const check = (value: unknown): value is readonly string[] => field.check(value) && value.length > 0 && value.length <= most
  const schema = { ...field.schema, minItems: 1, maxItems: most }
  return required({ ...field, schema, words: `a list of 1 to ${most} ${what}`, check })
}

/** A list of some words, as {@link ids} are written. */
export function someOf<const C extends string>(choices: readonly C[], about: string): Field<readonly C[], false> {
  const isChoice = (item: unknown) => choices.some((choice) => choice === item)
  const check = (value: unknown): value is readonly C[] => isTexts(value) && value.every(isChoice)
  const schema = { type: 'array', maxItems: MAX_ITEMS, items: { type: 'string', enum: choices } }
  return { ...ids(about), schema, words: `a list of some of ${choices.join(', ')}`, check }
}

/** A list of at most 200 texts, none of them blank: separated by commas in a query; on the command line the option is repeated. */
export function texts(about: string): Field<readonly string[], false> {
  const schema = { type: 'array', maxItems: MAX_ITEMS, items: { ...textSchema, minLength: 1 } }
  const words = `a list of at most ${MAX_ITEMS} texts, none of them empty`
  const check = (value: unknown): value is readonly string[] => isTexts(value) && !value.includes('')
  return { about, schema, required: false, words, check, parse: itemsOf, clean: eachTrimmed }
}

/** The same list, which is left out rather than sent empty. */
export function some<T extends string>(field: Field<readonly T[], false>): Field<readonly T[], false> {
  const check = (value: unknown): value is readonly T[] => field.check(value) && value.length > 0
  return { ...field, schema: { ...field.schema, minItems: 1 }, words: `${field.words}, at least one`, check }
}

/** The same list of some words with `most` of them at most. */
export function upTo<T extends string>(most: number, field: Field<readonly T[], false>): Field<readonly T[], false> {
  const check = (value: unknown): value is readonly T[] => field.check(value) && value.length <= most
  return { ...field, schema: { ...field.schema, maxItems: most }, words: `${field.words}, at most ${most}`, check }
}

/** A whole number from 0. */
export function count(about: string): Field<number, false> {
  const check = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0
  const parse = (value: string) => (/^\d{1,15}$/.test(value) ? Number(value) : value)
  return { about, schema: { type: 'integer', minimum: 0 }, required: false, words: 'a whole number', check, parse }
}

/** The same number within limits, both included. */
export function between(least: number, most: number, field: Field<number, false>): Field<number, false> {
  const check = (value: unknown): value is number => field.check(value) && value >= least && value <= most
  const words = `a whole number from ${least} to ${most}`
  return { ...field, schema: { ...field.schema, minimum: least, maximum: most }, words, check }
}

/** Where a list goes on that is read by pages. */
export const CURSOR = { cursor: text('next_cursor of the page before') }

/** What a page has of a list that is read by pages, unless it is said. */
export const DEFAULT_PAGE = 50

/** What a page of most lists has at most. */
export const MAX_LIMIT = 200

/** The fields of a list that is read by pages of at most `most`. */
export function paged(what: string, most = MAX_LIMIT) {
  return { ...CURSOR, limit: between(1, most, count(`${what} of a page, 1 to ${most}; default ${DEFAULT_PAGE}`)) }
}

export function flag(about: string): Field<boolean, false> {
  const check = (value: unknown): value is boolean => typeof value === 'boolean'
  const parse = (value: string) => (value === 'true' ? true : value === 'false' ? false : value)
  return { about, schema: { type: 'boolean' }, required: false, words: 'true or false', check, parse }
}

/** A JSON object that the operation checks by a schema of its own. */
export function object(about: string): Field<Readonly<Record<string, unknown>>, false> {
  return { about, schema: { type: 'object' }, required: false, words: 'a JSON object', check: isObject, parse: undefined }
}

/** The same member, which has to be sent. A text that is empty, or has nothing but blanks, counts as none. */
export function required<T>(field: Field<T>): Field<T, true> {
  if (field.isClearable) throw new Error(`${field.about}: a member that an empty text takes away is not required`)
  const check = (value: unknown): value is T => value !== '' && field.check(value)
  return { ...field, required: true, check }
}
