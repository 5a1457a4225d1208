import fc from 'fast-check'
import type { Schema, Schemas } from '../../src/protocol/schemas.ts'

/** Values that mean something to the agent under test, by the name of the field that may hold them. */
export type Words = Readonly<Record<string, readonly unknown[]>>

interface Context {
  readonly schemas: Schemas
  readonly words: Words
  /** Document that local references point into. */
  readonly root: Schema
  readonly depth: number
  readonly field: string
}

/** Deeper than this only required members are made: official schemas refer to each other without end. */
const MAX_DEPTH = 7

/** Requests that a schema allows for the most part: what it says in prose, or with `if` and `not`, is left to chance. */
export function arbitraryRequest(schemas: Schemas, schema: Schema, words: Words): fc.Arbitrary<unknown> {
  return valueFor(schema, { schemas, words, root: schema, depth: 0, field: '' })
}

function valueFor(schema: Schema, context: Context): fc.Arbitrary<unknown> {
  const words = context.words[context.field]
  const plain = plainValue(schema, context)
  return words && words.length > 0
    ? fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...words) }, { weight: 1, arbitrary: plain })
    : plain
}

function plainValue(schema: Schema, context: Context): fc.Arbitrary<unknown> {
  if (typeof schema.$ref === 'string') return referredValue(schema.$ref, context)
  if ('const' in schema) return fc.constant(schema.const)
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum)
  const parts = [...schemasIn(schema.allOf)].map((each) => plainValue(each, context))
  const branches = [...schemasIn(schema.oneOf), ...schemasIn(schema.anyOf)]
  if (branches.length > 0) parts.push(fc.constantFrom(...branches).chain((branch) => plainValue(branch, context)))
  if (schema.type !== undefined || schema.properties !== undefined || parts.length === 0) parts.unshift(ofType(schema, context))
  return fc.tuple(...parts).map((values) => {
    const objects = values.filter(isRecord)
    return objects.length === values.length ? Object.assign({}, ...objects) : values.findLast((value) => !isRecord(value))
  })
}

/** `#/$defs/x` is in the same document, `/schemas/…/x.json` is another. */
function referredValue(reference: string, context: Context): fc.Arbitrary<unknown> {
  const [document, fragment = ''] = reference.split('#')
  const root = document ? context.schemas.resolveReference(document) : context.root
  const steps = fragment.split('/').slice(1)
  const target = steps.reduce<unknown>(
    (at, step) => (isRecord(at) ? at[step] : Array.isArray(at) ? at[Number(step)] : undefined),
    root,
  )
  if (!isRecord(target)) throw new Error(`${reference} refers to nothing`)
  return valueFor(target, { ...context, root })
}

function ofType(schema: Schema, context: Context): fc.Arbitrary<unknown> {
  const type = Array.isArray(schema.type) ? schema.type[0] : (schema.type ?? (schema.properties ? 'object' : undefined))
  if (type === 'object') return objectOf(schema, context)
  if (type === 'array') return arrayOf(schema, context)
  if (type === 'string') return stringOf(schema)
  if (type === 'boolean') return fc.boolean()
  if (type === 'null') return fc.constant(null)
  const least = numberIn(schema, 'minimum') ?? numberIn(schema, 'exclusiveMinimum') ?? -10
  const most = Math.max(least, numberIn(schema, 'maximum') ?? least + 100_000)
  if (type === 'integer') return fc.integer({ min: Math.ceil(least), max: Math.floor(most) })
  if (type === 'number') return fc.integer({ min: Math.ceil(least), max: Math.floor(most) }).map((value) => value + 0.25)
  return fc.jsonValue({ maxDepth: 1 })
}

function objectOf(schema: Schema, context: Context): fc.Arbitrary<unknown> {
  const properties = isRecord(schema.properties) ? schema.properties : {}
  const required = Array.isArray(schema.required) ? schema.required.filter((name) => name in properties) : []
  const optional = Object.keys(properties).filter((name) => !required.includes(name))
  const maxLength = context.depth === 0 ? 5 : context.depth < MAX_DEPTH ? 2 : 0
  return fc.subarray(optional, { maxLength: Math.min(maxLength, optional.length) }).chain((chosen) =>
    fc.record(
      Object.fromEntries(
        [...required, ...chosen].map((name) => {
          const member = properties[name]
          return [
            name,
            isRecord(member) ? valueFor(member, { ...context, depth: context.depth + 1, field: name }) : fc.anything(),
          ]
        }),
      ),
    ),
  )
}

function arrayOf(schema: Schema, context: Context): fc.Arbitrary<unknown> {
  const minLength = numberIn(schema, 'minItems') ?? 0
  const item = isRecord(schema.items) ? schema.items : {}
  return fc.array(
    fc.constant(item).chain((each) => valueFor(each, { ...context, depth: context.depth + 1, field: `${context.field}[]` })),
    {
      minLength,
      maxLength: Math.max(minLength, 2),
    },
  )
}

const FORMATS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  uri: fc.webUrl(),
  'uri-template': fc.webUrl(),
  email: fc.emailAddress(),
  uuid: fc.uuid(),
  date: fc
    .date({ min: new Date(0), max: new Date('2040-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10)),
  'date-time': fc.date({ min: new Date(0), max: new Date('2040-01-01'), noInvalidDate: true }).map((date) => date.toISOString()),
}

/** Texts that a pattern matches; undefined for one with a look-ahead, which fast-check cannot make texts for. */
function textOf(pattern: RegExp): fc.Arbitrary<string> | undefined {
  return pattern.source.includes('(?=') || pattern.source.includes('(?!') ? undefined : fc.stringMatching(pattern)
}

function stringOf(schema: Schema): fc.Arbitrary<string> {
  const format = typeof schema.format === 'string' ? FORMATS[schema.format] : undefined
  if (format) return format
  const matching = typeof schema.pattern === 'string' ? textOf(new RegExp(schema.pattern)) : undefined
  if (matching) return matching
  const minLength = numberIn(schema, 'minLength') ?? 0
  return fc.string({
    unit: 'grapheme',
    minLength,
    maxLength: Math.max(minLength, Math.min(numberIn(schema, 'maxLength') ?? 40, 40)),
  })
}

/** What a careless or hostile client puts where something else belongs. */
const STRANGE: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    '',
    0,
    -1,
    1e308,
    Number.MAX_SAFE_INTEGER,
    0.1,
    [],
    {},
    [[]],
    [null],
    '\u0000',
    '\ud800',
    "'; --",
    '../../etc',
    '%s%n',
  ),
  fc.constantFrom('9999-99-99T99:99:99Z', '+275760-09-13T00:00:00Z', '0000-01-01', 'asap', 'constructor', '__proto__', 'NaN'),
  fc.string({ minLength: 5000, maxLength: 6000 }),
  fc.jsonValue(),
)

/** The request with up to three members replaced, removed, renamed or doubled. */
export function mutated(request: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const change = fc.record({
    at: fc.nat(),
    how: fc.constantFrom('replace' as const, 'remove' as const, 'rename' as const, 'double' as const),
    value: STRANGE,
  })
  return fc.tuple(request, fc.array(change, { minLength: 1, maxLength: 3 })).map(([value, changes]) => {
    const copy = structuredClone(value)
    for (const { at, how, value: strange } of changes) mutate(copy, at, how, strange)
    return copy
  })
}

function mutate(root: unknown, at: number, how: 'replace' | 'remove' | 'rename' | 'double', strange: unknown): void {
  const places = [...placesIn(root)]
  const place = places[at % Math.max(1, places.length)]
  if (!place) return
  const { parent, name } = place
  if (Array.isArray(parent)) {
    if (how === 'remove') parent.splice(Number(name), 1)
    else if (how === 'double') parent.push(structuredClone(parent[Number(name)]))
    else parent[Number(name)] = strange
    return
  }
  const { [name]: value } = parent
  if (how === 'replace' || how === 'double') parent[name] = strange
  else delete parent[name]
  if (how === 'rename') parent[`${name}_`] = value
}

function* placesIn(value: unknown): Generator<{ parent: Record<string, unknown> | unknown[]; name: string }> {
  if (typeof value !== 'object' || value === null) return
  const parent = value as Record<string, unknown> | unknown[]
  for (const [name, child] of Object.entries(value)) {
    yield { parent, name }
    yield* placesIn(child)
  }
}

function* schemasIn(value: unknown): Generator<Schema> {
  for (const each of Array.isArray(value) ? value : []) if (isRecord(each)) yield each
}

function numberIn(schema: Schema, name: string): number | undefined {
  const value = schema[name]
  return typeof value === 'number' ? value : undefined
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
