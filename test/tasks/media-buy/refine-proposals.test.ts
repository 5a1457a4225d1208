import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operatorOn } from '../../../src/compose/operator.ts'
import { summarizeRefined } from '../../../src/tasks/media-buy/proposal-summaries.ts'
import { setTenant } from '../../support/operator.ts'
import {
  clock,
  DAYS,
  digestOf,
  HOUR_MS,
  IMPRESSIONS,
  type Json,
  NOW,
  proposalBuyer,
  startProposalAgent,
} from '../../support/proposal-buyer.ts'
import { LINES, type ReleaseAgent } from '../../support/release-agent.ts'

describe.skipIf(!LINES.includes('3.2'))('proposals are refined', () => {
  let agent: ReleaseAgent
  beforeAll(async () => {
    agent = await startProposalAgent()
  }, 120_000)
  afterAll(() => agent?.stop())
  const { answer, ask, refused, requested, refine, revise, finalize, acceptance, reserved, holds } = proposalBuyer(() => agent)

  test('a draft is revised within typed bounds, and what cannot be met is named', async () => {
    const source = await requested(DAYS)
    const id = source.proposal_id
    const cheaper = await revise(id, { constraints: { total_budget: { max: 25_000, currency: 'USD' } } })
    expect(cheaper).toMatchObject({ outcome: 'revised', source_proposal_id: id })
    const [draft] = cheaper.proposals
    expect(source).toMatchObject({ forecast: expect.anything(), total_budget_guidance: expect.anything() })
    for (const member of ['forecast', 'total_budget_guidance']) expect(draft).not.toHaveProperty(member)
    expect(draft).toMatchObject({ parent_proposal_id: id, proposal_status: 'draft' })
    expect(draft.commercial_terms.total_budget).toEqual({ amount: 25_000, currency: 'USD' })
    expect(draft.terms_digest).toBe(digestOf(draft.commercial_terms))

    const broke = await revise(id, { constraints: { total_budget: { max: 100, currency: 'USD' } } })
    expect(broke).toMatchObject({ reason_code: 'constraint_unsatisfiable', unsatisfied_constraints: ['total_budget'] })

    const [first] = source.commercial_terms.purchases
    const mixed = await revise(id, { product_changes: { [first.product_id]: 'omit', news_homepage_display: 'include' } })
    expect(mixed.outcome).toBe('revised')
    const bought = mixed.proposals[0].commercial_terms.purchases.map(({ product_id }: Json) => product_id)
    expect(bought).toContain('news_homepage_display')
    expect(bought).not.toContain(first.product_id)
    expect(await revise(id, { product_changes: { nothing_like_it: 'include' } })).toMatchObject({
      outcome: 'partial',
      unsatisfied_product_changes: { nothing_like_it: 'include' },
    })

    const several = await revise(id, { alternatives: { count: 4 } })
    expect(several.outcome).toBe('revised')
    expect(new Set(several.proposals.map(({ terms_digest }: Json) => terms_digest)).size).toBe(4)

    const text = summarizeRefined({ results: [several, broke] })
    for (const { proposal_id, terms_digest } of several.proposals) {
      expect(text).toContain(proposal_id)
      expect(text).toContain(terms_digest)
    }
    expect(text).toContain(broke.reason)

    const flight = { start_no_later_than: '2026-04-20T00:00:00Z', end_no_earlier_than: '2026-06-15T00:00:00Z' }
    const moved = await revise(id, { constraints: { flight } })
    expect(moved.proposals[0].commercial_terms).toMatchObject({
      start_time: '2026-04-20T00:00:00.000Z',
      end_time: '2026-06-15T00:00:00.000Z',
    })
    expect(await revise(id, { ask: 'please colour it in a friendly way' })).toMatchObject({
      outcome: 'unable',
      reason_code: 'uninterpreted',
    })
    const asked = await revise(id, { ask: 'a budget of 50,000 USD' })
    expect(asked).toMatchObject({ outcome: 'revised', proposals: [{ commercial_terms: { total_budget: { amount: 50_000 } } }] })
    const dated = await revise(id, { ask: 'start on 14 December' })
    expect(dated).toMatchObject({ outcome: 'unable', reason_code: 'commercially_declined' })
    expect(dated.reason).toMatch(/^not possible: the dates, which an ask does not change: constraints\.flight /)
    const capped = await revise(id, { ask: 'a budget of 20,000 USD, cap three a day per device' })
    expect(capped).toMatchObject({ outcome: 'revised', proposals: [{ commercial_terms: { total_budget: { amount: 20_000 } } }] })
    expect(JSON.stringify(capped.proposals)).toContain('"frequency_cap":{"max_impressions":3')
    expect(await revise('proposal_of_nobody', { ask: 'more display' })).toMatchObject({
      outcome: 'unable',
      reason_code: 'source_unavailable',
    })
  })

  test.each([
    [
      'a dimension that is not read',
      { constraints: { impressions: { min: 5 } } },
      'UNSUPPORTED_FEATURE',
      '.constraints.impressions',
    ],
    ['criteria', { criteria: { policy_ids: ['p'] } }, 'UNSUPPORTED_FEATURE', '.criteria'],
    ['too many alternatives', { alternatives: { count: 6 } }, 'VALIDATION_ERROR', '.alternatives.count'],
    [
      'bounds that cross',
      { constraints: { total_budget: { min: 9, max: 5, currency: 'USD' } } },
      'VALIDATION_ERROR',
      '.constraints.total_budget.min',
    ],
  ])('%s is refused before anything is made', async (_what, change, code, field) => {
    const { proposal_id } = await requested()
    const entry = { proposal_id, action: 'revise', ...change }
    expect(await refused('refine_proposals', { refinements: [entry] })).toMatchObject({ code, field: `refinements[0]${field}` })
    expect(
      await refused('refine_proposals', {
        refinements: [
          { ...entry, ask: 'x' },
          { ...entry, ask: 'y' },
        ],
      }),
    ).toBeDefined()
  })

  test('a finalized proposal holds inventory until it is declined, accepted or over; all of a call hold or none', async () => {
    const before = await reserved()
    const [one, two] = [await requested(), await requested()]
    const firm = await finalize(one.proposal_id)
    expect(await reserved()).toBe(before + IMPRESSIONS)
    // A buyer holds a quarter of a day at most.
    const greedy = await refine({ proposal_id: two.proposal_id, action: 'finalize' })
    expect(greedy).toMatchObject({ outcome: 'unable', reason_code: 'hold_unavailable', reason: expect.stringContaining('25%') })
    expect(await reserved()).toBe(before + IMPRESSIONS)
    await ask('decline_proposals', { declines: [{ proposal_id: firm.proposal_id, reason: 'price' }] })
    expect(await reserved()).toBe(before)

    const { results } = await ask('refine_proposals', {
      refinements: [one, two].map(({ proposal_id }) => ({ proposal_id, action: 'finalize' })),
    })
    expect(results).toMatchObject([{ reason_code: 'batch_aborted' }, { reason_code: 'hold_unavailable' }])
    expect(await reserved()).toBe(before)
    expect(await holds()).toEqual([])

    // What can be held is said in money, to revise the draft with.
    const [, most] = /at most ([\d.]+) USD of it can be held without an order/.exec(greedy.reason) ?? []
    expect(Number(most), greedy.reason).toBeGreaterThan(0)
    // A draft is not bought by its id: what is said to need no hold needs none.
    expect(greedy.reason).toContain('with packages in place of proposal_id')

    // A client library sends the schema's default with it, which is to be absent here.
    const { proposal: bought } = await refine({ proposal_id: one.proposal_id, action: 'finalize', change_kind: 'amendment' })
    const { media_buy_id } = await ask('accept_proposal', acceptance(bought))
    expect(await reserved()).toBe(before + IMPRESSIONS)
    expect(await holds()).toEqual([])
    await answer('3.0', 'update_media_buy', { media_buy_id, canceled: true })
    expect(await reserved()).toBe(before)

    const late = await finalize(two.proposal_id)
    clock.hours += 48
    expect(await refused('accept_proposal', acceptance(late))).toMatchObject({ code: 'PROPOSAL_EXPIRED' })
    // What is over counts no more, before anything has tidied it up.
    const next = await finalize((await requested()).proposal_id)
    expect(next.proposal_status).toBe('committed')
    expect(await reserved()).toBe(before + IMPRESSIONS)
    expect((await holds()).map(({ proposal_id }) => proposal_id)).toEqual([next.proposal_id])
    await ask('decline_proposals', { declines: [{ proposal_id: next.proposal_id, reason: 'price' }] })
    expect(await reserved()).toBe(before)
  })

  test('the publisher says how much a buyer may hold, and for how long', async () => {
    const set = (change: object) => setTenant(operatorOn(agent.server.store, agent.config), agent.tenant, change)
    await set({ holdHours: 6, holdShare: 0 })
    const { proposal_id } = await requested()
    expect(await refine({ proposal_id, action: 'finalize' })).toMatchObject({
      outcome: 'unable',
      reason_code: 'hold_unavailable',
    })
    await set({ holdShare: 50 })
    const firm = await finalize(proposal_id)
    expect(firm.expires_at).toBe(new Date(NOW + (clock.hours + 6) * HOUR_MS).toISOString())
    await ask('decline_proposals', { declines: [{ proposal_id: firm.proposal_id, reason: 'price' }] })
    await set({ holdHours: 48, holdShare: 25 })
  })
})
