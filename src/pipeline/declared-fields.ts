import type { Schema, Schemas } from '../protocol/schemas.ts'
import { schemaPathsOf } from '../protocol/schemas.ts'

/**
 * Whether the official request schema of `task` names a field at exactly this path (arrays are transparent). `ext` and
 * `context` are open by design, so nothing below them is ever declared.
 */
export function declaresField(schemas: Schemas, task: string, path: readonly string[]): boolean {
  const paths = schemaPathsOf(task)
  if (!paths || path[0] === 'ext' || path[0] === 'context') return false
  let at: readonly Schema[] = expand(schemas, schemas.document(paths.request))
  for (const part of path) {
    at = at.flatMap((schema) => children(schemas, schema, part))
    if (at.length === 0) return false
  }
  return true
}

function children(schemas: Schemas, schema: Schema, part: string): readonly Schema[] {
  const properties = asSchema(schema.properties)
  const child = properties && Object.hasOwn(properties, part) ? asSchema(properties[part]) : undefined
  return child ? expand(schemas, child) : []
}

/** A schema with its references, branches and array items laid open. */
function expand(schemas: Schemas, schema: Schema, depth = 0): readonly Schema[] {
  // Official schemas nest references a few levels; the bound ends cycles.
  if (depth > 12) return []
  const more: Schema[] = []
  if (typeof schema.$ref === 'string' && schema.$ref.startsWith('/')) more.push(schemas.resolveReference(schema.$ref))
  const items = asSchema(schema.items)
  if (items) more.push(items)
  for (const branches of [schema.oneOf, schema.anyOf, schema.allOf]) {
    if (!Array.isArray(branches)) continue
    for (const branch of branches) {
      const each = asSchema(branch)
      if (each) more.push(each)
    }
  }
  return [schema, ...more.flatMap((each) => expand(schemas, each, depth + 1))]
}

function asSchema(value: unknown): Schema | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : undefined
}
