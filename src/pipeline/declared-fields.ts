import type { Schema, Schemas } from '../protocol/schemas.ts'
import { schemaPathsOf } from '../protocol/schemas.ts'

/** A part of a schema and the document it stands in, which its local references (`#/$defs/…`) are relative to. */
interface Located {
  readonly schema: Schema
  readonly document: Schema
}

/**
 * Whether the official request schema of `task` names a field at exactly this path (arrays are transparent; on the way there a member may be one that
 * a pattern allows, such as the id of a creative's asset). `ext` and `context` are open by design, so nothing below them is ever declared.
 */
export function declaresField(schemas: Schemas, task: string, path: readonly string[]): boolean {
  const paths = schemaPathsOf(task)
  if (!paths || path[0] === 'ext' || path[0] === 'context') return false
  const document = schemas.document(paths.request)
  let at: readonly Located[] = expand(schemas, { schema: document, document })
  for (const [index, part] of path.entries()) {
    const isLast = index === path.length - 1
    at = at.flatMap((located) => [
      ...namedMember(schemas, located, part),
      ...(isLast ? [] : patternMembers(schemas, located, part)),
    ])
    if (at.length === 0) return false
  }
  return true
}

function namedMember(schemas: Schemas, { schema, document }: Located, part: string): readonly Located[] {
  const properties = asSchema(schema.properties)
  const child = properties && Object.hasOwn(properties, part) ? asSchema(properties[part]) : undefined
  return child ? expand(schemas, { schema: child, document }) : []
}

function patternMembers(schemas: Schemas, { schema, document }: Located, part: string): readonly Located[] {
  return Object.entries(asSchema(schema.patternProperties) ?? {}).flatMap(([pattern, value]) => {
    const child = asSchema(value)
    return child && new RegExp(pattern, 'u').test(part) ? expand(schemas, { schema: child, document }) : []
  })
}

/** A schema with its references, branches and array items laid open. */
function expand(schemas: Schemas, located: Located, depth = 0): readonly Located[] {
  // Official schemas nest references a few levels; the bound ends cycles.
  if (depth > 12) return []
  const { schema, document } = located
  const branches = [schema.items, schema.oneOf, schema.anyOf, schema.allOf].flat().flatMap((branch) => {
    const each = asSchema(branch)
    return each ? [{ schema: each, document }] : []
  })
  const referred = referredBy(schemas, located)
  return [located, ...[...(referred ? [referred] : []), ...branches].flatMap((each) => expand(schemas, each, depth + 1))]
}

function referredBy(schemas: Schemas, { schema, document }: Located): Located | undefined {
  const { $ref: reference } = schema
  if (typeof reference !== 'string') return undefined
  if (reference.startsWith('/')) {
    const other = schemas.resolveReference(reference)
    return { schema: other, document: other }
  }
  let at: Schema | undefined = reference.startsWith('#/') ? document : undefined
  for (const part of reference.slice(2).split('/')) at = asSchema(at?.[part])
  return at && { schema: at, document }
}

function asSchema(value: unknown): Schema | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : undefined
}
