import { randomUUID } from 'node:crypto'
import { MAX_ITEMS, maxLengthOf, taskLimits } from '../../src/pipeline/value-bounds.ts'
import type { Contracts } from '../../src/protocol/contracts.ts'
import { jsonOf } from '../../tools/fuzz/hostile-values.ts'
import { exampleIn, type SeededWorld } from '../../tools/fuzz/seed-world.ts'
import { type ServedTool, servedTools } from '../../tools/release-tools.ts'
import { type Ask, callOf } from '../stalls/stall.ts'
import type { Door, DoorLimits } from './cases.ts'
import { placesOf } from './places.ts'
import { isRecord } from './schema-node.ts'
import { type Known, Smallest } from './smallest.ts'

/** What a buyer has on the measured server. */
export interface BuyerWorld {
  readonly key: string
  readonly known: Known
  readonly seeded: SeededWorld
}

/** Below the 100,000 values and 4 MiB of a body, with room for the rest of the request. */
const LIMITS: DoorLimits = { bytes: 3_900_000, items: MAX_ITEMS, values: 90_000, text: maxLengthOf }

/** One door for each tool of each release. Schemas that tools share are tried through the first of them. */
export function taskDoors(contracts: Contracts, world: BuyerWorld): Door[] {
  const seen = new Set<string>()
  return servedTools(contracts).map((tool) => taskDoor(tool, world, seen))
}

function taskDoor(
  { contract, task: { name: task }, title }: ServedTool,
  { key, known, seeded }: BuyerWorld,
  seen: Set<string>,
): Door {
  const { line, schemas } = contract
  const path = schemas.pathsOf(task)?.request ?? ''
  const document = schemas.document(path)
  const smallest = new Smallest(schemas, known)
  const root = { schema: document, document, at: `${path}#` }
  const least = smallest.of(root, '')
  const base = { ...(isRecord(least) && least), ...exampleIn(seeded, line, task), adcp_version: line }
  const limits = taskLimits(task)
  return {
    title,
    limits: { ...LIMITS, ofPath: (at) => limits[at] },
    places: placesOf(schemas, smallest, root, { seen }),
    ask: ({ put }, value) => call(key, task, put({ ...base, idempotency_key: randomUUID() }, value)),
  }
}

/** A call whose arguments may be anything, numbers that JavaScript cannot hold included. */
function call(key: string, name: string, args: unknown): Ask {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
  return { ...callOf(key, name, {}), body: jsonOf(message) }
}
