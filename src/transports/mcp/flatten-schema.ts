import { dereference } from '../../protocol/dereference.ts'
import { isObject } from '../../protocol/is-object.ts'
import type { JsonObject } from '../json-rpc/json.ts'

/** Finds a schema by its absolute reference, e.g. `/schemas/3.0.6/core/account-ref.json`. */
export type ResolveSchema = (id: string) => JsonObject | undefined

/** A schema node together with the document that its local references (`#/…`) point into. */
export interface Node {
  readonly schema: JsonObject
  readonly document: JsonObject
}

/** Official references chain at most four deep; a cycle ends here. */
const MAX_HOPS = 12

/** Follows references and folds combinators, so that what is left is one plain schema. */
export function flatten(node: Node, resolve: ResolveSchema, hops = 0): Node {
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
  const properties = pool(left, right, uniteObjects)
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

/** One member of two alternatives that both describe on the spot as an object: what only one of them requires is not required. */
function uniteObjects(mine: Node, theirs: Node): JsonObject | undefined {
  if (!isObject(mine.schema.properties) || !isObject(theirs.schema.properties)) return undefined
  return unite(mine, theirs).schema
}

/** Members of both objects; where both enumerate a member (a discriminator, mostly), the values unite. */
function pool(left: Node, right: Node, both?: (mine: Node, theirs: Node) => JsonObject | undefined): JsonObject | undefined {
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
    const united = both?.({ schema: mine, document: left.document }, { schema: theirs, document: right.document })
    if (united) merged[name] = united
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

function constAsEnum(schema: JsonObject): JsonObject {
  if (!('const' in schema)) return schema
  const { const: value, ...rest } = schema
  return { type: typeof value, ...rest, enum: [value] }
}

function typeOf(schema: JsonObject): unknown {
  return schema.type ?? (isObject(schema.properties) || Array.isArray(schema.required) ? 'object' : undefined)
}

/** The strings of a list that may be absent or hold anything. */
export function namesOf(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((name) => typeof name === 'string') : []
}
