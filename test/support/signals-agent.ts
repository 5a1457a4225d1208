import { randomUUID } from 'node:crypto'
import { saveSignals } from '../../src/store/signal/signals.ts'
import type { AgentClient, TaskReply } from './client.ts'
import { ACCOUNT, SIGNALS } from './signal-documents.ts'
import { type AgentOptions, startAgent, type TestAgent } from './start-agent.ts'

export const START = '2026-03-01T12:00:00Z'

export interface SignalsAgent extends TestAgent {
  setClock(iso: string): void
  /** Calls a mutating task for the buyer's account with a fresh idempotency key. */
  run(task: string, args?: object, client?: AgentClient): Promise<TaskReply>
  activate(args?: object, client?: AgentClient): Promise<TaskReply>
}

/** An agent with signals, a buyer with one account, and a clock in the test's hand. */
export async function startSignalsAgent(options: AgentOptions = {}): Promise<SignalsAgent> {
  let now = new Date(START)
  const agent = await startAgent({ clock: () => now, ...options })
  await agent.server.store.transaction((tx) => saveSignals(tx, agent.tenant, SIGNALS, { merge: false }, now))
  const run: SignalsAgent['run'] = (task, args = {}, client = agent.buyer) =>
    client.call(task, { idempotency_key: randomUUID(), ...args })
  const declared = await run('sync_accounts', { accounts: [{ ...ACCOUNT, billing: 'operator', payment_terms: 'net_30' }] })
  if (declared.isError) throw new Error(JSON.stringify(declared.data))
  return {
    ...agent,
    run,
    setClock(iso) {
      now = new Date(iso)
    },
    activate: (args = {}, client) =>
      run(
        'activate_signal',
        {
          account: ACCOUNT,
          signal_agent_segment_id: 'ev_buyers',
          pricing_option_id: 'agreed',
          destinations: [{ type: 'platform', platform: 'quick-dsp', account: 'seat-1' }],
          ...args,
        },
        client,
      ),
  }
}
