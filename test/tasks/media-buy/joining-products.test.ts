import { afterAll, beforeAll, expect, test } from 'vitest'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

const SPONSOR = {
  ...{ name: 'Hockey sponsorship', description: 'Hockey sponsorship of the season' },
  pricing_options: [{ pricing_option_id: 'flat', pricing_model: 'flat_rate' as const, currency: 'USD', fixed_price: 6_000 }],
}

const CAPPED = { targeting: { frequency_cap: true } }

let agent: MediaBuyAgent
beforeAll(async () => {
  agent = await startMediaBuyAgent([
    productDocument('video', { name: 'Sports video', description: 'Sports video' }, CAPPED),
    productDocument('banners', { name: 'Sports banners', description: 'Sports banners' }, CAPPED),
    productDocument('sponsor', SPONSOR, { available_from: '2026-03-19', targeting: { frequency_cap: false } }),
  ])
})
afterAll(() => agent.stop())

const refined = async (brief: string, start_date: string, end_date: string) => {
  const filters = { start_date, end_date }
  const asked = { buying_mode: 'brief', brief, filters }
  const { proposals } = (await agent.buyer.call('get_products', asked)).data
  const refine = [{ scope: 'proposal', proposal_id: proposals[0].proposal_id, ask: 'add the hockey sponsorship' }]
  const { data } = await agent.buyer.call('get_products', { buying_mode: 'refine', refine })
  return { outcome: data.refinement_applied[0], proposal: data.proposals?.[0] }
}

test('a product that is not on sale on the days of a plan does not join it', async () => {
  const { outcome } = await refined('sports video and banners, USD 20,000', '2026-03-11', '2026-03-25')
  expect(outcome).toMatchObject({ status: 'unable' })
  expect(outcome.notes).toContain('sponsor is on sale from 2026-03-19, and the plan is for 2026-03-11 to 2026-03-25')
})

test('nor one that does not take the frequency cap of the plan', async () => {
  const { outcome } = await refined('sports video and banners, USD 20,000, three a day', '2026-03-20', '2026-04-02')
  expect(outcome).toMatchObject({ status: 'unable' })
  expect(outcome.notes).toContain('sponsor takes no frequency_cap, which the plan carries into its packages')
})

test('what has one price for the flight joins with the share that the price is', async () => {
  const { outcome, proposal } = await refined('sports video and banners, USD 20,000', '2026-03-20', '2026-04-02')
  expect(outcome).toMatchObject({ status: 'applied' })
  expect(outcome.notes).toContain('added sponsor with 30% of the budget')
  const shares = Object.fromEntries(
    proposal.allocations.map((each: { product_id: string; allocation_percentage: number }) => [
      each.product_id,
      each.allocation_percentage,
    ]),
  )
  expect(shares).toMatchObject({ sponsor: 30 })
  expect(shares.video + shares.banners).toBe(70)
})
