import { isDeepStrictEqual } from 'node:util'
import type { Schema } from '../schema-places.ts'

/** A change of a schema that programs written for the earlier one do not know: where it is, and what it is. */
export interface SchemaChange {
  /** Path of the document and JSON pointer into it. */
  readonly place: string
  readonly change: string
}

/** Bounds that may become wider. */
const UPPER = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'])
const LOWER = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'])

/** Restrictions that may go. */
const REMOVABLE = new Set([
  ...UPPER,
  ...LOWER,
  'pattern',
  'format',
  'uniqueItems',
  'const',
  'enum',
  'required',
  'not',
  'additionalProperties',
  'type',
])

/** Say nothing of what is valid. */
const SILENT = new Set(['$id', '$schema', 'default'])

const SCHEMAS_BY_NAME = new Set(['patternProperties', 'definitions', '$defs'])

/**
 * What changed from one schema to another so that a value which was valid may be no longer, or that cannot be judged. Nothing is found for members and
 * enumeration values that were added and for bounds that became wider. Both in normal form; `place` names the document.
 */
export function schemaChanges(place: string, before: Schema, after: Schema): readonly SchemaChange[] {
  const keywords = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...keywords].flatMap((keyword) => {
    const [was, is] = [before[keyword], after[keyword]]
    if (SILENT.has(keyword) || isDeepStrictEqual(was, is)) return []
    return keywordChanges(`${place}/${keyword}`, keyword, was, is, after)
  })
}

function keywordChanges(place: string, keyword: string, was: unknown, is: unknown, after: Schema): readonly SchemaChange[] {
  const found = (change: string) => [{ place, change }]
  if (is === undefined && REMOVABLE.has(keyword)) return []
  if (keyword === 'properties') return memberChanges(place, was, is, after.additionalProperties === false)
  if (SCHEMAS_BY_NAME.has(keyword)) return memberChanges(place, was, is, true)
  if (keyword === 'required')
    return entriesOf(is)
      .filter((each) => !entriesOf(was).includes(each))
      .flatMap((each) => found(`"${each}" is required`))
  if (keyword === 'enum' && was !== undefined) {
    return entriesOf(was)
      .filter((each) => !entriesOf(is).includes(each))
      .flatMap((each) => found(`the value "${each}" is gone`))
  }
  if (UPPER.has(keyword) && Number(is) >= Number(was)) return []
  if (LOWER.has(keyword) && Number(is) <= Number(was)) return []
  if (isSchema(was) && isSchema(is)) return schemaChanges(place, was, is)
  if (Array.isArray(was) && Array.isArray(is)) return branchChanges(place, keyword, was, is)
  return found(`was ${inShort(was)}, is ${inShort(is)}`)
}

/** `closed`: a name that is gone is no longer valid. */
function memberChanges(place: string, was: unknown, is: unknown, closed: boolean): readonly SchemaChange[] {
  const [before, after] = [isSchema(was) ? was : {}, isSchema(is) ? is : {}]
  return Object.entries(before).flatMap(([name, value]) => {
    const now = after[name]
    if (now === undefined) return closed ? [{ place: `${place}/${name}`, change: 'is gone' }] : []
    if (isSchema(value) && isSchema(now)) return schemaChanges(`${place}/${name}`, value, now)
    return isDeepStrictEqual(value, now)
      ? []
      : [{ place: `${place}/${name}`, change: `was ${inShort(value)}, is ${inShort(now)}` }]
  })
}

/** Branches of `oneOf`, `anyOf`, `allOf`, in their order: `anyOf` may gain one, no other may. */
function branchChanges(place: string, keyword: string, was: readonly unknown[], is: readonly unknown[]): readonly SchemaChange[] {
  if (keyword === 'anyOf' && was.every((each) => is.some((other) => isDeepStrictEqual(each, other)))) return []
  if (keyword === 'type' && was.every((each) => is.includes(each))) return []
  if (was.length !== is.length) return [{ place, change: `has ${is.length} branches, had ${was.length}` }]
  return was.flatMap((each, index) => {
    const now = is[index]
    if (isSchema(each) && isSchema(now)) return schemaChanges(`${place}/${index}`, each, now)
    return isDeepStrictEqual(each, now)
      ? []
      : [{ place: `${place}/${index}`, change: `was ${inShort(each)}, is ${inShort(now)}` }]
  })
}

function entriesOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function inShort(value: unknown): string {
  const text = value === undefined ? 'absent' : JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
