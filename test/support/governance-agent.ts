import { randomUUID } from 'node:crypto'
import type { AgentClient, TaskReply } from './client.ts'
import { type AgentOptions, startAgent, type TestAgent } from './start-agent.ts'

export const BUYER_AGENT = 'https://buyer.example/agent'
export const NOW = new Date('2027-01-15T12:00:00Z')

export interface GovernanceAgent extends TestAgent {
  setClock(now: Date): void
  run(task: string, args?: object, client?: AgentClient): Promise<TaskReply>
  /** Registers a plan and returns its id. */
  plan(change?: object, client?: AgentClient): Promise<string>
  /** Asks whether a media buy of this size is allowed. */
  check(planId: string, budget: number, more?: object, client?: AgentClient): Promise<TaskReply>
}

export const planOf = (change: object = {}) => ({
  plan_id: `plan_${randomUUID()}`,
  brand: { domain: 'brand.example' },
  objectives: 'Outdoor in spring',
  budget: { total: 100_000, currency: 'USD', reallocation_unlimited: true },
  flight: { start: '2027-01-01T00:00:00Z', end: '2027-12-31T23:59:59Z' },
  countries: ['US'],
  ...change,
})

/** A plan whose agent may commit 5000 USD without a person. */
export const LIMITED = { budget: { total: 100_000, currency: 'USD', reallocation_threshold: 5_000 } }

export async function startGovernanceAgent(options: AgentOptions = {}): Promise<GovernanceAgent> {
  let now = NOW
  const agent = await startAgent({ clock: () => now, ...options })
  const run: GovernanceAgent['run'] = (task, args = {}, client = agent.buyer) =>
    client.call(task, { ...(/^(sync|report)_/.test(task) && { idempotency_key: randomUUID() }), ...args })
  return {
    ...agent,
    setClock(at) {
      now = at
    },
    run,
    async plan(change = {}, client = agent.buyer) {
      const { data } = await run('sync_plans', { plans: [planOf(change)] }, client)
      return data.plans[0].plan_id
    },
    check: (planId, budget, more = {}, client = agent.buyer) =>
      run(
        'check_governance',
        {
          plan_id: planId,
          caller: BUYER_AGENT,
          tool: 'create_media_buy',
          payload: { packages: [{ product_id: 'p', budget }] },
          ...more,
        },
        client,
      ),
  }
}
