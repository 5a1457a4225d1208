/** JSON Schema (2020-12) of a value. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** Schemas of named shapes, by name. */
export type Components = Map<string, JsonSchema>

/**
 * What a value of an answer looks like: its JSON Schema, and its type. An act declares the shape of its answer once; the description of the admin API and
 * the type that `run` has to give follow from it.
 */
export interface Shape<T> {
  /** The schema. A named shape is put into `components` and referred to as `#/components/schemas/NAME`. */
  readonly describe: (components: Components) => JsonSchema
  /** For the type alone: never set. */
  readonly type?: T
}

/** A member that may be absent. */
export interface OptionalShape<T> extends Shape<T> {
  readonly optional: true
}

/** The type of the values of a shape. */
export type Of<S> = S extends Shape<infer T> ? T : never

type Members = Readonly<Record<string, Shape<unknown>>>
type Simplified<T> = { readonly [N in keyof T]: T[N] }

/** The type of an object with these members. */
export type ObjectOf<M extends Members> = Simplified<
  { [N in keyof M as M[N] extends OptionalShape<unknown> ? never : N]: Of<M[N]> } & {
    [N in keyof M as M[N] extends OptionalShape<unknown> ? N : never]?: Of<M[N]> | undefined
  }
>

const plain = <T>(schema: JsonSchema): Shape<T> => ({ describe: () => schema })

export const string: Shape<string> = plain({ type: 'string' })
/** ISO 8601, UTC. */
export const moment: Shape<string> = plain({ type: 'string', format: 'date-time' })
export const integer: Shape<number> = plain({ type: 'integer' })
export const number: Shape<number> = plain({ type: 'number' })
export const boolean: Shape<boolean> = plain({ type: 'boolean' })
/** A value that is described elsewhere: by the protocol, or by what the publisher configured. */
export const anything: Shape<unknown> = plain({})

/** One of some texts; alone it may be true or false. */
export function word<const C extends string | boolean>(...choices: readonly C[]): Shape<C> {
  return plain(choices.length === 1 ? { const: choices[0] } : { type: 'string', enum: choices })
}

/** An object; members that are not listed are not allowed. */
export function object<M extends Members>(members: M): Shape<ObjectOf<M>> {
  const required = Object.keys(members).filter((name) => !isOptional(members[name]))
  return {
    describe: (components) => ({
      type: 'object',
      ...(required.length > 0 && { required }),
      properties: Object.fromEntries(Object.entries(members).map(([name, each]) => [name, each.describe(components)])),
    }),
  }
}

/** An object that has other members too, which are described elsewhere. */
export function openObject<M extends Members>(members: M): Shape<ObjectOf<M> & Readonly<Record<string, unknown>>> {
  const closed = object(members)
  return { describe: (components) => ({ ...closed.describe(components), additionalProperties: true }) }
}

/** An object whose members are described elsewhere: by the protocol, or by the schema of an import file. */
export function documentOf<T extends object>(description: string): Shape<T> {
  return plain({ description, type: 'object', additionalProperties: true })
}

/** An object with any names, and values of one shape. */
export function mapOf<T>(values: Shape<T>): Shape<Readonly<Record<string, T>>> {
  return { describe: (components) => ({ type: 'object', additionalProperties: values.describe(components) }) }
}

export function listOf<T>(items: Shape<T>): Shape<readonly T[]> {
  return { describe: (components) => ({ type: 'array', items: items.describe(components) }) }
}

/** A page of a list, as every list is answered. */
export function pageOf<T>(items: Shape<T>) {
  return object(pageMembers(items))
}

/** Members of a page of a list, for an answer that has others beside them. */
export function pageMembers<T>(items: Shape<T>) {
  return {
    items: listOf(items),
    next_cursor: about('send it as cursor for the next page; null: there are no more', orNull(string)),
  }
}

/** The value, or null. */
export function orNull<T>(shape: Shape<T>): Shape<T | null> {
  return { describe: (components) => nullable(shape.describe(components)) }
}

/** One of several shapes. */
export function either<S extends readonly Shape<unknown>[]>(...shapes: S): Shape<Of<S[number]>> {
  return { describe: (components) => ({ anyOf: shapes.map((each) => each.describe(components)) }) }
}

export function optional<T>(shape: Shape<T>): OptionalShape<T> {
  return { ...shape, optional: true }
}

/** The same shape with what it means. */
export function about<T>(description: string, shape: OptionalShape<T>): OptionalShape<T>
export function about<T>(description: string, shape: Shape<T>): Shape<T>
export function about<T>(description: string, shape: Shape<T>): Shape<T> {
  return { ...shape, describe: (components) => ({ description, ...shape.describe(components) }) }
}

/** A shape that several answers have: it is described once, under its name. */
export function named<T>(name: string, shape: Shape<T>): Shape<T> {
  return {
    describe(components) {
      if (!components.has(name)) {
        // First its place, so that a shape within itself ends.
        components.set(name, {})
        components.set(name, shape.describe(components))
      }
      return { $ref: `#/components/schemas/${name}` }
    },
  }
}

/** The answer of a list that has no more pages. */
export function list<T>(items: readonly T[], nextCursor: string | null = null) {
  return { items, next_cursor: nextCursor }
}

function nullable(schema: JsonSchema): JsonSchema {
  if (typeof schema.type === 'string' && !Object.hasOwn(schema, 'enum')) return { ...schema, type: [schema.type, 'null'] }
  return { anyOf: [schema, { type: 'null' }] }
}

function isOptional(shape: Shape<unknown> | undefined): boolean {
  return shape !== undefined && 'optional' in shape
}
