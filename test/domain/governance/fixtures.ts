import type { GovernedAction } from '../../../src/domain/governance/action.ts'
import { type DecisionInput, decide } from '../../../src/domain/governance/decide.ts'
import type { Commitment } from '../../../src/domain/governance/plan.ts'
import type { PlanDocument } from '../../../src/domain/governance/plan-document.ts'

export const NOW = new Date('2027-01-15T12:00:00Z')
export const BUYER = 'https://buyer.example/agent'
export const SELLER = 'https://seller.example/mcp'

export function document(change: Partial<PlanDocument> = {}): PlanDocument {
  return {
    plan_id: 'plan_1',
    brand: { domain: 'brand.example' },
    objectives: 'Outdoor',
    budget: { total: 100_000, currency: 'USD', reallocation_unlimited: true },
    flight: { start: '2027-01-01T00:00:00Z', end: '2027-12-31T23:59:59Z' },
    ...change,
  }
}

export function action(change: Partial<GovernedAction> = {}): GovernedAction {
  return {
    checkType: 'intent',
    phase: 'purchase',
    tool: 'create_media_buy',
    purchaseType: 'media_buy',
    caller: BUYER,
    seller: SELLER,
    amountMicros: 10_000_000_000,
    currency: undefined,
    startsAt: undefined,
    endsAt: undefined,
    countries: [],
    regions: [],
    channels: [],
    audiences: [],
    reporting: undefined,
    words: '',
    metrics: undefined,
    payload: {},
    ...change,
  }
}

export function commitment(change: Partial<Commitment> = {}): Commitment {
  return {
    actionId: 'act_0',
    purchaseType: 'media_buy',
    caller: BUYER,
    seller: SELLER,
    committedMicros: 0,
    channels: [],
    ...change,
  }
}

/** Decides on an action under a plan; `more` is the rest of the state. */
export function decided(plan: Partial<PlanDocument>, act: Partial<GovernedAction> = {}, more: Partial<DecisionInput> = {}) {
  return decide(
    {
      plan: {
        planId: 'plan_1',
        principalId: 'buyer',
        version: 1,
        document: document(plan),
        planHash: 'hash',
        createdAt: NOW.toISOString(),
        updatedAt: NOW.toISOString(),
        currentActionId: 'act_1',
      },
      commitments: [],
      portfolios: [],
      accepted: false,
      counterproposals: 0,
      action: action(act),
      ...more,
    },
    NOW,
  )
}
