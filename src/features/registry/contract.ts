import { isObject } from '../../protocol/is-object.ts'
import type { Schema } from '../../protocol/schemas.ts'

/** Path of the document that describes the operations. */
export const REGISTRY_DOCUMENT = 'own:registry-openapi.json'

/** How an operation is limited: reads of the store, one look outside, many of them, or a change. */
const RATES = ['read', 'resolve', 'bulk', 'write'] as const
export type Rate = (typeof RATES)[number]

/** One operation of the registry as schemas/registry-openapi.json describes it: what both transports go by. */
export interface Operation {
  readonly id: string
  readonly method: 'GET' | 'POST'
  readonly path: RegExp
  readonly parameters: readonly Parameter[]
  /** Parameters of the public registry that would choose rows, and do not here: refused rather than left alone. */
  readonly notServed: readonly string[]
  readonly hasBody: boolean
  readonly needsIdentity: boolean
  readonly rate: Rate
  /** Name of the MCP tool; undefined: not offered there. */
  readonly tool: string | undefined
  /** What the tool has where it is not given, in place of the default of the parameter. */
  readonly toolDefaults: Readonly<Record<string, unknown>>
  readonly summary: string
  readonly description: string | undefined
  /** Parameters and body as one object. */
  readonly argumentsSchema: Schema
  /** Schema of the answer by status. */
  readonly answers: ReadonlyMap<number, Schema>
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly schema: Schema
}

/** Reads the operations out of the document, which is ours. Throws for a document that does not describe them. */
export function operationsOf(document: Schema): readonly Operation[] {
  const components = objectAt(document, 'components')
  return Object.entries(objectAt(document, 'paths')).flatMap(([path, methods]) =>
    Object.keys(objectOf(methods, path)).map((method) =>
      operationOf(path, method, objectAt(objectOf(methods, path), method), components),
    ),
  )
}

function operationOf(path: string, method: string, operation: Schema, components: Schema): Operation {
  const body = schemaIn(operation.requestBody)
  const parameters = listAt(operation, 'parameters').map(parameterOf)
  return {
    id: textAt(operation, 'operationId'),
    method: method === 'post' ? 'POST' : 'GET',
    path: new RegExp(`^${path.replace(/\{[^{}]+\}/g, '([^/]+)')}$`),
    parameters,
    notServed: operation['x-not-served'] === undefined ? [] : listAt(operation, 'x-not-served').map(String),
    hasBody: body !== undefined,
    needsIdentity: operation.security !== undefined,
    rate: oneOf(RATES, operation['x-rate']),
    tool: operation['x-mcp-tool'] === undefined ? undefined : textAt(operation, 'x-mcp-tool'),
    toolDefaults: Object.fromEntries(
      parameters.flatMap(({ name, schema }) => {
        const value = schema['x-mcp-default']
        return value === undefined ? [] : [[name, value]]
      }),
    ),
    summary: textAt(operation, 'summary'),
    description: operation.description === undefined ? undefined : textAt(operation, 'description'),
    argumentsSchema: body ?? {
      type: 'object',
      additionalProperties: false,
      required: parameters.filter(({ required }) => required).map(({ name }) => name),
      properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
    },
    answers: new Map(
      Object.entries(objectAt(operation, 'responses')).flatMap(([status, response]) => {
        const schema = schemaIn(response)
        return schema ? [[Number(status), { ...schema, components }] as const] : []
      }),
    ),
  }
}

function parameterOf(value: unknown): Parameter {
  const parameter = objectOf(value, 'a parameter')
  return {
    name: textAt(parameter, 'name'),
    in: oneOf(['path', 'query'], parameter.in),
    required: parameter.required === true,
    schema: objectAt(parameter, 'schema'),
  }
}

/** Schema of what a request or a response carries, when it carries JSON. */
function schemaIn(carrier: unknown): Schema | undefined {
  if (!isObject(carrier) || !isObject(carrier.content)) return undefined
  const json = carrier.content['application/json']
  return json === undefined ? undefined : objectAt(objectOf(json, 'content'), 'schema')
}

function objectAt(holder: Schema, name: string): Schema {
  return objectOf(holder[name], name)
}

function objectOf(value: unknown, name: string): Schema {
  return isObject(value) ? value : misread(name)
}

function listAt(holder: Schema, name: string): readonly unknown[] {
  const value = holder[name]
  return Array.isArray(value) ? value : misread(name)
}

function textAt(holder: Schema, name: string): string {
  const value = holder[name]
  return typeof value === 'string' ? value : misread(name)
}

function oneOf<const T extends string>(known: readonly T[], value: unknown): T {
  return known.find((each) => each === value) ?? misread(known.join(' or '))
}

function misread(name: string): never {
  throw new TypeError(`the description of the registry has no readable ${name}`)
}

/** Every schema that calls and answers are held to, by the name of its validator. */
export function describedSchemas(operations: readonly Operation[]): ReadonlyMap<string, Schema> {
  return new Map(
    operations.flatMap((operation) => [
      [argumentsOf(operation), operation.argumentsSchema] as const,
      ...[...operation.answers].map(([status, schema]) => [answerOf(operation, status), schema] as const),
    ]),
  )
}

/** Name of the validator of an operation's arguments. */
export function argumentsOf({ id }: Operation): string {
  return `registry ${id} arguments`
}

/** Name of the validator of an operation's answer with a status. */
export function answerOf({ id }: Operation, status: number): string {
  return `registry ${id} ${status}`
}

/** Arguments with the defaults of their schema. */
export function withDefaults(operation: Operation, given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const defaults = operation.parameters.filter(({ name, schema }) => given[name] === undefined && schema.default !== undefined)
  return { ...given, ...Object.fromEntries(defaults.map(({ name, schema }) => [name, schema.default])) }
}
