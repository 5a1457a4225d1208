import { tmpdir } from 'node:os'
import { BUILT_COMMAND, clockEnvironment, startAgent } from '../agent/start-agent.ts'
import { startFleet } from '../faults/fleet.ts'
import type { Operator } from './operator.ts'
import type { Stage } from './play.ts'
import { publish } from './publish.ts'

/** What to start for a run. */
export interface StageOptions extends Pick<Stage, 'protocol' | 'webhooks'> {
  readonly command: readonly string[] | undefined
  /** So many processes on one PostgreSQL; undefined: one on a file. */
  readonly processes: number | undefined
  readonly clockShiftMs: number
  readonly environment: Readonly<Record<string, string>>
  /** A configuration file. */
  readonly config: string | undefined
  readonly keep: boolean
}

/** A started agent: where to play, who acts for the publisher, and where its data and log are when they are kept. */
export interface OpenStage {
  readonly stage: Stage
  readonly operator: Operator
  readonly folder?: string
  stop(): Promise<void>
}

/** Starts an agent, or a fleet of them, on a fresh demo store. @throws Error when it does not become ready */
export async function openStage(options: StageOptions): Promise<OpenStage> {
  return options.processes === undefined ? openAgent(options) : openFleet(options, options.processes)
}

async function openAgent({ protocol, webhooks, ...options }: StageOptions): Promise<OpenStage> {
  const agent = await startAgent(options)
  const place = { data: `${agent.folder}/data`, databaseConnections: 1 }
  return {
    // Over A2A too the suite probes authentication, missing keys and signatures by raw MCP requests to the address it was given (`rawMcpProbe`, and
    // the vectors at `<address>/adcp/…`), so it gets the MCP address; the agent card, from which it takes the A2A address, lies below that as well.
    stage: { protocol, webhooks, url: agent.mcpUrl, key: agent.key },
    operator: {
      command: (args) => agent.command(args),
      publish: (domain, adagents) => publish(place, domain, adagents),
    },
    ...(options.keep && { folder: agent.folder }),
    stop: () => agent.stop(),
  }
}

async function openFleet({ protocol, webhooks, ...options }: StageOptions, processes: number): Promise<OpenStage> {
  const fleet = await startFleet({
    command: options.command ?? BUILT_COMMAND,
    processes,
    environment: { ...options.environment, ...clockEnvironment(options.clockShiftMs) },
    serve: ['--sandbox', ...(options.config === undefined ? [] : ['--config', options.config])],
  })
  const { key } = await fleet.command('init', '--demo')
  const place = { data: tmpdir(), database: fleet.database, databaseConnections: 1 }
  return {
    stage: { protocol, webhooks, url: `${fleet.proxy.origin}/mcp`, key },
    operator: {
      command: (args) => fleet.command(...args),
      publish: (domain, adagents) => publish(place, domain, adagents),
    },
    stop: fleet.close,
  }
}
