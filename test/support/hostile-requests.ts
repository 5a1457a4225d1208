import type { Schema, Schemas } from '../../src/protocol/schemas.ts'

/** A request that is right but for one text, which is a payload. */
export interface HostileRequest {
  /** Where the payload is, as a JSON pointer with `n` for places in lists: `/packages/n/context`. */
  readonly member: string
  readonly request: object
}

/** `address`: it has to look like one of the web. */
export type PayloadOf = (member: string, kind: 'text' | 'address', maxLength: number) => string

type Path = readonly (string | number)[]

interface Place {
  readonly schema: Schema
  readonly root: Schema
}

/** Objects below a missing member that are filled with payloads. */
const MAX_DEPTH = 4

/**
 * From a request that is accepted, one more for every text that its schema allows: each string of it that is free, and each member that it does not
 * have. `payloadOf` gets the member and what its text may be at most.
 */
export function hostileRequests(
  schemas: Schemas,
  document: Schema,
  base: object,
  payloadOf: PayloadOf,
): readonly HostileRequest[] {
  const found = new Map<string, HostileRequest>()
  const add = (path: Path, value: unknown) => {
    const member = `/${path.map((step) => (typeof step === 'number' ? 'n' : step)).join('/')}`
    if (!found.has(member)) found.set(member, { member, request: withValue(base, path, value) })
  }
  const visit = (value: unknown, place: Place, path: Path): void => {
    for (const each of placesOf(schemas, place)) {
      if (typeof value === 'string' && isText(each.schema))
        add(path, payloadOf(nameOf(path), kindOf(each.schema), lengthOf(each.schema)))
      if (Array.isArray(value) && isRecord(each.schema.items))
        for (const [index, item] of value.entries()) visit(item, { schema: each.schema.items, root: each.root }, [...path, index])
      if (!isRecord(value) || !isRecord(each.schema.properties)) continue
      for (const [name, member] of Object.entries(each.schema.properties)) {
        if (!isRecord(member)) continue
        const inner = { schema: member, root: each.root }
        if (Object.hasOwn(value, name)) visit(value[name], inner, [...path, name])
        else {
          const sample = sampleOf(
            schemas,
            inner,
            (schema) => payloadOf(nameOf([...path, name]), kindOf(schema), lengthOf(schema)),
            MAX_DEPTH,
          )
          if (sample !== undefined) add([...path, name], sample)
        }
      }
    }
  }
  visit(base, { schema: document, root: document }, [])
  return [...found.values()]
}

/** The schema with those that it refers to and is made of. */
function placesOf(schemas: Schemas, place: Place, depth = 0): readonly Place[] {
  const { schema, root } = place
  if (depth > 6) return []
  const referred = typeof schema.$ref === 'string' ? [referredPlace(schemas, schema.$ref, root)] : []
  const parts = [schema.allOf, schema.oneOf, schema.anyOf].flatMap((each) => (Array.isArray(each) ? each.filter(isRecord) : []))
  const others = [...referred, ...parts.map((part) => ({ schema: part, root }))]
  return [place, ...others.flatMap((each) => (each ? placesOf(schemas, each, depth + 1) : []))]
}

function referredPlace(schemas: Schemas, reference: string, root: Schema): Place | undefined {
  const [document, fragment = ''] = reference.split('#')
  const home = document ? schemas.resolveReference(reference) : root
  const steps = fragment.split('/').slice(1)
  const target = steps.reduce<unknown>((at, step) => (isRecord(at) ? at[step] : undefined), home)
  return isRecord(target) ? { schema: target, root: home } : undefined
}

/** A small value that a schema allows, with payloads for its texts; undefined when it has none. */
function sampleOf(schemas: Schemas, place: Place, text: (schema: Schema) => string, depth: number): unknown {
  const places = placesOf(schemas, place)
  const chosen = places.find(({ schema }) => Array.isArray(schema.enum) || 'const' in schema)?.schema
  if (chosen) return 'const' in chosen ? chosen.const : Array.isArray(chosen.enum) ? chosen.enum[0] : undefined
  for (const { schema, root } of places) {
    const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
    if (type === 'string') return isText(schema) ? text(schema) : FORMATS[String(schema.format)]
    if (type === 'number' || type === 'integer') return typeof schema.minimum === 'number' ? Math.max(1, schema.minimum) : 1
    if (type === 'boolean') return true
    if (depth === 0) continue
    if (type === 'array' && isRecord(schema.items)) {
      const item = sampleOf(schemas, { schema: schema.items, root }, text, depth - 1)
      return item === undefined ? undefined : [item]
    }
    if (type === 'object' || isRecord(schema.properties)) return objectOf(schemas, places, text, depth)
  }
  return undefined
}

/** Required members, and every free text. */
function objectOf(schemas: Schemas, places: readonly Place[], text: (schema: Schema) => string, depth: number): object {
  const sample: Record<string, unknown> = {}
  const required = new Set(places.flatMap(({ schema }) => (Array.isArray(schema.required) ? schema.required.map(String) : [])))
  for (const { schema, root } of places) {
    for (const [name, member] of Object.entries(isRecord(schema.properties) ? schema.properties : {})) {
      if (!isRecord(member) || Object.hasOwn(sample, name)) continue
      const inner = { schema: member, root }
      const isFree = placesOf(schemas, inner).some((each) => each.schema.type === 'string' && isText(each.schema))
      if (!required.has(name) && !isFree) continue
      const value = sampleOf(schemas, inner, text, depth - 1)
      if (value !== undefined) sample[name] = value
    }
  }
  return Object.keys(sample).length > 0 ? sample : { note: text({ maxLength: 200 }) }
}

const FORMATS: Readonly<Record<string, string>> = {
  uri: 'https://brand.example/a',
  'date-time': '2026-03-05T00:00:00Z',
  date: '2026-03-05',
  email: 'a@brand.example',
  uuid: '00000000-0000-4000-8000-000000000001',
}

function isText(schema: Schema): boolean {
  const isBound = Array.isArray(schema.enum) || 'const' in schema || typeof schema.pattern === 'string'
  return schema.type === 'string' && !isBound && (schema.format === undefined || schema.format === 'uri')
}

function kindOf({ format }: Schema): 'text' | 'address' {
  return format === 'uri' ? 'address' : 'text'
}

function lengthOf({ maxLength }: Schema): number {
  return typeof maxLength === 'number' ? maxLength : 500
}

function nameOf(path: Path): string {
  return path.filter((step) => typeof step === 'string').join('.')
}

function withValue(value: unknown, path: Path, put: unknown): object {
  const [step, ...rest] = path
  if (step === undefined) return Object(put)
  if (Array.isArray(value))
    return value.map((each, index) => (index === step ? (rest.length === 0 ? put : withValue(each, rest, put)) : each))
  const members = isRecord(value) ? value : {}
  const inner = rest.length === 0 ? put : withValue(members[step], rest, put)
  return { ...members, [step]: inner }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
