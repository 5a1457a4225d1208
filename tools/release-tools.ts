import type { Task } from '../src/pipeline/task.ts'
import type { Contract } from '../src/protocol/contract.ts'
import { type Contracts, loadContracts } from '../src/protocol/contracts.ts'
import { TASKS } from '../src/tasks/index.ts'

/** A task as a release has it. */
export interface ServedTool {
  readonly contract: Contract
  readonly task: Task
  /** Release and name, such as `3.1 get_products`. */
  readonly title: string
}

/** Every tool that is served, in each of the releases, ascending. */
export function servedTools({ all }: Pick<Contracts, 'all'>): readonly ServedTool[] {
  return all.flatMap((contract) =>
    TASKS.filter(({ name }) => contract.has(name)).map((task) => ({ contract, task, title: `${contract.line} ${task.name}` })),
  )
}

/** A tool of a release, and why it is not served in it; undefined for one that is. */
export type ReleaseTool = readonly [name: string, reason: string | undefined]

/** Every tool of AdCP 3.2, by name. Undefined where the build has no such release. */
export function releaseTools(): readonly ReleaseTool[] | undefined {
  const contract = loadContracts().find('3.2')
  if (!contract) return undefined
  const served = new Set(servedTools({ all: [contract] }).map(({ task }) => task.name))
  return Object.keys(contract.manifest.tools)
    .sort()
    .map((name) => [name, served.has(name) ? undefined : (contract.withheld(name) ?? '?')] as const)
}

/** The table of docs/conformance.md. */
export function releaseToolsTable(tools: readonly ReleaseTool[]): string {
  const left = tools.filter(([, reason]) => reason !== undefined)
  const rows = tools.map(([name, reason]) => `| \`${name}\` | ${reason === undefined ? 'yes' : `no: ${reason}`} |`)
  return [
    `${tools.length - left.length} of the ${tools.length} tools of AdCP 3.2.4 are served.`,
    '',
    '| tool | served |',
    '|---|---|',
    ...rows,
  ].join('\n')
}
