import { isObject, type JsonObject } from './json.ts'

/** Finds a schema by its absolute reference, e.g. `/schemas/3.0.6/core/account-ref.json`. */
export type ResolveSchema = (id: string) => JsonObject | undefined

/** A schema node together with the document that its local references (`#/…`) point into. */
interface Node {
  readonly schema: JsonObject
  readonly document: JsonObject
}

/** How much of a nested type a projection keeps. */
interface Detail {
  /** Levels of objects below the field that list their members. */
  readonly depth: number
  /** Whether optional members are listed, or only required ones. */
  readonly optional: boolean
  readonly descriptions: boolean
}

/** From bare to rich. Each field climbs as far as the allowance carries it. */
const BARE: Detail = { depth: 0, optional: false, descriptions: false }
const DETAILS: readonly Detail[] = [
  { depth: 1, optional: false, descriptions: false },
  { depth: 1, optional: true, descriptions: false },
  { depth: 2, optional: false, descriptions: false },
  { depth: 2, optional: true, descriptions: false },
  { depth: 2, optional: true, descriptions: true },
]

/** About 400 o200k tokens of nested types a tool: what is left of 30,000 when all 57 tools list their plain fields. */
const NESTED_CHARS = 1_700
/** Fields that carry no part of the deal: their members are left to the full schema. */
const PLUMBING = new Set([
  'context',
  'ext',
  'push_notification_config',
  'reporting_webhook',
  'artifact_webhook',
  'invoice_recipient',
])
/** Longer enumerations of nested fields are left to the full schema. */
const MAX_NESTED_ENUM = 12
const MAX_DESCRIPTION = 110
/** Official references chain at most four deep; a cycle ends here. */
const MAX_HOPS = 12

/**
 * Projects a full official request schema to the compact input schema of `tools/list`: no combinator at any level, every
 * top-level field with type, enumeration and a one-line description, nested types as far as `nestedChars` of JSON allow,
 * required fields first. The projection guides an assistant; requests are validated against the full schema.
 */
export function compactInputSchema(full: JsonObject, resolve: ResolveSchema, nestedChars = NESTED_CHARS): JsonObject {
  const { schema, document } = flatten({ schema: full, document: full }, resolve)
  const fields = isObject(schema.properties) ? Object.entries(schema.properties) : []
  const required = namesOf(schema.required).filter((name) => fields.some(([field]) => field === name))
  const properties = new Map<string, JsonObject>()
  const render = (field: unknown, detail: Detail) =>
    isObject(field)
      ? describe(project({ schema: field, document }, resolve, 0, detail), { schema: field, document }, resolve)
      : {}
  for (const [name, field] of fields) properties.set(name, render(field, BARE))
  const nested = fields.filter(([name]) => !PLUMBING.has(name))
  const ordered = [...nested.filter(([name]) => required.includes(name)), ...nested.filter(([name]) => !required.includes(name))]
  let left = nestedChars
  for (const detail of DETAILS) {
    for (const [name, field] of ordered) {
      const richer = render(field, detail)
      const cost = JSON.stringify(richer).length - JSON.stringify(properties.get(name)).length
      if (cost <= 0 || cost > left) continue
      properties.set(name, richer)
      left -= cost
    }
  }
  return { type: 'object', properties: Object.fromEntries(properties), ...(required.length > 0 && { required }) }
}

function describe(shape: JsonObject, node: Node, resolve: ResolveSchema): JsonObject {
  const description = oneLine(flatten(node, resolve).schema)
  return description === undefined ? shape : { ...shape, description }
}

/** One type below a tool's field; `level` counts the objects between the two. */
function project(node: Node, resolve: ResolveSchema, level: number, detail: Detail): JsonObject {
  const flat = flatten(node, resolve)
  const { schema, document } = flat
  const type = typeof schema.type === 'string' ? schema.type : undefined
  if (Array.isArray(schema.enum)) {
    const kept = level === 0 || schema.enum.length <= MAX_NESTED_ENUM
    return { type: type ?? 'string', ...(kept && { enum: schema.enum }) }
  }
  if (type === 'array') {
    return isObject(schema.items)
      ? { type, items: project({ schema: schema.items, document }, resolve, level, detail) }
      : { type }
  }
  if (isObject(schema.properties))
    return level < detail.depth ? projectMembers(flat, resolve, level + 1, detail) : { type: 'object' }
  const format = typeof schema.format === 'string' ? { format: schema.format } : {}
  return type === undefined ? {} : { type, ...format }
}

function projectMembers({ schema, document }: Node, resolve: ResolveSchema, level: number, detail: Detail): JsonObject {
  const members = isObject(schema.properties) ? schema.properties : {}
  const required = namesOf(schema.required).filter((name) => name in members)
  const properties: Record<string, JsonObject> = {}
  for (const [name, member] of Object.entries(members)) {
    if (!isObject(member) || !(detail.optional || required.includes(name))) continue
    const node = { schema: member, document }
    const shape = project(node, resolve, level, detail)
    properties[name] = detail.descriptions ? describe(shape, node, resolve) : shape
  }
  if (Object.keys(properties).length === 0) return { type: 'object' }
  return { type: 'object', properties, ...(required.length > 0 && { required }) }
}

/** Follows references and folds combinators, so that what is left is one plain schema. */
function flatten(node: Node, resolve: ResolveSchema, hops = 0): Node {
  if (hops > MAX_HOPS) return { schema: {}, document: node.document }
  const { $ref, allOf, oneOf, anyOf, ...own } = node.schema
  if (typeof $ref === 'string') {
    const target = dereference($ref, node.document, resolve)
    if (target === undefined) return { schema: own, document: node.document }
    const flat = flatten(target, resolve, hops + 1)
    return { schema: { ...flat.schema, ...own }, document: flat.document }
  }
  let result: Node = { schema: constAsEnum(own), document: node.document }
  for (const part of [...parts(allOf, node), ...alternatives(parts(oneOf, node).concat(parts(anyOf, node)), resolve, hops)]) {
    result = extend(result, flatten(part, resolve, hops + 1))
  }
  return result
}

function parts(list: unknown, node: Node): Node[] {
  if (!Array.isArray(list)) return []
  return list.filter(isObject).map((schema) => ({ schema, document: node.document }))
}

/**
 * Alternatives as one schema that every caller can satisfy: objects pool their members (only what all of them require
 * stays required), enumerations unite, and of a scalar beside a list the list is taken.
 */
function alternatives(nodes: readonly Node[], resolve: ResolveSchema, hops: number): Node[] {
  const flats = nodes.map((node) => flatten(node, resolve, hops + 1))
  const preferred = ['object', 'array']
    .map((type) => flats.filter(({ schema }) => typeOf(schema) === type))
    .find((f) => f.length > 0)
  const [first, ...rest] = preferred ?? flats
  if (first === undefined) return []
  return [rest.reduce((merged, next) => unite(merged, next), first)]
}

function unite(left: Node, right: Node): Node {
  const [a, b] = [left.schema, right.schema]
  const common = namesOf(a.required).filter((name) => namesOf(b.required).includes(name))
  const values = Array.isArray(a.enum) && Array.isArray(b.enum) ? [...new Set([...a.enum, ...b.enum])] : undefined
  const { enum: _enum, required: _required, properties: _properties, description: _description, title: _title, ...rest } = a
  const properties = pool(left, right)
  return {
    document: left.document,
    schema: {
      ...rest,
      ...(properties && { properties }),
      ...(common.length > 0 && { required: common }),
      ...(values && { enum: values }),
    },
  }
}

/** Members of both objects. References are made absolute by inlining when the two come from different documents. */
function pool(left: Node, right: Node): JsonObject | undefined {
  const [a, b] = [left.schema.properties, right.schema.properties]
  if (!isObject(a) || !isObject(b)) return isObject(a) ? a : isObject(b) ? b : undefined
  const merged: Record<string, unknown> = { ...b, ...a }
  for (const [name, mine] of Object.entries(a)) {
    const theirs = b[name]
    if (!isObject(mine) || !isObject(theirs)) continue
    const [x, y] = [constAsEnum(mine), constAsEnum(theirs)]
    if (Array.isArray(x.enum) && Array.isArray(y.enum)) {
      merged[name] = { ...x, enum: [...new Set([...x.enum, ...y.enum])] }
    }
  }
  return merged
}

/** Adds what a part of `allOf` (or the united alternatives) says to the schema that holds it. */
function extend(base: Node, part: Node): Node {
  const properties = pool(base, part)
  const required = [...new Set([...namesOf(base.schema.required), ...namesOf(part.schema.required)])]
  return {
    document: Object.keys(base.schema).includes('properties') ? base.document : part.document,
    schema: { ...part.schema, ...base.schema, ...(properties && { properties }), ...(required.length > 0 && { required }) },
  }
}

function dereference(ref: string, document: JsonObject, resolve: ResolveSchema): Node | undefined {
  const [id, pointer] = ref.split('#', 2)
  const target = id ? resolve(id) : document
  if (target === undefined) return undefined
  let schema: unknown = target
  for (const step of (pointer ?? '').split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    schema = Array.isArray(schema) ? schema[Number(key)] : isObject(schema) ? schema[key] : undefined
  }
  return isObject(schema) ? { schema, document: target } : undefined
}

function constAsEnum(schema: JsonObject): JsonObject {
  if (!('const' in schema)) return schema
  const { const: value, ...rest } = schema
  return { type: typeof value, ...rest, enum: [value] }
}

function typeOf(schema: JsonObject): unknown {
  return schema.type ?? (isObject(schema.properties) || Array.isArray(schema.required) ? 'object' : undefined)
}

function namesOf(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((name) => typeof name === 'string') : []
}

/** First sentence of a description, cut at a word when it is long. */
function oneLine(schema: JsonObject): string | undefined {
  const text = typeof schema.description === 'string' ? schema.description : schema.title
  if (typeof text !== 'string') return undefined
  const sentence = /^.*?[.!?](?=\s+[A-Z'"(`]|$)/.exec(text.replace(/\s+/g, ' '))?.[0] ?? text
  if (sentence.length <= MAX_DESCRIPTION) return sentence.replace(/\.$/, '')
  return `${sentence.slice(0, MAX_DESCRIPTION).replace(/[\s,;:(–-]+\S*$/, '')} …`
}
