import { randomUUID } from 'node:crypto'
import type { Schema, Schemas } from '../../src/protocol/schemas.ts'
import { type Form, formsOf, numberIn, type SchemaNode, typeOf } from './schema-node.ts'

/** Values that the measured server knows, by the name of a member: ids of what the buyer has, its account, dates. */
export type Known = Readonly<Record<string, unknown>>

/** Objects inside objects are made as deep as this. */
const MAX_DEPTH = 8

/** Makes the smallest values that schemas allow, with known values where their names stand. */
export class Smallest {
  readonly #schemas: Schemas
  readonly #known: Known

  constructor(schemas: Schemas, known: Known) {
    this.#schemas = schemas
    this.#known = known
  }

  /** A value of a node; `index` makes those of a list differ. */
  of(node: SchemaNode, name: string, index = 0, depth = 0): unknown {
    if (Object.hasOwn(this.#known, name)) return this.#known[name]
    const [form] = formsOf(this.#schemas, node)
    return form ? this.ofForm(form, name, index, depth) : {}
  }

  /** A value of one form of a node. */
  ofForm(form: Form, name: string, index = 0, depth = 0): unknown {
    const { schema, items } = form
    if ('const' in schema) return schema.const
    if (Array.isArray(schema.enum)) return schema.enum[index % schema.enum.length]
    const type = typeOf(form)
    if (type === 'string') return textOf(schema, name, index)
    if (type === 'integer' || type === 'number')
      return numberIn(schema, 'minimum') ?? (numberIn(schema, 'exclusiveMinimum') ?? 0) + 1
    if (type === 'boolean') return false
    if (type === 'null') return null
    if (type === 'array') {
      const count = numberIn(schema, 'minItems') ?? 0
      return Array.from({ length: items ? count : 0 }, (_, at) => items && this.of(items, singular(name), at, depth + 1))
    }
    return depth > MAX_DEPTH ? {} : this.#object(form, index, depth)
  }

  #object({ members, required }: Form, index: number, depth: number): Record<string, unknown> {
    const made = [...required].flatMap((name) => {
      const member = members.get(name)
      return member ? [[name, this.of(member, name, index, depth + 1)] as const] : []
    })
    return Object.fromEntries(made)
  }
}

/** `packages` → `package`: known values are named for one thing. */
export function singular(name: string): string {
  return name.replace(/s$/, '')
}

type TextOf = (index: number, name: string) => string

const FORMATS: Readonly<Record<string, TextOf>> = {
  uri: (index) => `https://site${index}.example/x`,
  'uri-template': (index) => `https://site${index}.example/x`,
  email: (index) => `a${index}@brand.example`,
  'date-time': (index) => new Date(Date.UTC(2030, 0, 1) + index * 1_000).toISOString(),
  date: (index) => new Date(Date.UTC(2030, 0, 1) + (index % 1_000) * 86_400_000).toISOString().slice(0, 10),
  uuid: () => randomUUID(),
}

/** Of a text without a format, the first that its pattern takes. */
const CANDIDATES: readonly TextOf[] = [
  (index, name) => `${name.replaceAll(/[^a-z]/g, '') || 'x'}${index}`,
  (index) => `https://site${index}.example/x`,
  (index) => `a${index}.example`,
  (index) => index.toString(16).padStart(64, '0'),
  (index) => String(10_000_000 + index),
  (index) => `${letter(index / 26)}${letter(index)}`,
  (index) => `${letter(index / 26)}${letter(index)}`.toLowerCase(),
  (index) => `${letter(index / 676)}${letter(index / 26)}${letter(index)}`,
  (index) => `${letter(index / 26)}${letter(index)}-${letter(index / 676)}A`,
  () => '2030-01-01',
]

const patterns = new Map<string, RegExp>()

function textOf(schema: Schema, name: string, index: number): string {
  const format = typeof schema.format === 'string' ? FORMATS[schema.format] : undefined
  if (format) return format(index, name)
  const pattern = typeof schema.pattern === 'string' ? patternOf(schema.pattern) : /^/
  const fitting = CANDIDATES.find((candidate) => pattern.test(candidate(index, name))) ?? CANDIDATES[0]
  return (fitting?.(index, name) ?? '').padEnd(numberIn(schema, 'minLength') ?? 0, '0')
}

function patternOf(source: string): RegExp {
  const known = patterns.get(source) ?? new RegExp(source, 'u')
  patterns.set(source, known)
  return known
}

function letter(index: number): string {
  return String.fromCharCode(65 + (Math.floor(index) % 26))
}
