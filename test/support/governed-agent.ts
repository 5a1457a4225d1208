import { randomUUID } from 'node:crypto'
import { CREDENTIAL, type FakeGovernanceAgent, putGovernanceAgent } from './fake-governance-agent.ts'
import { type FakeWeb, startFakeWeb } from './fake-web/fake-web.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from './media-buy-agent.ts'
import type { AgentOptions } from './start-agent.ts'

/** A seller, a buyer with an account, and somebody else's governance agent that is not registered yet. */
export interface GovernedAgent extends MediaBuyAgent {
  readonly web: FakeWeb
  readonly governance: FakeGovernanceAgent
  /** Registers governance agents on the buyer's account. */
  govern(urls: readonly string[]): Promise<void>
}

export async function startGovernedAgent(options: AgentOptions = {}): Promise<GovernedAgent> {
  const web = await startFakeWeb()
  let now = new Date('2026-03-01T12:00:00Z')
  let seller = ''
  const governance = await putGovernanceAgent(web, { seller: () => seller, clock: () => now })
  const agent = await startMediaBuyAgent([productDocument('news'), productDocument('takeover', {}, { approval: 'manual' })], {
    safeFetch: web.fetch(),
    ...options,
  })
  seller = agent.url
  const govern: GovernedAgent['govern'] = async (urls) => {
    const { data } = await agent.buyer.call('sync_governance', {
      idempotency_key: randomUUID(),
      accounts: [{ account: ACCOUNT, governance_agents: urls.map(agentEntry) }],
    })
    if (data.accounts?.[0]?.status !== 'synced') throw new Error(JSON.stringify(data))
  }
  return {
    ...agent,
    web,
    governance,
    govern,
    setClock(iso) {
      now = new Date(iso)
      agent.setClock(iso)
    },
    async stop() {
      await agent.stop()
      await web.close()
    },
  }
}

/** A governance agent as sync_governance wants it. */
export function agentEntry(url: string) {
  return { url, authentication: { schemes: ['Bearer'], credentials: CREDENTIAL }, categories: ['budget_authority'] }
}
