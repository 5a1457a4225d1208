import { expect, it } from 'vitest'
import { importReports } from '../../src/operator/ad-servers/sync-orders.ts'
import { adoptOrder } from '../../src/operator/adopted-orders/adopt-order.ts'
import { listShortfalls } from '../../src/operator/make-goods/list-shortfalls.ts'
import { offerCredit } from '../../src/operator/make-goods/offer-make-good.ts'
import { setOrderTerms } from '../../src/operator/order-terms/order-terms.ts'
import { productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { createMemoryAdServer } from '../support/memory-ad-server.ts'
import { acting, operatorBeside, performAs } from '../support/operator.ts'
import { countsThere, lineThere, ordersThere } from '../support/orders-there.ts'

it('a day of a price by the day that was not charged is no part of what a make-good gives back', async () => {
  let now = new Date('2026-03-02T12:00:00.000Z')
  const there = ordersThere()
  const flight = { startsAt: '2026-03-01T00:00:00.000Z', endsAt: '2026-03-11T00:00:00.000Z' }
  const [half, whole] = ['half', 'whole'].map((id) =>
    lineThere(id, { ...flight, costType: 'CPD', rateMicros: 100_000_000, goal: { unit: 'IMPRESSIONS', units: 1_000 } }),
  )
  if (!half || !whole) throw new Error('no lines')
  there.orders.set('77', { id: '77', name: 'Spring', advertiser: 'Volta AB', lines: [half, whole] })
  // Nothing was shown on the tenth day.
  for (let day = 1; day <= 9; day += 1) {
    const period = `2026-03-0${day}`
    there.counts.push(countsThere('half', period, 50), countsThere('whole', period, 100))
  }
  const server = createMemoryAdServer(there.calls)
  const agent = await startMediaBuyAgent([productDocument('news')], {
    clock: () => now,
    backend: { backend: server.backend, drift: 'leave' },
    reconciler: { timing: { everyMs: 3_600_000 } },
  })
  try {
    const beside = operatorBeside(agent, () => now)
    const operator = { ...beside, services: { ...beside.services, adServers: async () => agent.server.services.adServers } }
    const { order } = await performAs(operator, agent.tenant, adoptOrder, { name: 'memory', there: '77' })
    now = new Date('2026-03-13T12:00:00.000Z')
    await importReports(acting(operator, agent.tenant), {
      ...{ tenantId: agent.tenant, mediaBuyId: order.order_id, since: '2026-03-01' },
    })
    const proposed = async () =>
      (await performAs(operator, agent.tenant, listShortfalls, {})).items.map((each) => [
        each.line_id,
        each.missing,
        each.proposed.map(({ amount }) => amount),
      ])
    // Nine days were charged, 900, of which 450 of 1,000 are worth 450; the other line showed on each of its nine days what is sold for a day.
    expect((await proposed()).toSorted()).toEqual([
      ['half', 0.55, [450]],
      ['whole', 0.1, []],
    ])
    await performAs(operator, agent.tenant, setOrderTerms, { order: order.order_id, discount_basis_points: 1000 })
    expect((await proposed()).toSorted()[0]).toEqual(['half', 0.55, [405]])
    const credit = { order: order.order_id, line: 'half', reason: 'half was shown' }
    expect(await performAs(operator, agent.tenant, offerCredit, credit)).toMatchObject({ state: 'accepted', amount: 405 })
  } finally {
    await agent.stop()
  }
})
