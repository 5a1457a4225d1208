import { randomUUID } from 'node:crypto'
import { MAX_ITEMS, maxLengthOf, taskLimits } from '../../src/pipeline/value-bounds.ts'
import type { Contract } from '../../src/protocol/contract.ts'
import type { Contracts } from '../../src/protocol/contracts.ts'
import { TASKS } from '../../src/tasks/index.ts'
import { jsonOf } from '../../tools/fuzz/hostile-values.ts'
import { type Ask, callOf } from '../stalls/stall.ts'
import type { Door, DoorLimits } from './cases.ts'
import { placesOf } from './places.ts'
import { isRecord } from './schema-node.ts'
import { type Known, Smallest } from './smallest.ts'

/** What a buyer has on the measured server. */
export interface BuyerWorld {
  readonly key: string
  readonly known: Known
  /** A request of each task that is accepted. */
  readonly examples: Readonly<Record<string, object>>
}

/** Below the 100,000 values and 4 MiB of a body, with room for the rest of the request. */
const LIMITS: DoorLimits = { bytes: 3_900_000, items: MAX_ITEMS, values: 90_000, text: maxLengthOf }

/** One door for each tool of each release. Schemas that tools share are tried through the first of them. */
export function taskDoors(contracts: Contracts, world: BuyerWorld): Door[] {
  const seen = new Set<string>()
  return contracts.all.flatMap((contract) =>
    TASKS.filter(({ name }) => contract.has(name)).map(({ name }) => taskDoor(contract, name, world, seen)),
  )
}

function taskDoor({ line, schemas }: Contract, task: string, { key, known, examples }: BuyerWorld, seen: Set<string>): Door {
  const path = schemas.pathsOf(task)?.request ?? ''
  const document = schemas.document(path)
  const smallest = new Smallest(schemas, known)
  const root = { schema: document, document, at: `${path}#` }
  const least = smallest.of(root, '')
  const base = { ...(isRecord(least) && least), ...examples[task], adcp_version: line }
  const limits = taskLimits(task)
  return {
    title: `${line} ${task}`,
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
