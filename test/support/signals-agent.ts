import { randomUUID } from 'node:crypto'
import type { SignalDocument, SignalsFile } from '../../src/domain/signal/signal.ts'
import { saveSignals } from '../../src/store/signal/signals.ts'
import type { AgentClient, TaskReply } from './client.ts'
import { type AgentOptions, startAgent, type TestAgent } from './start-agent.ts'

export const ACCOUNT = { brand: { domain: 'brand.example' }, operator: 'agency.example' }
export const START = '2026-03-01T12:00:00Z'

/** A signal of the import file. */
export function signalDocument(id: string, change: Partial<SignalDocument> = {}): SignalDocument {
  return {
    signal_agent_segment_id: id,
    name: id.replaceAll('_', ' '),
    description: `Readers of ${id}`,
    signal_type: 'owned',
    value_type: 'binary',
    coverage_percentage: 10,
    pricing_options: [{ pricing_option_id: `${id}_cpm`, model: 'cpm', cpm: 2, currency: 'USD' }],
    platforms: [{ platform: 'quick-dsp' }, { platform: 'slow-dsp', activation_minutes: 30 }],
    ...change,
  }
}

export const SIGNALS: SignalsFile = {
  version: 1,
  data_providers: [{ domain: 'cars.example', name: 'Cars Data' }],
  signals: [
    signalDocument('ev_buyers', {
      name: 'Electric vehicle buyers',
      signal_type: 'marketplace',
      data_provider_domain: 'cars.example',
      signal_id: 'ev',
      countries: ['US'],
      account_pricing: [
        { account: ACCOUNT, pricing_options: [{ pricing_option_id: 'agreed', model: 'cpm', cpm: 1.5, currency: 'USD' }] },
      ],
    }),
    signalDocument('hikers', {
      name: 'Hiking readers',
      coverage_percentage: 30,
      pricing_options: [
        { pricing_option_id: 'hikers_share', model: 'percent_of_media', percent: 10, max_cpm: 1, currency: 'USD' },
        { pricing_option_id: 'hikers_flat', model: 'flat_fee', amount: 500, period: 'monthly', currency: 'USD' },
      ],
    }),
    signalDocument('gardeners', { name: 'Gardening readers', platforms: [] }),
    signalDocument('private_mix', { name: 'Private hiking mix', signal_type: 'custom', offered_to: ['somebody-else'] }),
  ],
}

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
