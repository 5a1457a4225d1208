import type { Schema, Schemas } from '../../src/protocol/schemas.ts'

/** A schema where it stands: `at` says in which document and where, so that it is the same one however it is reached. */
export interface SchemaNode {
  readonly schema: Schema
  /** The document that local references of the schema point into. */
  readonly document: Schema
  readonly at: string
}

/** One form that a value of a node may have: references followed, one branch of each union taken, together with what stands beside it. */
export interface Form {
  readonly at: string
  readonly schema: Schema
  readonly members: ReadonlyMap<string, SchemaNode>
  readonly required: ReadonlySet<string>
  readonly items: SchemaNode | undefined
  /** Of members of any name. */
  readonly others: SchemaNode | undefined
}

/** Unions inside unions go as deep as this in the official schemas. */
const MAX_NESTING = 6

/** Follows the reference of a node; gives one without a reference. */
export function followed(schemas: Schemas, node: SchemaNode, depth = 0): SchemaNode {
  const { $ref } = node.schema
  if (typeof $ref !== 'string' || depth > MAX_NESTING) return node
  const [file = '', fragment = ''] = $ref.split('#')
  const document = file === '' ? node.document : schemas.resolveReference(file)
  const target = fragment
    .split('/')
    .slice(1)
    .reduce<unknown>((at, step) => (isRecord(at) ? at[step] : undefined), document)
  const at = `${file === '' ? node.at.split('#', 1)[0] : file}#${fragment}`
  return followed(schemas, { schema: isRecord(target) ? target : {}, document, at }, depth + 1)
}

/** Forms by the schema that they were made of: large lists are made of one node. */
const madeForms = new WeakMap<Schema, readonly Form[]>()

/** Every form of a node's value; at least one. */
export function formsOf(schemas: Schemas, node: SchemaNode): readonly Form[] {
  const known = madeForms.get(node.schema)
  if (known) return known
  const made = formsWithin(schemas, node, 0)
  madeForms.set(node.schema, made)
  return made
}

function formsWithin(schemas: Schemas, node: SchemaNode, depth: number): readonly Form[] {
  const { schema, document, at } = followed(schemas, node)
  const inside = (name: string, value: unknown): SchemaNode | undefined =>
    isRecord(value) ? { schema: value, document, at: `${at}/${name}` } : undefined
  const members = Object.entries(isRecord(schema.properties) ? schema.properties : {}).flatMap(([name, value]) => {
    const member = inside(`properties/${name}`, value)
    return member ? [[name, member] as const] : []
  })
  const [pattern] = Object.values(isRecord(schema.patternProperties) ? schema.patternProperties : {})
  const own: Form = {
    at,
    schema,
    members: new Map(members),
    required: new Set(listOf(schema.required).map(String)),
    items: inside('items', schema.items),
    others: inside('additionalProperties', schema.additionalProperties) ?? inside('patternProperties', pattern),
  }
  if (depth > MAX_NESTING) return [own]
  const branchesOf = (name: string) => listOf(schema[name]).flatMap((branch, index) => inside(`${name}/${index}`, branch) ?? [])
  const whole = branchesOf('allOf').reduce(
    (form, branch) => merged(form, formsWithin(schemas, branch, depth + 1)[0] ?? form),
    own,
  )
  const forms = ['oneOf', 'anyOf'].flatMap((name) =>
    branchesOf(name).flatMap((branch) => formsWithin(schemas, branch, depth + 1).map((form) => merged(whole, form))),
  )
  return forms.length === 0 ? [whole] : forms
}

function merged(a: Form, b: Form): Form {
  return {
    at: b.at,
    schema: { ...a.schema, ...b.schema },
    members: new Map([...a.members, ...b.members]),
    required: new Set([...a.required, ...b.required]),
    items: b.items ?? a.items,
    others: b.others ?? a.others,
  }
}

/** The JSON type of a form's values; undefined where the schema does not say. */
export function typeOf({ schema, members, items, others }: Form): string | undefined {
  const named = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (typeof named === 'string') return named
  if (members.size > 0 || others) return 'object'
  return items ? 'array' : typeof schema.pattern === 'string' || typeof schema.format === 'string' ? 'string' : undefined
}

export function numberIn(schema: Schema, name: string): number | undefined {
  const { [name]: value } = schema
  return typeof value === 'number' ? value : undefined
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
