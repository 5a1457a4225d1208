import type { Schema, Schemas } from '../../src/protocol/schemas.ts'

/** A member of a request that names something by id. */
export interface IdField {
  /** `packages.[].package_id`; `[]` stands for an element. */
  readonly path: string
  /** `x-entity` of the schema, where it has one. */
  readonly entity: string | undefined
  /** Whether the member is a list of ids. */
  readonly many: boolean
}

/** Deeper than this the official schemas only repeat themselves. */
const MAX_DEPTH = 9

/** Every id that a task's official request schema lets a caller send: `x-entity` annotations, members called `…_id` or `…_ids`, and the two of targeting that are lists of audience ids. */
export function idFieldsOf(schemas: Schemas, task: string): readonly IdField[] {
  const paths = schemas.pathsOf(task)
  if (!paths) throw new Error(`${task} has no schema`)
  const root = schemas.document(paths.request)
  const found = new Map<string, IdField>()
  visit(root, { schemas, root, path: [], seen: [], found })
  return [...found.values()]
}

interface Visit {
  readonly schemas: Schemas
  readonly root: Schema
  readonly path: readonly string[]
  readonly seen: readonly string[]
  readonly found: Map<string, IdField>
}

function visit(schema: unknown, at: Visit): void {
  if (!isSchema(schema) || at.path.length > MAX_DEPTH) return
  if (typeof schema.$ref === 'string') {
    follow(schema.$ref, at)
    return
  }
  for (const word of ['allOf', 'anyOf', 'oneOf']) {
    for (const branch of Array.isArray(schema[word]) ? schema[word] : []) visit(branch, at)
  }
  if (isSchema(schema.items)) visit(schema.items, { ...at, path: [...at.path, '[]'] })
  for (const [name, member] of Object.entries(isSchema(schema.properties) ? schema.properties : {})) {
    // Opaque to the server by definition.
    if (name === 'context' || name === 'ext') continue
    const path = [...at.path, name]
    const field = fieldAt(path, member, at)
    if (field) at.found.set(field.path, field)
    else visit(member, { ...at, path })
  }
}

function follow(reference: string, at: Visit): void {
  if (at.seen.includes(reference)) return
  const seen = [...at.seen, reference]
  if (!reference.startsWith('#')) {
    const root = at.schemas.resolveReference(reference)
    visit(root, { ...at, root, seen })
    return
  }
  const target = reference
    .split('/')
    .slice(1)
    .reduce<unknown>((place, part) => (isSchema(place) ? place[part] : undefined), at.root)
  visit(target, { ...at, seen })
}

function fieldAt(path: readonly string[], member: unknown, at: Visit): IdField | undefined {
  const schema = resolved(member, at)
  const items = resolved(schema?.items, at)
  const entity = [schema, items, isSchema(member) ? member : undefined]
    .map((each) => each?.['x-entity'])
    .find((each) => typeof each === 'string')
  const name = path.at(-1) ?? ''
  if (entity === undefined && !/_ids?$|^audience_(include|exclude)$/.test(name)) return undefined
  const many = schema?.type === 'array'
  // Objects with an id inside (format_id) are visited like any other.
  if ((many ? items : schema)?.type === 'object' || (many ? items : schema)?.properties !== undefined) return undefined
  return { path: path.join('.'), entity: typeof entity === 'string' ? entity : undefined, many }
}

function resolved(schema: unknown, at: Visit): Schema | undefined {
  if (!isSchema(schema)) return undefined
  return typeof schema.$ref === 'string' && !schema.$ref.startsWith('#') ? at.schemas.resolveReference(schema.$ref) : schema
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A copy of the request with an id at the path; missing objects on the way are made. */
export function withId(request: object, field: IdField, id: string): Record<string, unknown> {
  const copy: Record<string, unknown> = structuredClone({ ...request })
  const parts = field.path.split('.')
  let place: unknown = copy
  for (const [index, part] of parts.slice(0, -1).entries()) {
    const next = parts[index + 1] === '[]' ? [] : {}
    place = part === '[]' ? childOf(place, '0', next) : childOf(place, part, next)
  }
  const last = parts.at(-1) ?? ''
  childOf(place, last, field.many ? [id] : id, true)
  return copy
}

function childOf(place: unknown, name: string, fallback: unknown, replace = false): unknown {
  if (typeof place !== 'object' || place === null) throw new Error(`nothing can hold ${name}`)
  if (replace || !Object.hasOwn(place, name)) Object.assign(place, { [name]: fallback })
  return (place as Record<string, unknown>)[name]
}
