import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadContracts } from '../../../src/protocol/contracts.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

// The product costs 10 USD, and half as much again for starts in December.
const DECEMBER = { start_date: '2026-12-07', end_date: '2026-12-20' }
const AUTUMN = { start_date: '2026-10-05', end_date: '2026-10-18' }
const flightOf = ({ start_date: start }: typeof DECEMBER) => ({
  start_time: `${start}T00:00:00Z`,
  end_time: `${start.slice(0, 8)}${String(Number(start.slice(8)) + 14).padStart(2, '0')}T00:00:00Z`,
})

let agent: MediaBuyAgent
beforeAll(async () => {
  const seasonal = (id: string) =>
    productDocument(
      id,
      { delivery_type: 'guaranteed' },
      {
        keywords: ['sports'],
        approval: 'automatic',
        seasons: [{ season_id: 'christmas', from: '2026-12-01', until: '2026-12-31', percent: 50 }],
      },
    )
  agent = await startMediaBuyAgent([seasonal('alpha'), seasonal('beta')], { contracts: loadContracts() })
})
afterAll(() => agent?.stop())

/** A plan of no days. */
async function undated(budget: number): Promise<string> {
  const { data } = await agent.buyer.call('get_products', { buying_mode: 'brief', brief: `sports, USD ${budget}` })
  return data.proposals[0].proposal_id
}

async function finalized(proposal_id: string, filters?: typeof DECEMBER) {
  const refine = [{ scope: 'proposal', proposal_id, action: 'finalize' }]
  const { data } = await agent.buyer.call('get_products', {
    ...{ buying_mode: 'refine', refine, account: ACCOUNT },
    ...(filters && { filters }),
  })
  return { proposal: data.proposals[0], outcome: data.refinement_applied[0], products: data.products }
}

async function bought(proposal_id: string, amount: number, days: typeof DECEMBER) {
  const total_budget = { amount, currency: 'USD' }
  const { data, isError } = await agent.run('create_media_buy', {
    ...{ brand: ACCOUNT.brand, proposal_id, total_budget, ...flightOf(days) },
  })
  expect(isError, JSON.stringify(data)).toBe(false)
  const { data: listed } = await agent.buyer.call('get_media_buys', { media_buy_ids: [data.media_buy_id] })
  return listed.media_buys[0].packages.map((pkg: { pricing_option_id: string; impressions?: number }) => pkg.pricing_option_id)
}

describe('a plan without days', () => {
  test.each([
    ['in a season', DECEMBER, 'cpm:season-christmas'],
    ['outside of it', AUTUMN, 'cpm'],
  ])('finalized for days %s is held and bought at their price', async (_name, days, option) => {
    const budget = 1_000 + (option === 'cpm' ? 1 : 0)
    const id = await undated(budget)
    const { proposal, outcome } = await finalized(id, days)
    expect(outcome).toMatchObject({ status: 'applied', notes: expect.stringContaining(`held from ${days.start_date}`) })
    const options = proposal.allocations.map((each: { pricing_option_id: string }) => each.pricing_option_id)
    expect(new Set(options)).toEqual(new Set([option]))
    expect(new Set(await bought(id, budget, days))).toEqual(new Set([option]))
  })

  test('finalized without days says for which starts its prices are, and an order has those of its start', async () => {
    for (const [index, [days, option]] of (
      [
        [DECEMBER, 'cpm:season-christmas'],
        [AUTUMN, 'cpm'],
      ] as const
    ).entries()) {
      const budget = 1_100 + index
      const id = await undated(budget)
      const { outcome } = await finalized(id)
      expect(outcome.notes).toMatch(/that price of alpha is of starts .*: an order that starts on other days has theirs/)
      expect(new Set(await bought(id, budget, days))).toEqual(new Set([option]))
    }
  })

  test('is delivered for the price of its season: less of it for the same money', async () => {
    const reserved = async () => {
      const rows = await agent.server.store.read.selectFrom('inventory_periods').select('reserved').execute()
      return rows.reduce((sum, row) => sum + Number(row.reserved), 0)
    }
    const taken = async (budget: number, days: typeof DECEMBER) => {
      const id = await undated(budget)
      const before = await reserved()
      await finalized(id, days)
      return (await reserved()) - before
    }
    expect(await taken(1_503, AUTUMN)).toBe(150_300)
    expect(await taken(1_500, DECEMBER)).toBe(100_000)
  })
})
