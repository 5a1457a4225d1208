import fc from 'fast-check'
import type { Contracts } from '../../src/protocol/contracts.ts'
import { arbitraryRequest } from '../../test/support/arbitrary-request.ts'
import { type ServedTool, servedTools } from '../release-tools.ts'
import { mutation, pick } from './mutations.ts'
import { exampleIn, type SeededWorld } from './seed-world.ts'

/** A tool of a release with the requests that calls of it start from. */
export interface DrawnTool extends ServedTool {
  /** A request that is accepted. */
  readonly example: object
  /** Made when the first call is. */
  readonly bases: () => readonly object[]
}

/** Requests made from each tool's schema that the changes start from, and how often the valid example stands beside them. */
const BASES = { made: 30, example: 20 }

/** Calls that take away what others need, or ask for more of what follows: each is made this many times less often. */
const TAKES_AWAY: ReadonlySet<string> = new Set([
  'delete_property_list',
  'delete_collection_list',
  'si_terminate_session',
  'decline_proposals',
  'accept_proposal',
  'sync_governance',
])
const LESS_OFTEN = 10

/** Every tool of every release by release, those last in each that take away what others need. */
export function drawnTools(contracts: Contracts, world: SeededWorld, seed: number): readonly DrawnTool[] {
  return contracts.all.flatMap((contract) => {
    const tools = servedTools({ all: [contract] }).map((tool) => drawnTool(tool, world, seed))
    return tools.toSorted((a, b) => Number(TAKES_AWAY.has(a.task.name)) - Number(TAKES_AWAY.has(b.task.name)))
  })
}

function drawnTool(tool: ServedTool, world: SeededWorld, seed: number): DrawnTool {
  const { schemas, line } = tool.contract
  const example = exampleIn(world, line, tool.task.name)
  let bases: readonly object[] | undefined
  const make = () => {
    const arbitrary = arbitraryRequest(schemas, schemas.requestDocument(tool.task.name), world.fields)
    const made = fc.sample(arbitrary, { numRuns: BASES.made, seed }).filter(isObject)
    return [...made, ...Array(BASES.example).fill(example)]
  }
  return { ...tool, example, bases: () => (bases ??= make()) }
}

/** One of the tools by chance. */
export function drawTool(tools: readonly DrawnTool[], random: () => number): DrawnTool {
  const tool = pick(tools, random)
  return TAKES_AWAY.has(tool.task.name) && random() * LESS_OFTEN > 1 ? drawTool(tools, random) : tool
}

/** Some request of a tool, changed in some members. */
export function drawRequest(tool: DrawnTool, random: () => number): object {
  return asked(tool, mutation(pick(tool.bases(), random), random, isChange(tool)))
}

/** The request of a tool that is accepted, with a key of its own. */
export function exampleRequest(tool: DrawnTool): object {
  return asked(
    tool,
    mutation(tool.example, () => 0, isChange(tool)),
  )
}

/** A request that names the release of the tool, whatever it was changed to: the answer is held against that release. The lowest goes without saying. */
function asked({ contract }: DrawnTool, request: object): object {
  return contract.namedLine === undefined ? request : { ...request, adcp_version: contract.namedLine }
}

function isChange({ task }: DrawnTool): boolean {
  return task.mutating === true
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
