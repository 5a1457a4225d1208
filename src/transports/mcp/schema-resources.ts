import type { Task } from '../../pipeline/task.ts'
import type { Contracts } from '../../protocol/contracts.ts'
import { schemaByReference, schemaReferencesOf } from './schema-source.ts'

/**
 * The URI of a schema is this origin plus its absolute reference. So resolving a `$ref` against the URI of the schema that
 * holds it (RFC 3986 §5.2) gives the URI of the schema it means.
 */
const ORIGIN = 'adcp://contract'
const MIME_TYPE = 'application/schema+json'

/** Tells a client that any schema that a `$ref` names can be read too. */
export const SCHEMA_TEMPLATE = {
  name: 'AdCP JSON Schema',
  uriTemplate: `${ORIGIN}/schemas/{+path}`,
  description: 'Any official schema; a $ref inside one is the path of another.',
  mimeType: MIME_TYPE,
}

/** Request and response schemas of the given tasks as MCP resources. */
export function listSchemaResources(tasks: readonly Task[], contracts: Contracts) {
  return tasks.flatMap(({ name }) =>
    Object.entries(schemaReferencesOf(contracts, name)).map(([side, reference]) => ({
      name: `${name} ${side}`,
      uri: `${ORIGIN}${reference}`,
      mimeType: MIME_TYPE,
    })),
  )
}

/** A schema by its resource URI, or by the bare `$ref` that named it; undefined when there is none. */
export function readSchemaResource(uri: string, contracts: Contracts) {
  const reference = uri.startsWith(`${ORIGIN}/`) ? uri.slice(ORIGIN.length) : uri
  const schema = schemaByReference(contracts, reference)
  return schema && { uri, mimeType: MIME_TYPE, text: JSON.stringify(schema) }
}
