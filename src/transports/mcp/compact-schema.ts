import type { InputNotes } from '../../pipeline/task.ts'
import { isObject } from '../../protocol/is-object.ts'
import type { JsonObject } from '../json-rpc/json.ts'
import { flatten, type Node, namesOf, type ResolveSchema } from './flatten-schema.ts'

/** Enough for what assistants forget. */
const REQUIRED_DEPTH = 3
/** Longer enumerations, and those of members that neither a note nor a call's need brings up, are left to the full schema, and to the message that a wrong value is answered with. */
const MAX_ENUM = 12

/** What a projection needs at every level. */
interface Projection {
  readonly resolve: ResolveSchema
  readonly notes: InputNotes
  /** Every path of the notes and every path above one. */
  readonly noted: ReadonlySet<string>
  /** Levels of objects that list their required members without being named by a note. */
  readonly depth: number
}

/** Where a projection is. */
interface Place {
  readonly path: string
  /** Objects above it. */
  readonly level: number
  /** Whether a call needs it, or a note names it: then its own required members are listed. */
  readonly open: boolean
}

/**
 * Projects a full official request schema to the compact input schema of `tools/list`: no combinator at any level; every
 * top-level field by name and type; below it what a call cannot do without, and the members that `notes` name by path
 * (`packages.bid_price`; array items take no step of their own), with the text of the note as description. The projection
 * guides an assistant; requests are validated against the full schema. `depth`: levels whose required members are listed.
 */
export function compactInputSchema(
  full: JsonObject,
  resolve: ResolveSchema,
  notes: InputNotes = {},
  depth = REQUIRED_DEPTH,
): JsonObject {
  const flat = flatten({ schema: full, document: full }, resolve)
  const noted = new Set(Object.keys(notes).flatMap(withParents))
  const top = { path: '', level: 0, open: true }
  return membersOf(flat, { resolve, notes, noted, depth }, top) ?? { type: 'object', properties: {} }
}

/** `a.b.c` as `a`, `a.b` and `a.b.c`. */
function withParents(path: string): string[] {
  const steps = path.split('.')
  return steps.map((_step, index) => steps.slice(0, index + 1).join('.'))
}

/** The type at one place. */
function project(node: Node, projection: Projection, place: Place): JsonObject {
  const flat = flatten(node, projection.resolve)
  const { schema, document } = flat
  const type = typeof schema.type === 'string' ? schema.type : undefined
  if (Array.isArray(schema.enum)) {
    return { type: type ?? 'string', ...(place.open && schema.enum.length <= MAX_ENUM && { enum: schema.enum }) }
  }
  if (type === 'array') {
    return isObject(schema.items) ? { type, items: project({ schema: schema.items, document }, projection, place) } : { type }
  }
  if (isObject(schema.properties)) return membersOf(flat, projection, place) ?? { type: 'object' }
  return type === undefined ? {} : { type, ...lengthOf(schema, place.path) }
}

/** How long an idempotency key has to be at least: the one string whose length callers get wrong. */
function lengthOf({ minLength }: JsonObject, path: string): JsonObject {
  return path === 'idempotency_key' && minLength !== undefined ? { minLength } : {}
}

/** An object with the members that are listed; undefined when none is. */
function membersOf({ schema, document }: Node, projection: Projection, place: Place): JsonObject | undefined {
  const members = isObject(schema.properties) ? schema.properties : {}
  const required = namesOf(schema.required).filter((name) => name in members)
  const properties: Record<string, JsonObject> = {}
  for (const [name, member] of Object.entries(members)) {
    const path = place.path === '' ? name : `${place.path}.${name}`
    const open = projection.noted.has(path) || (place.open && place.level < projection.depth && required.includes(name))
    if (!isObject(member) || !(open || place.level === 0)) continue
    const shape = project({ schema: member, document }, projection, { path, level: place.level + 1, open })
    const note = projection.notes[path]
    properties[name] = note ? { ...shape, description: note } : shape
  }
  if (Object.keys(properties).length === 0) return undefined
  const needed = required.filter((name) => name in properties)
  return { type: 'object', properties, ...(needed.length > 0 && { required: needed }) }
}
