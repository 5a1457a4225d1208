import { loadContracts } from '../../src/protocol/contracts.ts'
import { type AgentOptions, startAgent, type TestAgent } from './start-agent.ts'

/** The contracts of every release that the build obtained. */
export const contracts = loadContracts()

/** The release lines that the build obtained. */
export const LINES = contracts.lines

/** An account that a sandbox buyer of a server with `conformance` may name without declaring it. */
export const SUITE_ACCOUNT = { brand: { domain: 'acmeoutdoor.example' }, operator: 'pinnacle-agency.example', sandbox: true }

export interface ReleaseAgent extends TestAgent {
  /** Calls a task in a release, with a key of its own unless the arguments bring one. */
  ask(line: string, task: string, args?: object): ReturnType<TestAgent['buyer']['call']>
  /** Runs a scenario of the compliance controller, which has to succeed. */
  // biome-ignore lint/suspicious/noExplicitAny: answers are judged by assertions
  control(scenario: string, params?: object): Promise<any>
}

/** The demo publisher with a sandbox buyer, every release that is there, and a clock that goes on by a second with every call. */
export async function startReleaseAgent(options: AgentOptions = {}): Promise<ReleaseAgent> {
  let calls = 0
  const agent = await startAgent({
    demo: true,
    conformance: true,
    contracts,
    clock: () => new Date(Date.parse('2026-03-16T12:00:00Z') + calls * 1000),
    ...options,
  })
  const ask: ReleaseAgent['ask'] = (line, task, args = {}) => {
    calls += 1
    const key = `release-agent-${String(calls).padStart(6, '0')}`
    return agent.buyer.call(task, { adcp_version: line, idempotency_key: key, ...args })
  }
  return Object.assign(agent, {
    ask,
    control: async (scenario: string, params: object = {}) => {
      const { data } = await ask('3.0', 'comply_test_controller', { scenario, params })
      if (data.success !== true) throw new Error(JSON.stringify(data))
      return data
    },
  })
}
