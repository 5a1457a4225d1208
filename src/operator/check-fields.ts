import { findUnfitText, notText, unfitText } from '../domain/fit-text.ts'
import { AdcpError } from '../protocol/errors.ts'
import { quoted } from '../protocol/nearest-name.ts'
import type { Field, FieldSet, Values } from './fields.ts'

/** The members of a request, cleaned and checked. Throws INVALID_REQUEST, naming the member, for unknown and missing ones and for values of another kind. */
export function checkedValues<F extends FieldSet>(given: Readonly<Record<string, unknown>>, fields: F): Values<F> {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(fields, name))
  if (unknown !== undefined) throw fault(unknown, `is not known here; known: ${sentNames(fields).join(', ') || 'none'}`)
  const values = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, fields[name]?.clean?.(value) ?? value]))
  for (const [name, value] of Object.entries(values)) {
    const field = fields[name]
    if (field && !field.check(value)) throw fault(name, faultOf(field, value))
    // Files that are read in this process are looked through where they are read.
    const unfit = field?.local ? undefined : findUnfitText(value, name, field?.anyText ? notText : unfitText)
    if (unfit) throw fault(unfit.at, unfit.fault)
  }
  const missing = Object.keys(fields).find((name) => fields[name]?.required && !Object.hasOwn(values, name))
  if (missing !== undefined) throw fault(missing, 'is required')
  if (!areValues(values, fields)) throw fault('body', 'does not fit')
  return values
}

function faultOf({ required, words, schema, isItem }: Field<unknown>, value: unknown): string {
  if (value === '' && required) return 'is required'
  if (value === '' && schema.minLength === 1) return 'is empty: leave it out, or give it a text'
  const wrong: unknown = isItem && Array.isArray(value) ? value.find((item) => !isItem(item)) : undefined
  return `must be ${words}${typeof wrong === 'string' ? `; ${quoted(wrong)} is none` : ''}`
}

/** The members that a request can send. */
export function sentNames(fields: FieldSet): readonly string[] {
  return Object.keys(fields).filter((name) => !fields[name]?.local)
}

/** Parameters of a query as the members that they stand for. Throws INVALID_REQUEST for one that is given twice. */
export function queryMembers(query: URLSearchParams, fields: FieldSet): Readonly<Record<string, unknown>> {
  const members: Record<string, unknown> = {}
  for (const [name, value] of query) {
    if (Object.hasOwn(members, name)) throw fault(name, 'is given twice')
    const parse = Object.hasOwn(fields, name) ? fields[name]?.parse : undefined
    Object.defineProperty(members, name, { value: parse ? parse(value) : value, enumerable: true })
  }
  return members
}

function areValues<F extends FieldSet>(given: Readonly<Record<string, unknown>>, fields: F): given is Values<F> {
  return Object.entries(fields).every(([name, { required: isNeeded, check }]) =>
    Object.hasOwn(given, name) ? check(given[name]) : !isNeeded,
  )
}

function fault(name: string, what: string): AdcpError {
  return new AdcpError('INVALID_REQUEST', `${name} ${what}`, { field: name })
}
