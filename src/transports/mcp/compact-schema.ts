import { isObject, type JsonObject } from '../json-rpc/json.ts'
import { flatten, type Node, namesOf, type ResolveSchema } from './flatten-schema.ts'

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

/** About 330 o200k tokens of nested types a tool: what is left of 30,000 when all tasks and their aliases list their plain fields. */
const NESTED_CHARS = 1_400
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

/** First sentence of a description, cut at a word when it is long. */
function oneLine(schema: JsonObject): string | undefined {
  const text = typeof schema.description === 'string' ? schema.description : schema.title
  if (typeof text !== 'string') return undefined
  const sentence = /^.*?[.!?](?=\s+[A-Z'"(`]|$)/.exec(text.replace(/\s+/g, ' '))?.[0] ?? text
  if (sentence.length <= MAX_DESCRIPTION) return sentence.replace(/\.$/, '')
  return `${sentence.slice(0, MAX_DESCRIPTION).replace(/[\s,;:(–-]+\S*$/, '')} …`
}
