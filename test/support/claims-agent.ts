import type { BrandClaims } from '../../src/domain/brand/claims.ts'
import { loadContracts } from '../../src/protocol/contracts.ts'
import { BRANDS, type BrandAgent, startBrandAgent } from './brand-agent.ts'
import type { AgentOptions } from './start-agent.ts'

export const CLAIMS: BrandClaims = {
  complete: ['subsidiary', 'property'],
  subsidiaries: [
    { domain: 'heron.example', brand_id: 'heron', first_observed_at: '2026-01-01T00:00:00Z' },
    {
      domain: 'rumour.example',
      status: 'pending_review',
      first_observed_at: '2026-02-20T00:00:00Z',
      expected_resolution_window_days: 30,
    },
    { domain: 'sold.example', status: 'archived', note: 'Sold in 2024.' },
  ],
  parents: [{ domain: 'holding.example', status: 'disputed', note: 'We left that group.' }],
  properties: [
    { type: 'website', identifier: 'fable.example', brand_id: 'heron', regions: ['US', 'DE'], use_cases: { advertising: true } },
    { type: 'mobile_app', identifier: 'example.fable.app', store: 'apple', relationship: 'direct' },
    { type: 'website', identifier: 'fake-fable.example', status: 'disputed' },
  ],
  trademarks: [
    { registry: 'USPTO', number: '1', mark: 'HERON', registration_status: 'active', countries: ['US'], nice_classes: [16] },
    { registry: 'EUIPO', number: '2', mark: 'HERON', status: 'licensed_in', licensor_domain: 'birds.example', countries: ['DE'] },
  ],
}

/** The brand agent with claims that it answers, and every release. */
export async function startClaimsAgent(options: AgentOptions = {}): Promise<BrandAgent> {
  const agent = await startBrandAgent({ contracts: loadContracts(), ...options })
  await agent.import({ ...BRANDS, claims: CLAIMS })
  return agent
}
