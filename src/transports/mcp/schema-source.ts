import type { Contract } from '../../protocol/contract.ts'
import type { Contracts } from '../../protocol/contracts.ts'
import { furtherRequestsOf } from '../../protocol/schema-paths.ts'
import type { Schema, Schemas } from '../../protocol/schemas.ts'

/** Root of the schemas that we author. */
const OWN_ROOT = '/own/'

/** Names of files and folders only: no dot but that of the extension, so no way out of the schema folder. */
const SCHEMA_PATH = /^(?:[a-z0-9-]+\/)*[a-z0-9-]+\.json$/

/** The document that an absolute reference (`/schemas/3.0.6/core/context.json`, `/own/x.json`) names, if there is one. */
export function schemaByReference({ base, all }: Contracts, reference: string): Schema | undefined {
  if (reference.startsWith(OWN_ROOT)) return documentAt(base.schemas, reference.slice(OWN_ROOT.length), 'own:')
  const { schemas } = all.find((each) => reference.startsWith(each.schemas.referenceRoot)) ?? {}
  return schemas && documentAt(schemas, reference.slice(schemas.referenceRoot.length), '')
}

function documentAt(schemas: Schemas, path: string, prefix: 'own:' | ''): Schema | undefined {
  return SCHEMA_PATH.test(path) ? find(schemas, `${prefix}${path}`) : undefined
}

/** A task's request schema in one release, with the members of further ones for the same task; undefined for a task that the release has not. */
export function requestSchemaOf({ schemas }: Contract, task: string): Schema | undefined {
  const paths = schemas.pathsOf(task)
  const main = paths && find(schemas, paths.request)
  if (!main) return undefined
  const further = furtherRequestsOf(task).map((path) => membersOf(find(schemas, path)))
  return { ...main, properties: Object.assign({}, ...further, membersOf(main)) }
}

function membersOf(schema: Schema | undefined): object {
  const properties = schema?.properties
  return typeof properties === 'object' && properties !== null ? properties : {}
}

/** Absolute references of a task's request and response schema in the lowest release that has it, as far as there are documents. */
export function schemaReferencesOf(contracts: Contracts, task: string): { request?: string; response?: string } {
  const { schemas } = contracts.having(task)[0] ?? contracts.base
  const paths = schemas.pathsOf(task)
  const has = (path: string | undefined) => path !== undefined && find(schemas, path) !== undefined
  return {
    ...(paths && has(paths.request) && { request: referenceOf(schemas, paths.request) }),
    ...(paths && has(paths.response) && { response: referenceOf(schemas, paths.response) }),
  }
}

function referenceOf({ referenceRoot }: Schemas, path: string): string {
  return path.startsWith('own:') ? `${OWN_ROOT}${path.slice('own:'.length)}` : `${referenceRoot}${path}`
}

function find(schemas: Schemas, path: string): Schema | undefined {
  try {
    return schemas.document(path)
  } catch {
    return undefined
  }
}
