import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LINES, type ReleaseAgent, SUITE_ACCOUNT, startReleaseAgent } from '../../support/release-agent.ts'

let agent: ReleaseAgent
beforeAll(async () => {
  agent = await startReleaseAgent()
})
afterAll(() => agent.stop())

const PACKAGE = { product_id: 'sports_preroll_q2', pricing_option_id: 'cpm_guaranteed', budget: 5000 }

async function bought(line: string, more: object = {}): Promise<string> {
  const { data } = await agent.ask(line, 'create_media_buy', {
    account: SUITE_ACCOUNT,
    brand: SUITE_ACCOUNT.brand,
    start_time: 'asap',
    end_time: '2026-06-01T00:00:00Z',
    packages: [{ ...PACKAGE, ...more }],
  })
  expect(data.adcp_error).toBeUndefined()
  return data.media_buy_id
}

describe.each(LINES.filter((line) => line !== '3.0'))('delivery under AdCP %s', (line) => {
  test('is cut into windows that follow each other, and other windows are refused', async () => {
    const media_buy_ids = [await bought(line)]
    await agent.control('simulate_delivery', { media_buy_id: media_buy_ids[0], impressions: 900, clicks: 3 })
    const ask = (more: object) => agent.ask(line, 'get_media_buy_delivery', { account: SUITE_ACCOUNT, media_buy_ids, ...more })
    const days = { start_date: '2026-03-15', end_date: '2026-03-18' }
    const { data } = await ask({ ...days, time_granularity: 'daily', include_window_breakdown: true })
    const [{ windows, by_package }] = data.media_buy_deliveries
    expect(windows.map((each: { window_start: string }) => each.window_start.slice(0, 10))).toEqual([
      '2026-03-15',
      '2026-03-16',
      '2026-03-17',
    ])
    expect(windows[0].window_end).toBe(windows[1].window_start)
    expect(windows[1]).toMatchObject({
      totals: { impressions: 900, clicks: 3 },
      by_package: [{ package_id: by_package[0].package_id, impressions: 900 }],
      is_final: false,
    })
    const { data: months } = await ask({
      start_date: '2026-02-10',
      end_date: '2026-04-02',
      time_granularity: 'monthly',
      include_window_breakdown: true,
    })
    expect(months.media_buy_deliveries[0].windows.map((each: { window_end: string }) => each.window_end.slice(0, 10))).toEqual([
      '2026-03-01',
      '2026-04-01',
      '2026-04-02',
    ])
    const { data: plain } = await ask({ ...days, time_granularity: 'daily' })
    expect(plain.media_buy_deliveries[0].windows).toBeUndefined()
    const { data: hourly } = await ask({ ...days, time_granularity: 'hourly' })
    expect(hourly.adcp_error).toMatchObject({
      code: 'UNSUPPORTED_GRANULARITY',
      recovery: 'correctable',
      field: 'time_granularity',
    })
  })

  test('says which promised metrics it lacks', async () => {
    const metrics = ['clicks', 'completed_views'].map((metric_id) => ({ scope: 'standard', metric_id }))
    const id = await bought(line, { committed_metrics: metrics })
    const missing = async () => {
      const { data } = await agent.ask(line, 'get_media_buy_delivery', { account: SUITE_ACCOUNT, media_buy_ids: [id] })
      return data.media_buy_deliveries[0].by_package[0].missing_metrics
    }
    expect(await missing()).toBeUndefined()
    await agent.control('simulate_delivery', { media_buy_id: id, impressions: 900, clicks: 3 })
    expect(await missing()).toEqual([{ scope: 'standard', metric_id: 'completed_views' }])
  })
})

test.each(LINES)('the same day twice under AdCP %s is that day, or, where the end has to be later, no period', async (line) => {
  const ask = (start_date: string, end_date: string) =>
    agent.ask(line, 'get_media_buy_delivery', { account: SUITE_ACCOUNT, start_date, end_date })
  const { data } = await ask('2026-03-15', '2026-03-15')
  if (line === '3.2') {
    expect(data.adcp_error).toMatchObject({ code: 'VALIDATION_ERROR', field: 'start_date', recovery: 'correctable' })
    expect(data.errors).toMatchObject([{ code: 'VALIDATION_ERROR', field: 'start_date' }])
  } else expect(data.reporting_period).toMatchObject({ start: expect.stringContaining('2026-03-15') })
  expect((await ask('2026-03-15', '2026-03-16')).data.reporting_period).toMatchObject({
    ...{ start: '2026-03-15T00:00:00.000Z', end: '2026-03-16T00:00:00.000Z' },
  })
})
