import { afterAll, beforeAll, expect, test } from 'vitest'
import { summarizeProducts } from '../../../src/tasks/media-buy/summaries.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

const sports = (id: string, more: object = {}) =>
  productDocument(id, { delivery_type: 'guaranteed' }, { keywords: ['sports'], approval: 'automatic', ...more })

let agent: MediaBuyAgent
beforeAll(async () => {
  const spring = { available_from: '2027-03-01', available_until: '2027-05-31' }
  agent = await startMediaBuyAgent([sports('alpha'), sports('beta'), sports('spring', spring)])
  agent.setClock('2026-11-26T12:00:00Z')
}, 120_000)
afterAll(() => agent?.stop())

const ask = async (args: object) => {
  const { data, isError } = await agent.buyer.call('get_products', args)
  expect(isError, JSON.stringify(data)).toBeFalsy()
  const ids = (data.proposals ?? []).flatMap(({ allocations }: { allocations: { product_id: string }[] }) =>
    allocations.map(({ product_id }) => product_id),
  )
  return { data, ids: ids as string[], notes: (data.ext?.notes ?? []) as string[], text: summarizeProducts(data) }
}
const brief = (text: string, more: object = {}) => ask({ buying_mode: 'brief', brief: text, ...more })

test('a plan for days in the words of a brief holds what runs then, and the answer says how they were read', async () => {
  for (const words of ['two weeks before Christmas', '11 to 24 December 2026', '2026-12-11 to 2026-12-24']) {
    const { ids, notes, text, data } = await brief(`USD 20,000, sports fans, ${words}`)
    expect(ids.length, words).toBeGreaterThan(0)
    expect(ids).not.toContain('spring')
    expect(data.proposals[0].ext.flight).toEqual({ start_date: '2026-12-11', end_date: '2026-12-24' })
    expect(data.proposals[0].total_budget_guidance.recommended).toBe(20_000)
    expect(notes[0]).toMatch(/^Read from the brief: from 2026-12-11 to 2026-12-24\. /)
    expect(notes[1]).toBe('Not on sale on all of these days: spring.')
    expect(notes.join()).not.toContain('the dates')
    expect(text).toContain(notes[0])
  }
  expect((await brief('USD 20,000, sports fans, from 1 March to 15 April')).ids).toContain('spring')
})

test('a plan that no days are known of holds nothing of another season', async () => {
  const { ids, notes } = await brief('sports fans, USD 20,000')
  expect(ids.length).toBeGreaterThan(0)
  expect(ids).not.toContain('spring')
  expect(notes).toEqual([])
  const open = await brief('sports fans')
  expect(open.ids.length).toBeGreaterThan(0)
  expect(open.notes).toEqual([
    'No budget was read, so amounts are examples. Name one as "EUR 20,000", or send filters.budget_range.',
  ])
  expect(open.text).toContain(open.notes[0])
})

test('days of filters are not said to be no part of the answer', async () => {
  const { notes, ids } = await brief('sports, two weeks before Christmas, USD 20,000', {
    filters: { start_date: '2026-12-11', end_date: '2026-12-24' },
  })
  expect(ids.length).toBeGreaterThan(0)
  expect(notes).toEqual([])
})

test('days that are over are said to be, and no plan is made for them', async () => {
  const past = { filters: { start_date: '2025-12-01', end_date: '2025-12-20' } }
  const over = 'The days of filters (from 2025-12-01 to 2025-12-20) are over: no order can run then, and no plan is made.'
  for (const args of [past, { ...past, brief: 'sports' }]) {
    const { notes, ids, text } = await ask({ buying_mode: 'brief' in args ? 'brief' : 'wholesale', ...args })
    expect(notes).toContain(over)
    expect(ids).toEqual([])
    expect(text).toContain(over)
  }
})

test('a refined plan keeps its days and asks for no more than the budget', async () => {
  const first = await brief('USD 20,000, sports fans, two weeks before Christmas')
  const { proposal_id } = first.data.proposals[0]
  const refine = [{ scope: 'proposal', proposal_id, action: 'include', ask: 'less beta' }]
  const { data } = await ask({ buying_mode: 'refine', refine })
  expect(data.proposals[0]).toMatchObject({
    ext: { flight: { start_date: '2026-12-11', end_date: '2026-12-24' } },
    total_budget_guidance: { recommended: 20_000 },
  })
})

test('a plan that is finalized holds inventory where its days are known, and says what is firm where they are not', async () => {
  const finalize = async (proposal_id: string, filters?: object) => {
    const refine = [{ scope: 'proposal', proposal_id, action: 'finalize' }]
    const { data } = await ask({ buying_mode: 'refine', refine, ...(filters && { filters }) })
    return { ...data.refinement_applied[0], proposal: data.proposals?.[0] }
  }
  const held = async () => (await agent.server.store.read.selectFrom('inventory_holds').selectAll().execute()).length
  const undated = await brief('sports fans, USD 20,000')
  const open = await finalize(undated.data.proposals[0].proposal_id)
  expect(open.notes).toMatch(/^prices firm until \S+; inventory is not held, because no days are known: /)
  expect(await held()).toBe(0)

  const dated = await brief('USD 20,000, sports fans, two weeks before Christmas')
  const firm = await finalize(dated.data.proposals[0].proposal_id)
  expect(firm.notes).toMatch(
    /^prices firm until \S+; inventory held from 2026-12-11 to 2026-12-24 for 20000 USD; cancelling is free$/,
  )
  expect(await held()).toBeGreaterThan(0)
  const order = (budget: number, more: object) =>
    agent.create({
      start_time: '2026-12-11T00:00:00Z',
      end_time: '2026-12-25T00:00:00Z',
      packages: undefined,
      total_budget: { amount: budget, currency: 'USD' },
      ...more,
    })
  expect((await order(20_000, { proposal_id: firm.proposal.proposal_id })).isError).toBeFalsy()
  expect(await held()).toBe(0)

  const spring = await brief('USD 20,000, sports fans, from 1 March to 15 April')
  const { proposal_id } = spring.data.proposals[0]
  const other = await finalize(proposal_id, { start_date: '2026-12-11', end_date: '2026-12-24' })
  expect(other.status).toBe('unable')
})
