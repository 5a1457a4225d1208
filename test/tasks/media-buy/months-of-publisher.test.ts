import { afterAll, beforeAll, expect, it } from 'vitest'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'
import { operatorBeside, setTenant } from '../../support/operator.ts'

const monthly = productDocument('monthly', {
  format_ids: [],
  pricing_options: [
    {
      ...{ pricing_option_id: 'month', pricing_model: 'time' as const, currency: 'SEK', fixed_price: 10_000 },
      parameters: { time_unit: 'month', max_duration: 2 },
    },
  ],
} as object)

let agent: MediaBuyAgent
beforeAll(async () => {
  agent = await startMediaBuyAgent([monthly])
  await setTenant(operatorBeside(agent, agent.server.clock), agent.tenant, { timeZone: 'Europe/Stockholm' })
  agent.setClock('2026-02-20T12:00:00Z')
})
afterAll(() => agent.stop())

it('a month of the publisher costs one month, and one day more the next; also when dates change', async () => {
  const packages = [{ product_id: 'monthly', pricing_option_id: 'month', budget: 10_000 }]
  const march = { start_time: '2026-03-01T00:00:00+01:00', end_time: '2026-04-01T00:00:00+02:00' }
  const { data, isError } = await agent.create({ packages, ...march })
  expect(isError, JSON.stringify(data)).toBe(false)
  const longer = await agent.create({ packages, ...march, end_time: '2026-04-02T00:00:00+02:00' })
  expect(longer.data.errors[0]).toMatchObject({ code: 'BUDGET_TOO_LOW', details: { minimum_budget: 20_000 } })
  const update = (change: object) =>
    agent.run('update_media_buy', { media_buy_id: data.media_buy_id, revision: data.revision, ...change })
  const moved = await update({ end_time: '2026-04-02T00:00:00+02:00' })
  expect(moved.data.errors[0]).toMatchObject({ code: 'BUDGET_TOO_LOW', details: { minimum_budget: 20_000 } })
})
