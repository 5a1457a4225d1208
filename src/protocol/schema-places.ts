import { dereference } from './dereference.ts'

/** A JSON Schema document, or a part of one. */
export type Schema = Readonly<Record<string, unknown>>

/** Finds the document that a reference names. */
export interface SchemaDocuments {
  resolveReference(reference: string): Schema
}

/** A part of a schema, the document that its local references (`#/$defs/…`) are relative to, and the place it describes. */
interface Located {
  readonly schema: Schema
  readonly document: Schema
  /** Path of the document and, after `#`, the members that lead from its root to here: `core/targeting.json#geo_metros`. */
  readonly place: string
  /** It holds only where a condition (`if`) does or does not. */
  readonly isConditional?: true
}

/** Keywords by which a schema names members. */
const NAMING: readonly string[] = ['properties', 'required', 'not']

/** References of the official schemas nest a few levels deep; the bound ends cycles. */
const MAX_NESTING = 12

/**
 * What the schemas say of the members at one place of a request. Arrays are transparent: the place of a list is that of its entries.
 * The branches of `oneOf`, `anyOf`, `allOf` and `if` count together. Made on demand, and cached.
 */
export class SchemaPlace {
  /** Names of the members that a schema declares here. */
  readonly names: ReadonlySet<string>
  /** Where the schemas name members of this place: document, `#`, members down to it, e.g. `core/targeting.json#`. */
  readonly places: readonly string[]
  /** Whether members of any name are legal here: the schemas name none, or say what a member of any name has to be. */
  readonly isOpen: boolean
  /** Whether the schemas want a list here. */
  readonly isList: boolean
  readonly #schemas: SchemaDocuments
  readonly #at: readonly Located[]
  readonly #located: readonly Located[]
  readonly #declared = new Map<string, SchemaPlace | undefined>()
  readonly #described = new Map<boolean, string>()
  #others: SchemaPlace | undefined

  constructor(schemas: SchemaDocuments, at: readonly Located[]) {
    this.#schemas = schemas
    this.#at = at
    this.#located = at.flatMap((located) => expand(schemas, located))
    this.names = new Set(this.#located.flatMap(({ schema }) => Object.keys(asSchema(schema.properties) ?? {})))
    const naming = this.#located.filter(({ schema }) => asSchema(schema.properties))
    this.places = [...new Set(naming.map(({ place }) => place))]
    this.isList = at.some(({ schema }) => schema.type === 'array')
    this.isOpen = this.names.size === 0 || this.#located.some(({ schema }) => valuesOf(schema).length > 0)
  }

  /** The place of a member that a schema declares by its name. */
  declared(name: string): SchemaPlace | undefined {
    if (!this.names.has(name)) return undefined
    const known = this.#declared.get(name)
    if (known) return known
    const at = this.#located.flatMap((located): Located[] => {
      const { schema, place } = located
      const child = ownSchema(asSchema(schema.properties), name)
      return child ? [{ ...located, schema: child, place: `${place}${place.endsWith('#') ? '' : '.'}${name}` }] : []
    })
    const made = new SchemaPlace(this.#schemas, at)
    this.#declared.set(name, made)
    return made
  }

  /**
   * The schemas of each form that a value may have here: one form, or one for each branch of a union. `entry` asks for the entries of the list that
   * the schemas want here.
   */
  forms(entry: boolean): readonly (readonly Schema[])[] {
    const heads = this.#heads(entry)
    const branches = heads.flatMap((head) => branchesOf(head))
    if (branches.length === 0) return [heads.map(({ schema }) => schema)]
    return branches.flatMap((branch) => this.#formsOf(branch))
  }

  /** The forms of a branch: those of the union that it is, where it says nothing else of the members. */
  #formsOf(branch: Located, depth = 0): readonly (readonly Schema[])[] {
    const parts = resolved(this.#schemas, branch)
    const inner =
      depth > MAX_NESTING || parts.some(({ schema }) => NAMING.some((keyword) => keyword in schema))
        ? []
        : parts.flatMap(branchesOf)
    return inner.length > 0 ? inner.flatMap((each) => this.#formsOf(each, depth + 1)) : [parts.map(({ schema }) => schema)]
  }

  /** What is said of this place, or of the list here (`entry`): made once, since each of twenty faults says it, and a union may have hundreds of forms. */
  described(entry: boolean, describe: () => string): string {
    const text = this.#described.get(entry) ?? describe()
    this.#described.set(entry, text)
    return text
  }

  /** The schemas that hold for every form of a value here. */
  common(entry: boolean): readonly Schema[] {
    return this.#heads(entry).map(({ schema }) => schema)
  }

  /** What a condition adds to a member says nothing of its form as long as the member is described without one. */
  #heads(entry: boolean): readonly Located[] {
    const always = this.#at.filter(({ isConditional }) => !isConditional)
    const list = (always.length > 0 ? always : this.#at).flatMap((located) => resolved(this.#schemas, located))
    return entry ? this.#entries(list) : list
  }

  #entries(list: readonly Located[]): readonly Located[] {
    const branches = list.flatMap((head) => branchesOf(head).flatMap((branch) => resolved(this.#schemas, branch)))
    return [...list, ...branches].flatMap((located) => {
      const items = asSchema(located.schema.items)
      return items ? resolved(this.#schemas, { ...located, schema: items }) : []
    })
  }

  /** Lists of members that may not all stand here together. */
  get exclusions(): readonly (readonly string[])[] {
    const refused = this.#located.flatMap(({ schema }) => [schema.not, asSchema(schema.not)?.anyOf].flat())
    const lists = refused.map((each) => [asSchema(each)?.required].flat().filter((name) => typeof name === 'string'))
    return lists.filter(({ length }) => length > 1)
  }

  /** The place of a member whose name is free, e.g. of one asset of a creative. Undefined where nothing is said of such members. */
  others(): SchemaPlace | undefined {
    if (this.#others) return this.#others
    const at = this.#located.flatMap((located) => valuesOf(located.schema).map((schema) => freeMember(located, schema)))
    if (at.length > 0) this.#others = new SchemaPlace(this.#schemas, at)
    return this.#others
  }

  /** The place of a member whose name is one that a pattern of the schemas allows. */
  byPattern(name: string): SchemaPlace | undefined {
    const at = this.#located.flatMap((located) =>
      Object.entries(asSchema(located.schema.patternProperties) ?? {}).flatMap(([pattern, value]) => {
        const schema = asSchema(value)
        return schema && new RegExp(pattern, 'u').test(name) ? [freeMember(located, schema)] : []
      }),
    )
    return at.length > 0 ? new SchemaPlace(this.#schemas, at) : undefined
  }
}

/** A schema with its references, branches and array items laid open. */
function expand(schemas: SchemaDocuments, located: Located, depth = 0): readonly Located[] {
  if (depth > MAX_NESTING) return []
  const { schema } = located
  const branches = [schema.items, schema.oneOf, schema.anyOf, schema.allOf].flat().flatMap((part): Located[] => {
    const each = asSchema(part)
    return each ? [{ ...located, schema: each }] : []
  })
  for (const part of [schema.then, schema.else]) {
    const each = asSchema(part)
    if (each) branches.push({ ...located, schema: each, isConditional: true })
  }
  const referred = referredBy(schemas, located)
  return [located, ...[...(referred ? [referred] : []), ...branches].flatMap((each) => expand(schemas, each, depth + 1))]
}

/** A schema, what it refers to, and all parts that hold together with it. */
function resolved(schemas: SchemaDocuments, located: Located, depth = 0): readonly Located[] {
  if (depth > MAX_NESTING) return []
  const parts = [located.schema.allOf].flat().flatMap((part) => {
    const each = asSchema(part)
    return each ? [{ ...located, schema: each }] : []
  })
  const referred = referredBy(schemas, located)
  return [located, ...[...(referred ? [referred] : []), ...parts].flatMap((each) => resolved(schemas, each, depth + 1))]
}

function branchesOf(located: Located): readonly Located[] {
  return [located.schema.oneOf, located.schema.anyOf].flat().flatMap((branch) => {
    const each = asSchema(branch)
    return each ? [{ ...located, schema: each }] : []
  })
}

function referredBy(schemas: SchemaDocuments, located: Located): Located | undefined {
  const { document, place } = located
  const { $ref: reference } = located.schema
  if (typeof reference !== 'string') return undefined
  const found = dereference(reference, document, (id) => schemas.resolveReference(id))
  if (found === undefined) return undefined
  const { schema, document: other, id } = found
  return { ...located, schema, document: other, place: id === undefined ? place : `${id.replace(/^\/schemas\/[^/]+\//, '')}#` }
}

function freeMember({ document, place }: Located, schema: Schema): Located {
  return { schema, document, place: `${place}*` }
}

/** What a schema says of members that it does not name. */
function valuesOf(schema: Schema): readonly Schema[] {
  const values = [schema.additionalProperties, ...Object.values(asSchema(schema.patternProperties) ?? {})]
  return values.filter(isSchema)
}

function ownSchema(properties: Schema | undefined, name: string): Schema | undefined {
  if (!properties || !Object.hasOwn(properties, name)) return undefined
  return asSchema(properties[name])
}

function asSchema(value: unknown): Schema | undefined {
  return isSchema(value) ? value : undefined
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
