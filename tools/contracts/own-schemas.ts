import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { GAM_OPTIONS, GAM_OPTIONS_SCHEMA } from '../../src/ad-serving/gam/gam-options.ts'
import { MANUAL_OPTIONS, MANUAL_OPTIONS_SCHEMA } from '../../src/ad-serving/manual/manual-options.ts'
import { describedSchemas, operationsOf, REGISTRY_DOCUMENT } from '../../src/features/registry/contract.ts'
import type { Schema } from '../../src/protocol/schema-places.ts'
import { Schemas } from '../../src/protocol/schemas.ts'

/** Definitions that the server validates by alone. */
const DEFINITIONS = [['own:direct-order.json', 'targeting']] as const

/** The schemas of ours that the server validates by, by the name that it asks for the validator by. Descriptions of interfaces (OpenAPI) are none themselves. */
export function ownSchemas(): ReadonlyMap<string, Schema> {
  const schemas = new Schemas()
  const files = readdirSync(fileURLToPath(new URL('../../schemas', import.meta.url)))
  const paths = files.filter((file) => file.endsWith('.json') && !file.endsWith('-openapi.json')).map((file) => `own:${file}`)
  return new Map<string, Schema>([
    ...paths.map((path) => [path, schemas.document(path)] as const),
    ...DEFINITIONS.map(([path, name]) => [`${path}#/definitions/${name}`, definitionOf(schemas.document(path), name)] as const),
    ...describedSchemas(operationsOf(schemas.document(REGISTRY_DOCUMENT))),
    [GAM_OPTIONS, GAM_OPTIONS_SCHEMA],
    [MANUAL_OPTIONS, MANUAL_OPTIONS_SCHEMA],
  ])
}

/** A definition with those that it refers to. */
function definitionOf({ definitions }: Schema, name: string): Schema {
  return { $ref: `#/definitions/${name}`, definitions }
}
