import { clearable, type Field, MAX_ITEMS, text } from './fields.ts'

/** A text among {@link cells}. */
export const CELL = text('a cell of a table')

/** Values by name, at most 200. */
export function byName<T>(of: Field<T>, values: string, about: string): Field<Readonly<Record<string, T>>, false> {
  const schema = { type: 'object', maxProperties: MAX_ITEMS, additionalProperties: of.schema }
  const check = (value: unknown): value is Readonly<Record<string, T>> => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
    const values = Object.values(value)
    return values.length <= MAX_ITEMS && values.every(of.check)
  }
  return { about, schema, required: false, words: `an object of at most ${MAX_ITEMS} ${values}`, check, parse: undefined }
}

/** Texts by name; an empty one says that there is nothing. */
export function cells(about: string): Field<Readonly<Record<string, string>>, false> {
  return byName(clearable(CELL), `texts of at most ${CELL.schema.maxLength} characters`, about)
}
