import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type AdminOperation, isQueried } from '../../src/admin-api/operation.ts'
import { OPERATIONS } from '../../src/admin-api/operations.ts'
import { paramNames } from '../../src/operator/act.ts'
import type { Schema, Schemas } from '../../src/protocol/schemas.ts'
import { jsonOf } from '../../tools/fuzz/hostile-values.ts'
import type { Ask } from '../stalls/stall.ts'
import type { Door, DoorLimits } from './cases.ts'
import { HEAD_BYTES, queryText } from './exchange.ts'
import { placesOf } from './places.ts'
import { isRecord } from './schema-node.ts'
import { type Known, Smallest } from './smallest.ts'

const BODY: DoorLimits = { bytes: 3_900_000, items: 10_000, values: 90_000, text: () => 200_000 }
const QUERY: DoorLimits = { bytes: HEAD_BYTES, items: 1_000, values: 1_000, text: () => HEAD_BYTES }
/** These end the keys and the people that the bench works with: the last of all. */
const ENDS_ACCESS: ReadonlySet<string> = new Set(['revokeAdminKey', 'removePublisher', 'revokePerson', 'removePerson', 'setRole'])

/** One door for each operation of the admin API, and so for each act. */
export function adminDoors(schemas: Schemas, key: string, known: Known): Door[] {
  const operations = [false, true].flatMap((isLast) => OPERATIONS.filter(({ id }) => ENDS_ACCESS.has(id) === isLast))
  const seen = new Set<string>()
  return operations.map((operation) => adminDoor(operation, schemas, key, known, seen))
}

function adminDoor(operation: AdminOperation, schemas: Schemas, key: string, known: Known, seen: Set<string>): Door {
  const { id, path, fields } = operation
  const document: Schema = {
    type: 'object',
    required: ['params', 'members'],
    properties: {
      params: objectOf(paramNames(path).map((name) => [name, true, { type: 'string' }])),
      members: objectOf(
        Object.entries(fields).map(([name, { required, schema }]) => [name, required, documentOf(path, name) ?? schema]),
      ),
    },
  }
  const smallest = new Smallest(schemas, known)
  const root = { schema: document, document, at: `${id}#` }
  const base = smallest.of(root, '')
  const isQuery = isQueried(operation)
  return {
    title: `admin ${id}`,
    limits: isQuery ? QUERY : BODY,
    // What a path or query can hold is less than a body.
    places: placesOf(schemas, smallest, root, { seen }).filter((place) => place.path !== '(all)' && place.path !== 'params'),
    ask: ({ put }, value) => asked(operation, put(base, value), key),
  }
}

function objectOf(members: readonly (readonly [name: string, required: boolean, schema: object])[]): object {
  return {
    type: 'object',
    required: members.filter(([, required]) => required).map(([name]) => name),
    properties: Object.fromEntries(members.map(([name, , schema]) => [name, schema])),
  }
}

/** The schema of ours that a document has which an operation takes whole: `products-import` for `/products/import`, `direct-order` for `/direct-orders`. */
function documentOf(path: string, name: string): Schema | undefined {
  if (name !== 'document') return undefined
  const [, area = ''] = path.split('/')
  const found = [`${area}-import.json`, `${area.replace(/s$/, '')}.json`].find((file) =>
    existsSync(fileURLToPath(new URL(`../../schemas/${file}`, import.meta.url))),
  )
  return found === undefined ? undefined : { $ref: `own:${found}` }
}

function asked({ method, path }: AdminOperation, request: unknown, key: string): Ask {
  const { params, members } = isRecord(request) ? request : {}
  const values = isRecord(params) ? params : {}
  const place = paramNames(path).reduce(
    (text, name) => text.replace(`{${name}}`, () => encodeURIComponent(String(values[name])).slice(0, HEAD_BYTES)),
    `/admin/v1${path}`,
  )
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  if (isQueried({ method })) return { method, path: `${place}?${queryText(members)}`.slice(0, HEAD_BYTES), headers }
  return { method, path: place, headers, body: jsonOf(members) }
}
