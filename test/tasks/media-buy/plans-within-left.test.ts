import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadContracts } from '../../../src/protocol/contracts.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

/** Ten days of 10,000 impressions of each: what a plan can buy of it. */
const ROOM = 100_000
const DAYS = { start_date: '2026-05-01', end_date: '2026-05-10' }
const sports = (id: string, capacity: number) =>
  productDocument(id, { delivery_type: 'guaranteed' }, { daily_capacity: capacity, keywords: ['sports'], approval: 'automatic' })

let agent: MediaBuyAgent
let cpm = 0
beforeAll(async () => {
  agent = await startMediaBuyAgent([sports('alpha', 10_000), sports('beta', 1_000_000)], { contracts: loadContracts() })
  const { data } = await agent.buyer.call('get_products', { buying_mode: 'wholesale' })
  cpm = data.products[0].pricing_options[0].fixed_price
}, 120_000)
afterAll(() => agent?.stop())

async function ask(task: string, args: object) {
  const { data, isError } = await agent.buyer.call(task, args)
  expect(isError, JSON.stringify(data)).toBeFalsy()
  return data
}
const keyed = (args: object) => ({ adcp_version: '3.2', idempotency_key: crypto.randomUUID(), ...args })
const request = (budget: number, product_ids?: readonly string[]) =>
  keyed({
    brief: `sports, USD ${budget}`,
    criteria: { offer_filters: DAYS, ...(product_ids && { product_ids }) },
    account: ACCOUNT,
  })
const roomFor = (impressions: number) => (impressions * cpm) / 1000
const totalOf = ({ commercial_terms: { total_budget } }: { commercial_terms: { total_budget: { amount: number } } }) =>
  total_budget.amount

test('a request for proposals plans no more than what is left, and says what it left out', async () => {
  const budget = Math.round(roomFor(4 * ROOM))
  const { proposals, ext } = await ask('request_proposals', request(budget))
  for (const { commercial_terms: terms } of proposals) {
    expect(terms.total_budget.amount).toBe(budget)
    expect(terms.purchases.map(({ product_id }: { product_id: string }) => product_id)).toEqual(['beta'])
  }
  expect(ext.notes.join(' ')).toContain(
    `Not in the plans, which would need more of it than is available from 2026-05-01 to 2026-05-10: alpha`,
  )
})

test('a plan of named products is made for what is left of them, which can be finalized and bought whole', async () => {
  const budget = Math.round(roomFor(4 * ROOM))
  const { proposals, ext } = await ask('request_proposals', request(budget, ['alpha']))
  const [draft] = proposals
  expect(totalOf(draft)).toBeGreaterThan(roomFor(0.99 * ROOM))
  expect(totalOf(draft)).toBeLessThanOrEqual(roomFor(ROOM))
  expect(ext.notes).toContain(
    `Too little is left for ${budget} USD from 2026-05-01 to 2026-05-10: at most ${totalOf(draft)} USD of it can be bought; the plan is made for that.`,
  )
})

test.each([
  { ask: undefined, outcome: 'revised', code: undefined },
  { ask: 'more of alpha', outcome: 'partial', code: 'commercially_declined' },
])(
  'a revision that leaves too little is lowered to what is left, and says so; ask: $ask',
  async ({ ask: words, outcome, code }) => {
    const budget = Math.round(roomFor(1.5 * ROOM))
    const { proposals } = await ask('request_proposals', request(budget, ['alpha', 'beta']))
    const both = proposals[0]
    expect(both.commercial_terms.purchases).toHaveLength(2)
    const refinements = [
      { proposal_id: both.proposal_id, action: 'revise', product_changes: { beta: 'omit' }, ...(words && { ask: words }) },
    ]
    const { results } = await ask('refine_proposals', keyed({ refinements }))
    expect(results[0].outcome, JSON.stringify(results)).toBe(outcome)
    // `commercially_declined` is a refusal of words: official verifiers refuse it where nothing was asked in words.
    expect(results[0].reason_code).toBe(code)
    const [draft] = results[0].proposals
    expect(totalOf(draft)).toBeLessThanOrEqual(roomFor(ROOM))
    const [said] = code === undefined ? results[0].suggestions : [results[0].reason]
    expect(said).toContain(`at most ${totalOf(draft)} USD of it can be bought`)
  },
)

test('get_products refine plans no more than what is left either, at every release', async () => {
  for (const [index, pin] of [{}, { adcp_version: '3.0' }, { adcp_version: '3.1' }, { adcp_version: '3.2' }].entries()) {
    const budget = Math.round(roomFor(1.5 * ROOM)) + index
    const brief = await ask('get_products', { ...pin, buying_mode: 'brief', brief: `sports, USD ${budget}`, filters: DAYS })
    const plan = brief.proposals.find(({ allocations }: { allocations: unknown[] }) => allocations.length === 2)
    const entry = { scope: 'proposal', proposal_id: plan.proposal_id, action: 'include', ask: 'drop beta' }
    const asked = { ...pin, buying_mode: 'refine', refine: [entry], filters: DAYS }
    const { refinement_applied, proposals } = await ask('get_products', asked)
    const [{ status, notes }] = refinement_applied
    expect(status, notes).toBe('partial')
    const { recommended } = proposals[0].total_budget_guidance
    expect(recommended).toBeLessThanOrEqual(roomFor(ROOM))
    const why = `too little is left for \\d+ USD from 2026-05-01 to 2026-05-10: at most ${recommended} USD of it can be bought`
    expect(notes).toMatch(
      new RegExp(
        `^applied: dropped beta; planned for ${recommended} USD\\. not possible: ${why}; now proposal ${proposals[0].proposal_id}$`,
      ),
    )
    const dear = { ...entry, proposal_id: proposals[0].proposal_id, ask: 'a budget of 5,000,000 USD' }
    const more = await ask('get_products', { ...asked, refine: [dear] })
    const [said] = more.refinement_applied
    expect(said.status).toBe('partial')
    expect(said.notes.match(/proposal_\S+/g)).toEqual([more.proposals[0].proposal_id])
    expect(said.notes.match(/planned for \S+/g)).toEqual([`planned for ${more.proposals[0].total_budget_guidance.recommended}`])
  }
})
