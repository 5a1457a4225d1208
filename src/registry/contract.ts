import type { Schema } from '../protocol/schemas.ts'

/** How an operation is limited: reads of the store, one look outside, many of them, or a change. */
export type Rate = 'read' | 'resolve' | 'bulk' | 'write'

/** One operation of the registry as schemas/registry-openapi.json describes it: what both doors go by. */
export interface Operation {
  readonly id: string
  readonly method: 'GET' | 'POST'
  readonly path: RegExp
  readonly parameters: readonly Parameter[]
  readonly hasBody: boolean
  readonly needsIdentity: boolean
  readonly rate: Rate
  /** Name of the MCP tool; undefined: not offered there. */
  readonly tool: string | undefined
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

/** The parts of the document that are read here. */
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>
  readonly components: Schema
}

interface DocumentOperation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly security?: readonly unknown[]
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
  readonly 'x-rate': Rate
  readonly 'x-mcp-tool'?: string
}

type Content = Readonly<Record<string, { readonly schema: Schema } | undefined>>

/** Reads the operations out of the document, which is ours and which the tests hold to what is served. */
export function operationsOf(document: Schema): readonly Operation[] {
  const { paths, components } = document as unknown as Document
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => operationOf(path, method, operation, components)),
  )
}

function operationOf(path: string, method: string, operation: DocumentOperation, components: Schema): Operation {
  const body = operation.requestBody?.content['application/json']?.schema
  const { parameters } = operation
  return {
    id: operation.operationId,
    method: method === 'post' ? 'POST' : 'GET',
    path: new RegExp(`^${path.replace(/\{[^}]+\}/g, '([^/]+)')}$`),
    parameters,
    hasBody: body !== undefined,
    needsIdentity: operation.security !== undefined,
    rate: operation['x-rate'],
    tool: operation['x-mcp-tool'],
    summary: operation.summary,
    description: operation.description,
    argumentsSchema: body ?? {
      type: 'object',
      additionalProperties: false,
      required: parameters.filter(({ required }) => required).map(({ name }) => name),
      properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
    },
    answers: new Map(
      Object.entries(operation.responses).flatMap(([status, response]) => {
        const schema = response.content?.['application/json']?.schema
        return schema ? [[Number(status), { ...schema, components }] as const] : []
      }),
    ),
  }
}

/** Arguments with the defaults of their schema. */
export function withDefaults(operation: Operation, given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const defaults = operation.parameters.filter(({ name, schema }) => given[name] === undefined && schema.default !== undefined)
  return { ...given, ...Object.fromEntries(defaults.map(({ name, schema }) => [name, schema.default])) }
}
