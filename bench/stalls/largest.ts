import { randomUUID } from 'node:crypto'
import { MAX_ITEMS, maxLengthOf, taskLimits } from '../../src/pipeline/value-bounds.ts'
import type { Schema, Schemas } from '../../src/protocol/schemas.ts'

/** Values that the measured agent knows, by member name: ids of what the buyer has, its account, dates. */
export type Known = Readonly<Record<string, unknown>>

/** A request in which one array or text is as large as the schema and the bounds of the server allow. */
export interface LargeRequest {
  readonly task: string
  /** Path of what is large, and how. */
  readonly title: string
  args(): object
}

interface Place {
  readonly schema: Schema
  /** The document that local references of the schema point into. */
  readonly document: Schema
}

/** Arrays inside arrays of arrays add nothing new, and the number of places grows with each level. */
const MAX_DEPTH = 4
/** Below the 100,000 values and 4 MB of a body, with room for the rest of the request. */
const MAX_VALUES = 90_000
const MAX_BYTES = 3_900_000
/** Texts of one kind of character each: what markup, words, addresses and white space are read for. */
const FILLINGS = ['a', '<', ' ', 'a@', '"']

/** Every request of a task that is large in one place. Other members are the required ones, in their smallest form. */
export function largestRequests(schemas: Schemas, task: string, known: Known): LargeRequest[] {
  const path = schemas.pathsOf(task)?.request
  if (path === undefined) return []
  const document = schemas.document(path)
  const maker = new Maker(schemas, known, taskLimits(task))
  return maker.placesIn({ schema: document, document }).map(({ title, fill }) => ({
    task,
    title,
    args: () => {
      const args = maker.smallest({ schema: document, document }, '')
      return { ...(isRecord(args) ? fill(args) : {}), idempotency_key: randomUUID() }
    },
  }))
}

interface Found {
  readonly title: string
  fill(root: Record<string, unknown>): Record<string, unknown>
}

class Maker {
  readonly #schemas: Schemas
  readonly #known: Known
  readonly #limits: Readonly<Record<string, number>>

  constructor(schemas: Schemas, known: Known, limits: Readonly<Record<string, number>>) {
    this.#schemas = schemas
    this.#known = known
    this.#limits = limits
  }

  /** Where a request can be large: each with a way to put the large value there. */
  placesIn(place: Place, path = '', depth = 0): Found[] {
    if (depth > MAX_DEPTH) return []
    const found: Found[] = []
    for (const [name, member] of this.#members(place)) {
      const at = path === '' ? name : `${path}.${name}`
      const put =
        (value: unknown): Found['fill'] =>
        (root) => ({ ...root, [name]: value })
      const resolved = this.#resolve(member)
      if (resolved.schema.type === 'array' && !(name in this.#known)) {
        found.push(...this.#largeArray(resolved, name, at).map(({ title, value }) => ({ title, fill: put(value) })))
        for (const inner of this.placesIn(this.#itemOf(resolved), `${at}[]`, depth + 1)) {
          found.push({ title: inner.title, fill: (root) => put([inner.fill(this.#object(this.#itemOf(resolved), name))])(root) })
        }
      } else if (resolved.schema.type === 'string' && isFree(resolved.schema) && !(name in this.#known)) {
        const most = numberIn(resolved.schema.maxLength) ?? maxLengthOf(name)
        for (const filling of most > 1_000 ? FILLINGS : []) {
          const value = filling.repeat(most / filling.length)
          found.push({ title: `${at}: ${most} characters of ${JSON.stringify(filling)}`, fill: put(value) })
        }
      } else {
        for (const inner of this.placesIn(resolved, at, depth + 1)) {
          found.push({ title: inner.title, fill: (root) => put(inner.fill(this.#object(resolved, name)))(root) })
        }
      }
    }
    return found
  }

  /** The smallest value that a schema allows, known values where their names stand. */
  smallest(place: Place, name: string, index = 0, depth = 0): unknown {
    if (name in this.#known) return this.#known[name]
    const { schema, document } = this.#resolve(place)
    if ('const' in schema) return schema.const
    if (Array.isArray(schema.enum)) return schema.enum[index % schema.enum.length]
    const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
    if (type === 'string') return textOf(schema, name, index)
    if (type === 'integer' || type === 'number') return numberIn(schema.minimum) ?? (numberIn(schema.exclusiveMinimum) ?? 0) + 1
    if (type === 'boolean') return false
    if (type === 'null') return null
    if (type === 'array') {
      const count = Math.max(numberIn(schema.minItems) ?? 0, 0)
      return Array.from({ length: count }, (_, at) => this.smallest(this.#itemOf({ schema, document }), name, at, depth + 1))
    }
    const required = Array.isArray(schema.required) ? schema.required.map(String) : []
    const members = this.#members({ schema, document })
    if (depth > 8) return {}
    return Object.fromEntries(
      required.flatMap((each) => {
        const member = members.get(each)
        return member ? [[each, this.smallest(member, each, index, depth + 1)] as const] : []
      }),
    )
  }

  #largeArray(place: Place, name: string, path: string): { title: string; value: unknown[] }[] {
    const item = (index: number) => this.smallest(this.#itemOf(place), name.replace(/s$/, ''), index)
    const sample = JSON.stringify(item(0)) ?? '0'
    const values = (sample.match(/[,:[{]/g)?.length ?? 0) + 1
    const bounds = [
      numberIn(place.schema.maxItems) ?? MAX_ITEMS,
      this.#limits[path] ?? MAX_ITEMS,
      MAX_VALUES / values,
      MAX_BYTES / (sample.length + 8),
    ]
    const count = Math.floor(Math.min(...bounds))
    return [{ title: `${path}: ${count} items`, value: Array.from({ length: count }, (_, index) => item(index)) }]
  }

  #object(place: Place, name: string): Record<string, unknown> {
    const value = this.smallest(place, name)
    return isRecord(value) ? value : {}
  }

  #itemOf({ schema, document }: Place): Place {
    return { schema: isRecord(schema.items) ? schema.items : {}, document }
  }

  #members(place: Place): ReadonlyMap<string, Place> {
    const { schema, document } = this.#resolve(place)
    const { properties } = schema
    const own = Object.entries(isRecord(properties) ? properties : {})
    return new Map(own.flatMap(([name, member]) => (isRecord(member) ? [[name, { schema: member, document }] as const] : [])))
  }

  /** References followed, and the first of alternatives taken together with what stands beside them. */
  #resolve(place: Place): Place {
    const { schema, document } = place
    const { $ref } = schema
    if (typeof $ref === 'string') {
      const [file = '', fragment = ''] = $ref.split('#')
      const root = file === '' ? document : this.#schemas.resolveReference(file)
      const target = fragment
        .split('/')
        .slice(1)
        .reduce<unknown>((at, step) => (isRecord(at) ? at[step] : undefined), root)
      return this.#resolve({ schema: isRecord(target) ? target : {}, document: root })
    }
    for (const branches of [schema.allOf, schema.oneOf, schema.anyOf]) {
      const [first] = Array.isArray(branches) ? branches : []
      if (!isRecord(first)) continue
      const branch = this.#resolve({ schema: first, document })
      const required = [...listIn(schema.required), ...listIn(branch.schema.required)]
      const properties = {
        ...(isRecord(branch.schema.properties) && branch.schema.properties),
        ...(isRecord(schema.properties) && schema.properties),
      }
      const { allOf: _all, oneOf: _one, anyOf: _any, ...rest } = schema
      return {
        schema: { ...branch.schema, ...rest, properties, required },
        document: schema.properties ? document : branch.document,
      }
    }
    return place
  }
}

function textOf(schema: Schema, name: string, index: number): string {
  const formats: Readonly<Record<string, string>> = {
    uri: `https://site${index}.example/x`,
    'uri-template': `https://site${index}.example/x`,
    email: `a${index}@brand.example`,
    'date-time': new Date(Date.UTC(2030, 0, 1) + index * 1_000).toISOString(),
    date: new Date(Date.UTC(2030, 0, 1) + (index % 1_000) * 86_400_000).toISOString().slice(0, 10),
    uuid: randomUUID(),
  }
  const format = typeof schema.format === 'string' ? formats[schema.format] : undefined
  if (format !== undefined) return format
  const candidates = [
    `${name.replaceAll(/[^a-z]/g, '') || 'x'}${index}`,
    `https://site${index}.example/x`,
    `a${index}.example`,
    index.toString(16).padStart(64, '0'),
    String(10_000_000 + index),
    `${letter(index / 26)}${letter(index)}`,
    `${letter(index / 26)}${letter(index)}`.toLowerCase(),
    `${letter(index / 676)}${letter(index / 26)}${letter(index)}`,
    `${letter(index / 26)}${letter(index)}-${letter(index / 676)}A`,
    '2030-01-01',
  ]
  const pattern = typeof schema.pattern === 'string' ? new RegExp(schema.pattern, 'u') : /^/
  const found = candidates.find((text) => pattern.test(text)) ?? candidates[0] ?? ''
  return found.padEnd(numberIn(schema.minLength) ?? 0, '0')
}

function letter(index: number): string {
  return String.fromCharCode(65 + (Math.floor(index) % 26))
}

function isFree({ enum: values, const: value, pattern, format }: Schema): boolean {
  return values === undefined && value === undefined && pattern === undefined && format === undefined
}

function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
