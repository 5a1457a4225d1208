import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Review } from '../../../src/domain/governance/escalation.ts'
import { BUYER, commitment, decided, document, NOW } from './fixtures.ts'

const yes: Review = {
  resolution: 'approved',
  conditions: [],
  decidedBy: 'Head of media',
  reason: '',
  decidedAt: NOW.toISOString(),
}
const ctv = { policy_id: 'weekly', enforcement: 'must' as const, policy: 'CTV buys require weekly delivery reporting.' }
const onCtv = { channels: [{ channel: 'ctv', micros: 10_000_000_000 }] }
const texts = (decision: { remarks: readonly { explanation: string }[] }) =>
  decision.remarks.map(({ explanation }) => explanation).join('\n')

describe('budget authority', () => {
  it('approves what fits, counting what is committed by other actions and not by this one', () => {
    expect(decided({}).status).toBe('approved')
    const commitments = [commitment({ committedMicros: 95_000_000_000 })]
    expect(decided({}, {}, { commitments }).status).toBe('denied')
    expect(decided({}, {}, { commitments: [commitment({ actionId: 'act_1', committedMicros: 95_000_000_000 })] }).status).toBe(
      'approved',
    )
  })

  it('says by how much the plan is exceeded, and asks no person about it', () => {
    const decision = decided(
      { budget: { total: 10_000, currency: 'USD', reallocation_threshold: 0 } },
      { amountMicros: 50_000_000_000 },
    )
    expect(decision).toMatchObject({ status: 'denied', escalation: undefined, conditions: [] })
    expect(decision.remarks[0]).toMatchObject({
      severity: 'critical',
      category: 'budget_authority',
      details: { code: 'SPENDING_AUTHORITY_EXCEEDED', limit: 10_000, requested: 50_000, exceeded_by: 40_000 },
    })
  })

  it('denies another currency', () => {
    expect(decided({}, { currency: 'EUR' }).status).toBe('denied')
  })

  it('waits for a person above the threshold, and a yes lifts it', () => {
    const budget = { total: 50_000, currency: 'USD', reallocation_threshold: 5_000 }
    const asked = decided({ budget })
    expect(asked).toMatchObject({ status: 'denied', escalation: expect.stringContaining('5000 USD') })
    const after = decided({ budget }, {}, { review: yes })
    expect(after).toMatchObject({ status: 'approved', escalation: undefined })
    expect(texts(after)).toContain('approved by Head of media')
    const no = decided({ budget }, {}, { review: { ...yes, resolution: 'rejected', reason: 'too early' } })
    expect(no).toMatchObject({ status: 'denied', escalation: undefined })
    expect(texts(no)).toContain('Head of media rejected it: too early')
  })

  it('a person cannot lift the limits of the plan', () => {
    expect(decided({ budget: { total: 1, currency: 'USD', reallocation_threshold: 0 } }, {}, { review: yes }).status).toBe(
      'denied',
    )
  })

  it('holds allocations, the share of a seller and the cap of a portfolio', () => {
    const budget = { total: 100_000, currency: 'USD', reallocation_unlimited: true as const }
    expect(decided({ budget: { ...budget, allocations: { media_buy: { amount: 9_000 } } } }).status).toBe('denied')
    expect(decided({ budget: { ...budget, allocations: { media_buy: { max_pct: 5 } } } }).status).toBe('denied')
    expect(decided({ budget: { ...budget, allocations: { rights_license: { amount: 1 } } } }).status).toBe('approved')
    expect(decided({ budget: { ...budget, per_seller_max_pct: 9 } }).status).toBe('denied')
    const portfolio = {
      planId: 'portfolio',
      committedMicros: 1_000_000,
      document: document({ portfolio: { member_plan_ids: ['plan_1'], total_budget_cap: { amount: 10_000, currency: 'USD' } } }),
    }
    expect(decided({}, {}, { portfolios: [portfolio] }).remarks[0]).toMatchObject({ effect: 'deny', sourcePlanId: 'portfolio' })
  })

  it('never approves more than the plan has', () => {
    const micros = fc.integer({ min: 0, max: 200_000_000_000 })
    fc.assert(
      fc.property(micros, micros, fc.boolean(), (asked, spent, reviewed) => {
        const { status } = decided(
          { budget: { total: 100_000, currency: 'USD', reallocation_threshold: 20_000 } },
          { amountMicros: asked },
          { commitments: [commitment({ committedMicros: spent })], ...(reviewed && { review: yes }) },
        )
        if (asked + spent > 100_000_000_000 || (asked > 20_000_000_000 && !reviewed)) expect(status).toBe('denied')
        else expect(status).toBe('approved')
      }),
    )
  })

  it('says what is left to somebody who only asks', () => {
    const commitments = [commitment({ committedMicros: 40_000_000_000 })]
    const decision = decided({}, { checkType: 'availability', tool: undefined }, { commitments })
    expect(decision).toMatchObject({ status: 'approved', explanation: '60000 USD of 100000 USD is left' })
  })
})

describe('bounds', () => {
  it('offers the flight of the plan instead of dates outside of it', () => {
    const outside = { startsAt: '2026-12-01T00:00:00Z', endsAt: '2028-01-01T00:00:00Z' }
    const decision = decided({}, { ...outside, payload: { start_time: outside.startsAt, end_time: outside.endsAt } })
    expect(decision).toMatchObject({
      status: 'conditions',
      conditions: [
        { field: 'start_time', requiredValue: '2027-01-01T00:00:00Z' },
        { field: 'end_time', requiredValue: '2027-12-31T23:59:59Z' },
      ],
    })
    expect(decided({}, { ...outside, checkType: 'execution' }).status).toBe('denied')
  })

  it.each([
    ['a country', { countries: ['US'] }, { countries: ['US', 'FR'] }],
    ['a region', { regions: ['US-MA'] }, { regions: ['US-CA'] }],
    ['a region of another country', { countries: ['US'] }, { regions: ['FR-IDF'] }],
    ['a channel', { channels: { allowed: ['display' as const] } }, onCtv],
    ['a seller', { approved_sellers: ['https://other.example/mcp'] }, {}],
  ])('denies %s outside the plan', (_what, plan, act) => {
    expect(decided(plan, act).status).toBe('denied')
  })

  it('any seller is fine where the plan names none', () => {
    expect(decided({ approved_sellers: null }).status).toBe('approved')
  })
})

describe('delegations', () => {
  const delegations = [
    { agent_url: BUYER, authority: 'full' as const, budget_limit: { amount: 15_000, currency: 'USD' }, markets: ['US'] },
  ]

  it('holds agent, amount, markets and end', () => {
    expect(decided({ delegations }).status).toBe('approved')
    expect(decided({ delegations }, { caller: 'https://stranger.example' }).status).toBe('denied')
    expect(decided({ delegations }, { amountMicros: 16_000_000_000 }).status).toBe('denied')
    expect(decided({ delegations }, { countries: ['FR'] }).status).toBe('denied')
    const ended = delegations.map((each) => ({ ...each, expires_at: NOW.toISOString() }))
    expect(decided({ delegations: ended }).status).toBe('denied')
  })

  it('an agent that may only propose waits for a person', () => {
    const proposing = [{ agent_url: BUYER, authority: 'propose_only' as const }]
    expect(decided({ delegations: proposing })).toMatchObject({ status: 'denied', escalation: expect.any(String) })
    expect(decided({ delegations: proposing }, {}, { review: yes }).status).toBe('approved')
  })
})

describe('people and regulations', () => {
  it('a person sees every action where a category asks for it', () => {
    const plan = { policy_categories: ['fair_housing'], countries: ['US'], human_review_required: true }
    const decision = decided(plan)
    expect(decision).toMatchObject({ status: 'denied', escalation: expect.any(String), policies: ['us_fair_housing'] })
    expect(decided(plan, {}, { review: yes }).status).toBe('approved')
    expect(decided(plan, { audiences: ['adults 25-34'] }, { review: yes }).status).toBe('denied')
  })

  it('denies targeting by a restricted attribute, and says how sure it is', () => {
    const decision = decided({ restricted_attributes: ['health_data'] }, { audiences: ['people with diabetes'] })
    expect(decision.status).toBe('denied')
    expect(decision.remarks[0]).toMatchObject({ category: 'audience', confidence: 0.7 })
  })

  it('Article 26 of the DSA holds by itself in the EU', () => {
    expect(decided({ countries: ['FR'] }, { audiences: ['catholic church members'] }).status).toBe('denied')
    expect(decided({ countries: ['US'] }, { audiences: ['catholic church members'] }).status).toBe('approved')
  })

  it('says that it does not know a policy instead of passing it silently', () => {
    expect(decided({ policy_ids: ['uk_hfss'] }).remarks).toMatchObject([
      { policyId: 'uk_hfss', severity: 'warning', confidence: 0.1 },
    ])
  })
})

describe('bespoke policies', () => {
  it('weekly reports on CTV: a condition that the payload meets', () => {
    const asked = decided({ custom_policies: [ctv] }, onCtv)
    expect(asked).toMatchObject({
      status: 'conditions',
      conditions: [{ field: 'reporting_webhook.reporting_frequency', requiredValue: 'daily' }],
      policies: ['weekly'],
    })
    const payload = { reporting_webhook: { reporting_frequency: 'daily' } }
    expect(decided({ custom_policies: [ctv] }, { ...onCtv, payload, reporting: 'daily' }).status).toBe('approved')
    expect(decided({ custom_policies: [ctv] }, { channels: [{ channel: 'display', micros: 1 }] }).status).toBe('approved')
  })

  it('should warns, may notes, and a policy that is not in force yet informs', () => {
    for (const [change, severity] of [
      [{ enforcement: 'should' as const }, 'warning'],
      [{ enforcement: 'may' as const }, 'info'],
      [{ effective_date: '2028-01-01' }, 'info'],
    ] as const) {
      const decision = decided({ custom_policies: [{ ...ctv, ...change }] }, onCtv)
      expect(decision.status).toBe('approved')
      expect(decision.remarks).toMatchObject([{ severity }])
    }
    expect(decided({ custom_policies: [{ ...ctv, sunset_date: '2026-01-01' }] }, onCtv).remarks).toEqual([])
  })

  it('a review that a policy asks for waits for a person', () => {
    const policy = {
      policy_id: 'ugc',
      enforcement: 'must' as const,
      policy: 'UGC placements require brand safety review before go-live.',
    }
    expect(decided({ custom_policies: [policy] }, { words: '"product_id":"ugc_feed"' })).toMatchObject({
      status: 'denied',
      escalation: expect.any(String),
    })
    expect(decided({ custom_policies: [policy] }, { words: '"product_id":"news"' }).status).toBe('approved')
  })

  it('the share of one seller is offered as a smaller budget', () => {
    const policy = {
      policy_id: 'cap',
      enforcement: 'must' as const,
      policy: 'No single-seller concentration above 5% of total budget.',
    }
    expect(decided({ custom_policies: [policy] }, { payload: { total_budget: 10_000 } }).conditions).toMatchObject([
      { field: 'total_budget', requiredValue: 5_000 },
    ])
  })

  it('a policy that nobody understands is named', () => {
    const policy = { policy_id: 'kind', enforcement: 'must' as const, policy: 'Be kind.' }
    expect(decided({ custom_policies: [policy] })).toMatchObject({
      status: 'approved',
      remarks: [{ policyId: 'kind', severity: 'warning' }],
    })
  })
})

describe('conditions of a person', () => {
  const budget = { total: 50_000, currency: 'USD', reallocation_threshold: 5_000 }
  const review: Review = {
    ...yes,
    conditions: [
      { field: 'pacing', requiredValue: 'even', reason: 'no bursts' },
      { field: 'packages', reason: 'no increase' },
    ],
  }

  it('bind until the payload meets them and the words are accepted', () => {
    expect(decided({ budget }, {}, { review })).toMatchObject({ status: 'conditions', conditions: review.conditions })
    expect(decided({ budget }, { payload: { pacing: 'even' } }, { review }).conditions).toEqual([review.conditions[1]])
    expect(decided({ budget }, { payload: { pacing: 'even' } }, { review, accepted: true }).status).toBe('approved')
    expect(decided({ budget }, {}, { review, accepted: true }).conditions).toEqual([review.conditions[0]])
  })

  it('three offers are enough', () => {
    expect(decided({ budget }, {}, { review, counterproposals: 2 }).status).toBe('conditions')
    expect(decided({ budget }, {}, { review, counterproposals: 3 }).status).toBe('denied')
  })
})

describe('execution and delivery', () => {
  const approved = {
    amountMicros: 40_000_000_000,
    channels: [
      { channel: 'ctv', micros: 20 },
      { channel: 'olv', micros: 20 },
    ],
  }
  const reporting_period = { start: '2027-02-01T00:00:00Z', end: '2027-02-15T00:00:00Z' }
  const delivery = (metrics: object) => ({
    checkType: 'execution' as const,
    phase: 'delivery' as const,
    amountMicros: undefined,
    metrics: { reporting_period, ...metrics },
  })

  it('a seller executes no more than was approved', () => {
    expect(decided({}, { checkType: 'execution', amountMicros: 40_000_000_000 }, { approved }).status).toBe('approved')
    expect(decided({}, { checkType: 'execution', amountMicros: 40_000_000_001 }, { approved }).status).toBe('denied')
  })

  it('drift of the channel mix comes back as what to bring it back to', () => {
    const decision = decided(
      {},
      delivery({ cumulative_spend: 20_000, channel_distribution: { ctv: 70, olv: 30 }, pacing: 'ahead' }),
      { approved },
    )
    expect(decision.status).toBe('conditions')
    expect(decision.conditions).toMatchObject([
      { field: 'channel_distribution.ctv', requiredValue: 50 },
      { field: 'channel_distribution.olv', requiredValue: 50 },
    ])
    expect(decision.remarks[0]).toMatchObject({
      severity: 'warning',
      details: { code: 'BUDGET_DRIFT_EXCEEDED', planned_pct: 50, actual_pct: 70, moved: 4_000 },
    })
    expect(texts(decision)).toContain('delivery is ahead of its plan')
  })

  it('more money moved than the agent may move waits for a person', () => {
    const budget = { total: 100_000, currency: 'USD', reallocation_threshold: 3_000 }
    const act = delivery({ cumulative_spend: 20_000, channel_distribution: { ctv: 70, olv: 30 } })
    expect(decided({ budget }, act, { approved })).toMatchObject({ status: 'denied', escalation: expect.any(String) })
  })

  it('a policy sets how much drift is tolerated', () => {
    const custom_policies = [
      { policy_id: 'drift', enforcement: 'must' as const, policy: 'Re-evaluate if any line drifts more than 50% from plan.' },
    ]
    expect(
      decided({ custom_policies }, delivery({ spend: 1, channel_distribution: { ctv: 70, olv: 30 } }), { approved }).status,
    ).toBe('approved')
  })

  it('denies overspend and markets that were not planned, and ignores noise', () => {
    expect(decided({}, delivery({ cumulative_spend: 40_001 }), { approved }).status).toBe('denied')
    expect(decided({ countries: ['US'] }, delivery({ geo_distribution: { US: 90, FR: 10 } }), { approved }).status).toBe('denied')
    expect(decided({ countries: ['US'] }, delivery({ geo_distribution: { US: 99.5, FR: 0.5 } }), { approved }).status).toBe(
      'approved',
    )
  })

  it('warns of a skewed audience and of a period outside the flight', () => {
    const skewed = decided({}, delivery({ audience_distribution: { baseline: 'census', indices: { 'gender:female': 0.6 } } }), {
      approved,
    })
    expect(texts(skewed)).toContain('gender:female 0.6')
    const late = { reporting_period: { start: '2028-02-01T00:00:00Z', end: '2028-02-15T00:00:00Z' } }
    expect(texts(decided({}, delivery(late), { approved }))).toContain("outside the plan's flight")
  })

  it('delivery without an approved purchase is compared with nothing, and says so', () => {
    const decision = decided({}, delivery({ channel_distribution: { ctv: 100 } }))
    expect(decision.remarks).toMatchObject([{ severity: 'warning', confidence: 0.3 }])
    expect(decision.status).toBe('approved')
  })
})

describe('decisions about individuals', () => {
  const regulated = (brand: object) => decided({ brand: { domain: 'bank.example', ...brand } })
  const contact = { url: 'https://bank.example/contest' }

  it('go to a person in regulated industries, whatever the plan says', () => {
    const decision = regulated({ industries: ['banking'], data_subject_contestation: contact })
    expect(decision).toMatchObject({ status: 'denied', escalation: 'a person has to review every action under this plan' })
    expect(regulated({ industries: ['automotive'] }).status).toBe('approved')
  })

  it('need a contact for those who contest them', () => {
    const missing = {
      category: 'regulatory_compliance',
      severity: 'critical',
      details: expect.objectContaining({ code: 'CONTESTATION_MISSING' }),
    }
    expect(regulated({ industries: ['recruitment'] }).remarks).toContainEqual(expect.objectContaining(missing))
    const lending = { policy_categories: ['fair_lending'], human_review_required: true as const, countries: ['US'] }
    expect(decided(lending).remarks).toContainEqual(expect.objectContaining(missing))
    const named = decided({ ...lending, brand: { domain: 'bank.example', data_subject_contestation: contact } })
    expect(texts(named)).not.toContain('contest')
  })
})
