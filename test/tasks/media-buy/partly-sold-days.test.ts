import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadContracts } from '../../../src/protocol/contracts.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'
import { LINES } from '../../support/release-agent.ts'

const WEEKENDS = { daypart_targets: [{ days: ['saturday', 'sunday'], start_hour: 0, end_hour: 24 }] }
const CPM = 10
const SHORT = '2026-04-04, 2026-04-05'

describe.skipIf(!LINES.includes('3.2'))('a plan over days of which some are sold', () => {
  let agent: MediaBuyAgent
  beforeAll(async () => {
    const selling = { daily_capacity: 100_000, keywords: ['sports'], approval: 'automatic' as const }
    agent = await startMediaBuyAgent([productDocument('alpha', { delivery_type: 'guaranteed' }, selling)], {
      contracts: loadContracts(),
    })
    // 4 April 2026 is a Saturday: 80,000 of its 100,000 are sold, and of those of the Sunday.
    const weekend = { start_time: '2026-04-04T00:00:00Z', end_time: '2026-04-06T00:00:00Z' }
    const sold = [{ product_id: 'alpha', pricing_option_id: 'cpm', budget: 160 * CPM }]
    expect((await agent.create({ ...weekend, packages: sold })).isError).toBe(false)
  }, 120_000)
  afterAll(() => agent?.stop())

  const ask = (task: string, args: object) =>
    agent.buyer.call(task, { adcp_version: '3.2', idempotency_key: randomUUID(), ...args }).then(({ data }) => data)
  const requested = (budget: number, [start_date, end_date]: readonly string[], overlay?: object) =>
    ask('request_proposals', {
      account: ACCOUNT,
      brief: `sports, USD ${budget}`,
      criteria: {
        offer_filters: { start_date, end_date },
        product_ids: ['alpha'],
        ...(overlay && { targeting_overlay: overlay }),
      },
    })

  test.each([
    ['two weeks', 9_000, undefined, 14],
    ['the weekends of two weeks', 3_000, WEEKENDS, 4],
  ])(
    '%s: the amount that fits, the days that are short, and the plan is bought for that',
    async (_name, budget, overlay, days) => {
      const { proposals, ext } = await requested(budget, ['2026-04-01', '2026-04-14'], overlay)
      const [{ proposal_id, commercial_terms: terms }] = proposals
      const { amount } = terms.total_budget
      // 20,000 on each day is what the shortest ones have.
      expect(amount).toBeGreaterThan(20 * CPM * days * 0.99)
      expect(amount).toBeLessThanOrEqual(20 * CPM * days)
      expect(ext.notes.join('\n')).toContain(
        `at most ${amount} USD of it can be bought, since it is spread evenly over its days and too little is left on ${SHORT}; the plan is made for that`,
      )
      const { results } = await ask('refine_proposals', { refinements: [{ proposal_id, action: 'finalize' }] })
      const { proposal_id: firm, terms_digest: digest } = results[0].proposal
      const bought = await ask('accept_proposal', { account: ACCOUNT, proposal_id: firm, proposal_terms_digest: digest })
      expect(bought.status).toBe('completed')
      await agent.run('update_media_buy', { media_buy_id: bought.media_buy_id, canceled: true })
    },
  )

  test('where all days are short no day is named as the reason', async () => {
    const { ext } = await requested(9_000, ['2026-04-04', '2026-04-05'])
    expect(ext.notes.join('\n')).not.toContain('spread evenly')
  })

  test('where nothing fits the refusal names the days, and others are still had', async () => {
    const full = { start_time: '2026-04-04T00:00:00Z', end_time: '2026-04-06T00:00:00Z' }
    const rest = [{ product_id: 'alpha', pricing_option_id: 'cpm', budget: 40 * CPM }]
    const { data } = await agent.create({ ...full, packages: rest })
    const refused = await requested(9_000, ['2026-04-01', '2026-04-14'])
    expect(refused.reason).toContain(
      `nothing of it can be bought, since it is spread evenly over its days and too little is left on ${SHORT}`,
    )
    expect((await requested(5_000, ['2026-04-06', '2026-04-14'])).outcome).toBe('proposed')
    await agent.run('update_media_buy', { media_buy_id: data.media_buy_id, canceled: true })
  })
})
