import { afterAll, beforeAll, expect, test } from 'vitest'
import { operatorOn } from '../../../src/compose/operator.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'
import { setTenant } from '../../support/operator.ts'

// 2 March 2026 is a Monday; a product shows 90,000 a day at 10 USD.
const [MONDAY, SATURDAY, MONDAY_AFTER] = ['2026-03-02T00:00:00Z', '2026-03-07T00:00:00Z', '2026-03-09T00:00:00Z']
const WEEKEND = [{ days: ['saturday', 'sunday'], start_hour: 0, end_hour: 24 }]
const SUNDAY_NIGHT = [{ days: ['sunday'], start_hour: 2, end_hour: 3 }]

let agent: MediaBuyAgent
beforeAll(async () => {
  agent = await startMediaBuyAgent([
    productDocument('news', { delivery_type: 'guaranteed' }, { daily_capacity: 90_000 }),
    ...['weekend', 'months', 'year', 'changed', 'hours'].map((id) =>
      productDocument(id, { delivery_type: 'guaranteed' }, { daily_capacity: 90_000 }),
    ),
    productDocument('auction', {
      ...{ delivery_type: 'non_guaranteed' },
      pricing_options: [{ pricing_option_id: 'cpm', pricing_model: 'cpm', currency: 'USD', fixed_price: 10 }],
    }),
  ])
})
afterAll(() => agent.stop())

const order = (
  product: string,
  budget: number,
  daypart_targets: object[],
  [start_time, end_time]: [string, string] = [MONDAY, MONDAY_AFTER],
) =>
  agent.create({
    ...{ start_time, end_time },
    packages: [{ product_id: product, pricing_option_id: 'cpm', budget, targeting_overlay: { daypart_targets } }],
  })

test.each(['news', 'auction'])('hours that the flight of %s does not have are refused', async (product) => {
  const { data } = await order(product, 100, SUNDAY_NIGHT, [MONDAY, SATURDAY])
  expect(data.adcp_error).toMatchObject({
    ...{ code: 'VALIDATION_ERROR', field: 'packages[0].targeting_overlay.daypart_targets' },
    message: expect.stringContaining('leaves no hour of the flight of the package, 2026-03-02T00:00:00.000Z to 2026-03-07'),
  })
})

test('a guaranteed package has no more than its hours have, and is told how much that is', async () => {
  // Two whole days have 180,000 impressions, an hour an eighth of a day.
  expect((await order('news', 1_900, WEEKEND)).data.adcp_error).toMatchObject({
    ...{ code: 'PRODUCT_UNAVAILABLE', field: 'packages[0].targeting_overlay.daypart_targets' },
    details: { requested_impressions: 190_000, fitting_impressions: 180_000, fitting_budget: 1_800 },
  })
  expect((await order('news', 120, SUNDAY_NIGHT)).data.adcp_error).toMatchObject({ details: { fitting_impressions: 11_000 } })
  expect((await order('news', 1_800, WEEKEND)).isError).toBe(false)
  expect((await order('auction', 1_900, WEEKEND)).isError).toBe(false)
})

test('nor after a change of its hours, its budget or its flight', async () => {
  const { data } = await order('changed', 300, WEEKEND)
  const change = async (members: object) =>
    (await agent.run('update_media_buy', { media_buy_id: data.media_buy_id, ...members })).data.adcp_error
  const pkg = (members: object) => change({ packages: [{ package_id: data.packages[0].package_id, ...members }] })
  expect(await pkg({ targeting_overlay: { daypart_targets: SUNDAY_NIGHT } })).toMatchObject({
    ...{ code: 'PRODUCT_UNAVAILABLE', field: 'packages[0].targeting_overlay.daypart_targets' },
  })
  expect(await change({ end_time: SATURDAY })).toMatchObject({ code: 'VALIDATION_ERROR' })
  expect(await pkg({ budget: 1_900 })).toMatchObject({ code: 'PRODUCT_UNAVAILABLE' })
  expect(await pkg({ budget: 310 })).toBeUndefined()
})

/** The order of a product of its own, so that nothing else is in its way. */
const held = async (product: string, budget: number, days: readonly string[], flight?: [string, string]) => {
  const { data } = await order(product, budget, [{ days, start_hour: 0, end_hour: 24 }], flight)
  return data.adcp_error ?? data
}
const WORKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday']

test('one weekend is sold once, and its weekdays stay on sale', async () => {
  expect(await held('weekend', 1_200, ['saturday', 'sunday'])).toHaveProperty('media_buy_id')
  // Another 60,000 are wanted of each day, and 30,000 are left.
  expect(await held('weekend', 1_200, ['saturday', 'sunday'])).toMatchObject({
    code: 'PRODUCT_UNAVAILABLE',
    message: expect.stringContaining('all its hours in the flight have 60000 left together'),
    details: { requested_impressions: 120_000, short_days: ['2026-03-07', '2026-03-08'], available_impressions: 60_000 },
  })
  expect(await held('weekend', 500, ['saturday', 'sunday'])).toHaveProperty('media_buy_id')
  expect(await held('weekend', 4_500, WORKDAYS)).toHaveProperty('media_buy_id')
  expect(await held('weekend', 10, WORKDAYS)).toMatchObject({ code: 'PRODUCT_UNAVAILABLE' })
})

test('an order of two months holds its own days of the week, and gives them back', async () => {
  const flight: [string, string] = [MONDAY, '2026-05-04T00:00:00Z']
  const order = await held('months', 16_200, ['saturday', 'sunday'], flight)
  expect(await held('months', 100, ['sunday'])).toMatchObject({ details: { short_days: ['2026-03-08'] } })
  expect(await held('months', 40_000, WORKDAYS, flight)).toHaveProperty('media_buy_id')
  const { data } = await agent.run('update_media_buy', {
    media_buy_id: order.media_buy_id,
    canceled: true,
  })
  expect(data.adcp_error).toBeUndefined()
  expect(await held('months', 100, ['sunday'])).toHaveProperty('media_buy_id')
})

test('weekends of more than a year are ordered in parts', async () => {
  const flight: [string, string] = [MONDAY, '2027-06-01T00:00:00Z']
  expect(await held('year', 100, ['sunday'], flight)).toMatchObject({
    code: 'VALIDATION_ERROR',
    message: expect.stringContaining('runs 366 days at most'),
  })
  expect(await held('year', 100, [...WORKDAYS, 'saturday', 'sunday'], flight)).toHaveProperty('media_buy_id')
})

test('what orders hold of one day is added up by the day, whatever their hours (DIVERGENCES, "Hours of a day")', async () => {
  const noon = [{ days: ['tuesday'], start_hour: 12, end_hour: 15 }]
  const night = [{ days: ['tuesday'], start_hour: 0, end_hour: 3 }]
  // Three eighths of the 90,000 of a day are 33,750.
  expect((await order('hours', 340, noon)).data.adcp_error).toMatchObject({ details: { requested_impressions: 34_000 } })
  expect((await order('hours', 330, noon)).isError).toBe(false)
  expect((await order('hours', 330, noon)).isError).toBe(false)
  expect((await order('hours', 330, night)).data.adcp_error).toMatchObject({ details: { short_days: ['2026-03-03'] } })
  expect((await order('hours', 230, night)).isError).toBe(false)
})

test('hours are those of the time zone of the publisher', async () => {
  const late = [{ days: ['monday'], start_hour: 0, end_hour: 1 }]
  const flight: [string, string] = ['2026-03-08T22:00:00Z', '2026-03-08T23:59:00Z']
  expect((await order('changed', 10, late, flight)).data.adcp_error).toMatchObject({ code: 'VALIDATION_ERROR' })
  await setTenant(operatorOn(agent.server.store, agent.config), agent.tenant, { timeZone: 'Europe/Berlin' })
  expect((await order('changed', 10, late, flight)).isError).toBe(false)
})
