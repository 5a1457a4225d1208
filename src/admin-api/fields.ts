import { AdcpError } from '../protocol/errors.ts'
import { isObject } from '../protocol/is-object.ts'

/** What a member of a request may be: a text, a list of texts, a whole number, true or false, or an object of texts. */
export type FieldKind = 'text' | 'texts' | 'count' | 'flag' | 'cells'

/** Members that an operation takes, by name. */
export type FieldKinds = Readonly<Record<string, FieldKind>>

const MAX_TEXT = 2000
const MAX_ITEMS = 200

/** Checked members of a request. */
export class Fields {
  readonly #values: Readonly<Record<string, unknown>>

  /** Throws INVALID_REQUEST, naming the member, for unknown ones and for values of another kind. */
  constructor(values: Readonly<Record<string, unknown>>, kinds: FieldKinds) {
    for (const [name, value] of Object.entries(values)) {
      const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined
      if (!kind) throw fault(name, `is not known here; known: ${Object.keys(kinds).join(', ') || 'none'}`)
      if (!CHECKS[kind](value)) throw fault(name, `must be ${WORDS[kind]}`)
    }
    this.#values = values
  }

  /** Members and values in one order, so that equal requests are equal. */
  canonical(): readonly (readonly [string, unknown])[] {
    return Object.entries(this.#values).toSorted(([a], [b]) => (a < b ? -1 : 1))
  }

  text(name: string): string | undefined {
    const value = this.#values[name]
    return typeof value === 'string' ? value : undefined
  }

  /** Throws INVALID_REQUEST when it is absent. */
  required(name: string): string {
    const value = this.text(name)
    if (value === undefined || value === '') throw fault(name, 'is required')
    return value
  }

  texts(name: string): readonly string[] | undefined {
    const value = this.#values[name]
    return Array.isArray(value) ? value.map(String) : undefined
  }

  count(name: string): number | undefined {
    const value = this.#values[name]
    return typeof value === 'number' ? value : undefined
  }

  flag(name: string): boolean | undefined {
    const value = this.#values[name]
    return typeof value === 'boolean' ? value : undefined
  }

  cells(name: string): Readonly<Record<string, string>> {
    const value = this.#values[name]
    return isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, text]) => [key, String(text)])) : {}
  }
}

/** Parameters of a query as the members that they stand for; lists are separated by commas. */
export function queryFields(query: URLSearchParams, kinds: FieldKinds): Fields {
  const values: Record<string, unknown> = {}
  for (const [name, text] of query) {
    if (Object.hasOwn(values, name)) throw fault(name, 'is given twice')
    const kind = kinds[name]
    if (kind === 'texts') values[name] = text.split(',')
    else if (kind === 'count') values[name] = /^\d{1,15}$/.test(text) ? Number(text) : text
    else if (kind === 'flag') values[name] = text === 'true' ? true : text === 'false' ? false : text
    else values[name] = text
  }
  return new Fields(values, kinds)
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= MAX_TEXT

const CHECKS: Readonly<Record<FieldKind, (value: unknown) => boolean>> = {
  text: isText,
  texts: (value) => Array.isArray(value) && value.length <= MAX_ITEMS && value.every(isText),
  count: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  flag: (value) => typeof value === 'boolean',
  cells: (value) => isObject(value) && Object.keys(value).length <= MAX_ITEMS && Object.values(value).every(isText),
}

const WORDS: Readonly<Record<FieldKind, string>> = {
  text: `a text of at most ${MAX_TEXT} characters`,
  texts: `a list of at most ${MAX_ITEMS} texts`,
  count: 'a whole number',
  flag: 'true or false',
  cells: `an object of at most ${MAX_ITEMS} texts`,
}

function fault(name: string, what: string): AdcpError {
  return new AdcpError('INVALID_REQUEST', `${name} ${what}`, { field: name })
}
