import { isObject } from '../protocol/is-object.ts'
import type { Components, JsonSchema, Shape } from './shape.ts'

/** Where an answer has a member that its shape does not declare, e.g. `items[0].note`; undefined: nowhere. Kinds of values are for the compiler. */
export function undeclaredMember<A>(shape: Shape<A>, answer: A): string | undefined {
  const components: Components = new Map()
  return undeclaredIn(shape.describe(components), answer, components)?.replace(/^\./, '')
}

function undeclaredIn(schema: unknown, value: unknown, components: Components): string | undefined {
  if (typeof value !== 'object' || value === null || !isObject(schema)) return undefined
  if (typeof schema.$ref === 'string') return undeclaredIn(components.get(nameIn(schema.$ref)), value, components)
  if (Array.isArray(schema.anyOf)) return undeclaredInAll(schema.anyOf, value, components)
  if (Array.isArray(value))
    return first(value.entries(), (index, item) => prefixed(`[${index}]`, undeclaredIn(schema.items, item, components)))
  const { type, properties = {}, additionalProperties: others = type === undefined } = schema as JsonSchema
  return first(Object.entries(value), (name, member) => {
    if (member === undefined) return undefined
    const declared = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : others
    return declared === false ? `.${name}` : prefixed(`.${name}`, undeclaredIn(declared, member, components))
  })
}

/** A value of several shapes is undeclared where none of those of its kind declares it. */
function undeclaredInAll(schemas: readonly unknown[], value: object, components: Components): string | undefined {
  const found = schemas
    .filter((schema) => isOfKind(schema, value, components))
    .map((schema) => undeclaredIn(schema, value, components))
  return found.includes(undefined) ? undefined : found[0]
}

function isOfKind(schema: unknown, value: object, components: Components): boolean {
  if (!isObject(schema)) return false
  if (typeof schema.$ref === 'string') return isOfKind(components.get(nameIn(schema.$ref)), value, components)
  const kind = Array.isArray(value) ? 'array' : 'object'
  return schema.type === undefined || [schema.type].flat().includes(kind)
}

const nameIn = (ref: string) => ref.slice(ref.lastIndexOf('/') + 1)
const prefixed = (start: string, rest: string | undefined) => rest && `${start}${rest}`

function first<K>(entries: Iterable<readonly [K, unknown]>, find: (key: K, value: unknown) => string | undefined) {
  for (const [key, value] of entries) {
    const found = find(key, value)
    if (found !== undefined) return found
  }
  return undefined
}
