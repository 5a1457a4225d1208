import { manifest } from '../../protocol/manifest.ts'
import { furtherRequestsOf, type Schema, schemaPathsOf } from '../../protocol/schemas.ts'

/** Schema documents by relative path (`core/context.json`, `own:x.json` for ours); throws when there is none. */
export interface SchemaDocuments {
  document(path: string): Schema
}

/** Root of the official schemas' `$id`s and references. */
const REFERENCE_ROOT = `/schemas/${manifest.adcp_version}/`
/** Root of the schemas that we author. */
const OWN_ROOT = '/own/'

/** Names of files and folders only: no dot but that of the extension, so no way out of the schema folder. */
const SCHEMA_PATH = /^(?:[a-z0-9-]+\/)*[a-z0-9-]+\.json$/

/** The document that an absolute reference (`/schemas/3.0.6/core/context.json`, `/own/x.json`) names, if there is one. */
export function schemaByReference(documents: SchemaDocuments, reference: string): Schema | undefined {
  const own = reference.startsWith(OWN_ROOT)
  const path = own
    ? reference.slice(OWN_ROOT.length)
    : reference.startsWith(REFERENCE_ROOT)
      ? reference.slice(REFERENCE_ROOT.length)
      : ''
  return SCHEMA_PATH.test(path) ? find(documents, own ? `own:${path}` : path) : undefined
}

/** A task's request schema, with the members of further ones for the same task; undefined for a task outside the contract. */
export function requestSchemaOf(documents: SchemaDocuments, task: string): Schema | undefined {
  const paths = schemaPathsOf(task)
  const main = paths && find(documents, paths.request)
  if (!main) return undefined
  const further = furtherRequestsOf(task).map((path) => membersOf(find(documents, path)))
  return { ...main, properties: Object.assign({}, ...further, membersOf(main)) }
}

function membersOf(schema: Schema | undefined): object {
  const properties = schema?.properties
  return typeof properties === 'object' && properties !== null ? properties : {}
}

/** Absolute references of a task's request and response schema, as far as there are documents. */
export function schemaReferencesOf(documents: SchemaDocuments, task: string): { request?: string; response?: string } {
  const paths = schemaPathsOf(task)
  const has = (path: string | undefined) => path !== undefined && find(documents, path) !== undefined
  return {
    ...(paths && has(paths.request) && { request: referenceOf(paths.request) }),
    ...(paths && has(paths.response) && { response: referenceOf(paths.response) }),
  }
}

function referenceOf(path: string): string {
  return path.startsWith('own:') ? `${OWN_ROOT}${path.slice('own:'.length)}` : `${REFERENCE_ROOT}${path}`
}

function find(documents: SchemaDocuments, path: string): Schema | undefined {
  try {
    return documents.document(path)
  } catch {
    return undefined
  }
}
