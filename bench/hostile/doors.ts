import { loadContracts } from '../../src/protocol/contracts.ts'
import { NOW } from '../../test/support/isolation/holdings.ts'
import { indexPublishers } from '../../tools/fuzz/index-publishers.ts'
import { seedWorld } from '../../tools/fuzz/seed-world.ts'
import { type MeasuredAgent, type MeasuredAgentOptions, startMeasuredAgent } from '../stalls/agent.ts'
import { adminDoors } from './admin-doors.ts'
import type { Door } from './cases.ts'
import { consoleTargets } from './console-doors.ts'
import { exchangeDoor, type Target } from './exchange-door.ts'
import { routeTargets } from './route-targets.ts'
import { taskDoors } from './task-doors.ts'

/** Parts of the server's surface, each with doors of its own. */
export const PARTS = ['tasks', 'admin', 'routes', 'console'] as const
export type DoorPart = (typeof PARTS)[number]

/** A running server and everything that takes input there. */
export interface HostileWorld {
  readonly agent: MeasuredAgent
  readonly doors: readonly Door[]
}

/** Looked at first, so that what every route looks for is known. */
const LIVEZ: Target = {
  title: 'route GET /livez',
  base: { method: 'GET', path: '/livez', params: {}, query: {}, headers: {} },
  bodyBytes: 1_000,
}

/** Starts the measured server with one of everything that a buyer can own, and derives its doors; with a title only those that have it in theirs. */
export async function startHostileWorld(
  parts: readonly DoorPart[],
  { moreRoutes, isBuilt = false }: Pick<MeasuredAgentOptions, 'moreRoutes' | 'isBuilt'>,
  title = '',
): Promise<HostileWorld> {
  const agent = await startMeasuredAgent({
    ...(moreRoutes !== undefined && { moreRoutes }),
    isBuilt,
    clockShiftMs: NOW.getTime() - Date.now(),
  })
  try {
    return { agent, doors: await doorsOf(agent, parts, title) }
  } catch (error) {
    await agent.stop()
    throw error
  }
}

async function doorsOf(agent: MeasuredAgent, parts: readonly DoorPart[], title: string): Promise<Door[]> {
  const contracts = loadContracts()
  const { schemas } = contracts.base
  await indexPublishers({ data: agent.data, databaseConnections: 2 }, NOW)
  const seeded = await seedWorld(`http://127.0.0.1:${agent.port}/mcp`, agent.sandboxKey, contracts)
  const known = Object.fromEntries(
    Object.entries(seeded.fields).flatMap(([name, [value]]) => (name.endsWith('[]') ? [] : [[name, value] as const])),
  )
  const targets = [
    ...(parts.includes('routes') ? routeTargets(agent, schemas, known) : []),
    ...(parts.includes('console') ? await consoleTargets(agent) : []),
  ]
  const seen = new Set<string>()
  const doors: Door[] = []
  for (const target of [LIVEZ, ...targets.filter((each) => each.title.includes(title))]) {
    const door = await exchangeDoor(agent, target, seen)
    if (door) doors.push(door)
  }
  const all = [
    ...(parts.includes('tasks') ? taskDoors(contracts, { key: agent.sandboxKey, known, seeded }) : []),
    ...(parts.includes('admin') ? adminDoors(schemas, agent.adminKey, known) : []),
    ...doors,
  ]
  return all.filter((door) => door.title.includes(title))
}
