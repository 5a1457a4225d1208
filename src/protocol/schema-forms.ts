import type { WantedForm } from './errors.ts'
import { exampleAtPlace } from './schema-examples.ts'
import type { Schema, SchemaPlace } from './schema-places.ts'
import { wantedText, wordsOf } from './text-forms.ts'

/** One of the forms that a value may have at a place. */
export interface Form {
  /** Names of the members, and of those that have to be there. */
  readonly names: ReadonlySet<string>
  readonly required: readonly string[]
  /** Members that tell the forms apart, with their one value. */
  readonly constants: ReadonlyMap<string, unknown>
  /** Members that have one of a few values in this form, with these values as JSON text. */
  readonly choices: ReadonlyMap<string, string>
  /** Members that this form may not have (`not` with `required`). */
  readonly excluded: ReadonlySet<string>
}

/** The forms that an object may have at a place, or in the list there (`entry`). One where the schemas have no union. */
export function formsAt(place: SchemaPlace, entry: boolean): readonly Form[] {
  return place.forms(entry).map((schemas) => {
    const properties = schemas.flatMap((schema) => Object.entries(objectOf(schema.properties)))
    const constants = properties.flatMap(([name, value]) =>
      'const' in objectOf(value) ? [[name, objectOf(value).const] as const] : [],
    )
    const choices = properties.flatMap(([name, value]) => {
      const { enum: values } = objectOf(value)
      return values === undefined ? [] : [[name, JSON.stringify(values)] as const]
    })
    const required = [...new Set(schemas.flatMap(requiredBy))]
    return {
      choices: new Map(choices),
      required,
      names: new Set([...properties.map(([name]) => name), ...required]),
      constants: new Map(constants),
      excluded: new Set(schemas.flatMap(excludedBy)),
    }
  })
}

/** The members that a schema forbids: `not: {required: [one]}`, or a union of these. */
function excludedBy({ not }: Schema): readonly string[] {
  const { anyOf, oneOf } = objectOf(not)
  const branches = [anyOf, oneOf].flatMap((union) => (Array.isArray(union) ? union.map(objectOf) : []))
  return [objectOf(not), ...branches].map(requiredBy).flatMap((names) => (names.length === 1 ? names : []))
}

/** The members that a schema demands. */
export function requiredBy({ required }: Schema): readonly string[] {
  return Array.isArray(required) ? required.map(String) : []
}

/** More members would make an example longer than the sentence around it. */
const MAX_MEMBERS = 5

/** A slot takes one of fifteen kinds of asset; its format says which. */
export const ASSET =
  'an object with the asset_type of the slot, such as {"asset_type": "image", "url": "https://host.example/path", "width": 300, "height": 250}'

/** The form of a value at a place, or in the list there (`entry`): `a date and time with its zone such as "…"`, `an object such as {…}`. */
export function expectedAt(place: SchemaPlace, entry: boolean): string {
  return place.described(entry, () => describeExpected(place, entry))
}

function describeExpected(place: SchemaPlace, entry: boolean): string {
  if (isAsset(place)) return ASSET
  const common = place.common(entry)
  const alternatives = place.forms(entry).map((schemas) => expectedBy([...schemas, ...common], place))
  return [...new Set(alternatives)].slice(0, MAX_MEMBERS).join(' or ')
}

function isAsset({ places }: SchemaPlace): boolean {
  return places.filter((each) => each.startsWith('core/assets/')).length > 1
}

function expectedBy(schemas: readonly Schema[], place: SchemaPlace): string {
  const isNullable = schemas.some(({ type }) => Array.isArray(type) && type.includes('null'))
  return isNullable ? `${valueBy(schemas, place)} or null` : valueBy(schemas, place)
}

function valueBy(schemas: readonly Schema[], place: SchemaPlace): string {
  const constant = constantOf(schemas)
  if (constant) return JSON.stringify(constant.const)
  const values = valuesOf(schemas)
  if (values) return `one of: ${values.slice(0, MAX_VALUES).join(', ')}${values.length > MAX_VALUES ? ', …' : ''}`
  switch (typeOf(schemas)) {
    case 'string':
      return textOf(schemas) ?? 'a text'
    case 'number':
      return 'a number'
    case 'integer':
      return 'a whole number'
    case 'boolean':
      return 'true or false'
    case 'array':
      return withExample('a list', listExample(place))
    default: {
      const example = exampleOf(schemas, place, 0)
      return withExample('an object', example === '{}' ? exampleOfFirst(place) : example)
    }
  }
}

function listExample(place: SchemaPlace): string {
  return `[${exampleOf(place.forms(true)[0] ?? [], place, 0)}]`
}

/** A longer example would bury the sentence around it. */
const MAX_EXAMPLE = 220
/** Deeper parts of an example are left out. */
const MAX_DEPTH = 2

function withExample(kind: string, example: string): string {
  return example !== '' && example.length <= MAX_EXAMPLE ? `${kind} such as ${example}` : kind
}

/** The least that a value has to hold, as JSON text with an ellipsis for what is free. */
function exampleOf(schemas: readonly Schema[], place: SchemaPlace, depth: number): string {
  const own = depth < MAX_DEPTH ? exampleAtPlace(place) : undefined
  if (own !== undefined) return own
  const constant = constantOf(schemas)
  if (constant) return JSON.stringify(constant.const)
  const values = valuesOf(schemas)
  if (values) return JSON.stringify(values[0])
  const type = typeOf(schemas)
  if (type === 'string') return /"[^"]+"$/.exec(textOf(schemas) ?? '')?.[0] ?? '"…"'
  if (type === 'number' || type === 'integer') return String(numberOf(schemas))
  if (type === 'boolean') return 'true'
  if (type === 'array') return `[${entryOf(place)}]`
  const required = schemas.flatMap(requiredBy)
  const members = [...new Set([...required, ...required.flatMap((name) => neededBeside(schemas, name))])]
  if (members.length === 0) return '{}'
  if (depth >= MAX_DEPTH) return '{…}'
  return `{${members.map((name) => `"${name}": ${constantIn(schemas, name) ?? exampleAt(place.declared(name), depth + 1)}`).join(', ')}}`
}

/** An object that has to have no member, with the first that it may have. */
function exampleOfFirst(place: SchemaPlace): string {
  const name = [...place.names].find((each) => each !== 'ext' && each !== 'context')
  return name === undefined ? '' : `{"${name}": ${exampleAt(place.declared(name), 1)}}`
}

/** A number that the bounds allow: the least where there is a most, since the next member may have to be more. */
function numberOf(schemas: readonly Schema[]): number {
  const most = schemas.map(({ maximum }) => maximum).find((each) => typeof each === 'number')
  const least = schemas.map(({ minimum }) => minimum).find((each) => typeof each === 'number')
  return most === undefined || most >= 1000 ? 1000 : (least ?? most)
}

/** An entry of the list at a place, where the schemas list its words. */
function entryOf(place: SchemaPlace): string {
  const values = valuesOf(place.forms(true)[0] ?? [])
  return values ? JSON.stringify(values[0]) : '…'
}

/** The members that a member brings with it (JSON Schema `dependencies`). */
function neededBeside(schemas: readonly Schema[], name: string): readonly string[] {
  return schemas.flatMap(({ dependencies }) => {
    const needed = objectOf(dependencies)[name]
    return Array.isArray(needed) ? needed.map(String) : []
  })
}

/** The one value that a member has in this form; the place of the member knows those of all forms. */
function constantIn(schemas: readonly Schema[], name: string): string | undefined {
  const member = schemas.map(({ properties }) => objectOf(objectOf(properties)[name])).find((schema) => 'const' in schema)
  return member && JSON.stringify(member.const)
}

function exampleAt(place: SchemaPlace | undefined, depth: number): string {
  return place ? exampleOf(place.forms(false)[0] ?? [], place, depth) : '"…"'
}

/** More values would bury the message. */
const MAX_VALUES = 12

function constantOf(schemas: readonly Schema[]): Schema | undefined {
  return schemas.find((schema) => 'const' in schema)
}

function valuesOf(schemas: readonly Schema[]): readonly unknown[] | undefined {
  return schemas.map((schema) => schema.enum).find((values) => Array.isArray(values))
}

function typeOf(schemas: readonly Schema[]): string | undefined {
  return typesOf(schemas).find((type) => type !== 'null')
}

/** The types that the schemas name, of a list of types too. */
function typesOf(schemas: readonly Schema[]): readonly string[] {
  return schemas.flatMap(({ type }) => [type].flat().filter((each) => typeof each === 'string'))
}

function textOf(schemas: readonly Schema[]): string | undefined {
  return wordsOf(schemas.map(textForm).find((form) => form !== undefined))
}

function textForm({ format, pattern }: Schema): string | undefined {
  return typeof format === 'string' ? format : typeof pattern === 'string' ? pattern : undefined
}

/** The form that a value is to have at a place, or in the list there (`entry`): that of the first alternative, and a moment where any is one. */
export function wantedAt(place: SchemaPlace, entry: boolean): WantedForm | undefined {
  if (isAsset(place)) return undefined
  const common = place.common(entry)
  const alternatives = place.forms(entry).map((schemas) => wantedBy([...schemas, ...common], place))
  return alternatives.includes('moment') ? 'moment' : alternatives[0]
}

function wantedBy(schemas: readonly Schema[], place: SchemaPlace): WantedForm | undefined {
  if (constantOf(schemas) || valuesOf(schemas)) return undefined
  switch (typeOf(schemas)) {
    case 'string':
      return wantedText(schemas.map(textForm).find((form) => form !== undefined))
    case 'number':
    case 'integer':
      return 'number'
    case 'boolean':
      return 'flag'
    case 'array':
      return listExample(place).startsWith('["') ? 'list' : undefined
    default:
      return place.places.includes(FORMAT_ID) ? 'format' : undefined
  }
}

/** The reference of a format, which is often sent as its id alone. */
const FORMAT_ID = 'core/format-id.json#'

function objectOf(value: unknown): Schema {
  return isSchema(value) ? value : {}
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
