import type { GrantAgreement } from '../../src/domain/rights/grant.ts'
import { saveAction } from '../../src/store/governance/governance-actions.ts'
import { savePlan } from '../../src/store/governance/governance-plans.ts'
import { insertSubmission } from '../../src/store/rights/rights-creatives.ts'
import { insertGrant } from '../../src/store/rights/rights-grants.ts'
import type { TestAgent } from './start-agent.ts'

const at = '2026-03-01T12:00:00.000Z'

/** A check on a spending that waits for a person. */
export async function escalated(agent: TestAgent, id: string): Promise<string> {
  const common = { planId: 'plan', principalId: 'buyer', actionId: `act_${id}`, caller: 'https://buyer.example', createdAt: at }
  const asked = { tool: 'create_media_buy', amountMicros: 1, currency: 'USD', why: 'much', planHash: 'hash' }
  const action = {
    ...common,
    actionKey: id,
    purchaseType: 'media_buy',
    seller: 'https://seller.example',
    status: 'active',
    committedMicros: 1,
    sellerReference: undefined,
    governanceContext: id,
    approved: undefined,
    channels: [],
    escalation: { ...common, ...asked, checkId: id, review: undefined },
    counterproposals: 0,
    nextCheckAt: undefined,
    checkCount: 1,
  } as const
  const flight = { start: '2026-01-01T00:00:00Z', end: '2026-12-31T00:00:00Z' }
  const budget = { total: 9_000, currency: 'USD', reallocation_unlimited: true } as const
  const plan = { plan_id: 'plan', brand: { domain: 'brand.example' }, objectives: 'x', budget, flight }
  await agent.server.store.transaction(async (tx) => {
    await savePlan(tx, { tenantId: agent.tenant, principalId: 'buyer' }, plan, new Date(at))
    await saveAction(tx, agent.tenant, action, new Date(at))
  })
  return id
}

/** A grant of rights. */
export async function granted(agent: TestAgent, grantId: string): Promise<string> {
  const agreement: GrantAgreement = {
    offering: { rights_id: 'heron', brand_id: 'heron', name: 'Heron' },
    price: { pricing_option_id: 'p', model: 'flat_rate', price: 1, currency: 'USD', uses: ['likeness'] },
    buyerDomain: 'brand.example',
    description: 'x',
    uses: ['likeness'],
    startDate: '2026-01-01',
  }
  const of = {
    principalId: 'buyer',
    accountId: 'acc',
    sandbox: false,
    paused: false,
    credentialVersion: 1,
    revision: 1,
    createdAt: at,
  }
  const grant = { grantId, ...of, agreement, revokedAt: undefined, pending: undefined, pendingTaskId: undefined }
  await agent.server.store.transaction((tx) => insertGrant(tx, agent.tenant, grant))
  return grantId
}

/** A creative for a grant of rights that waits for a person. */
export async function submitted(agent: TestAgent, submissionId: string): Promise<string> {
  const grantId = await granted(agent, `rgt_of_${submissionId}`)
  const of = {
    submissionId,
    grantId,
    creativeKey: submissionId,
    creativeId: submissionId,
    url: 'https://cdn.example/1.png',
    submittedAt: at,
  }
  const creative = {
    ...of,
    description: undefined,
    status: 'pending_review',
    reason: undefined,
    suggestions: [],
    conditions: [],
    decidedAt: undefined,
  } as const
  await agent.server.store.transaction((tx) => insertSubmission(tx, agent.tenant, creative))
  return submissionId
}
