import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { a2aClient } from '../support/a2a-client.ts'
import { LINES, type ReleaseAgent, SUITE_ACCOUNT, startReleaseAgent } from '../support/release-agent.ts'

let agent: ReleaseAgent
beforeAll(async () => {
  agent = await startReleaseAgent()
})
afterAll(() => agent.stop())

const order = (start_time: string, end_time: string) => ({
  account: SUITE_ACCOUNT,
  brand: SUITE_ACCOUNT.brand,
  start_time,
  end_time,
  packages: [{ product_id: 'test-product', pricing_option_id: 'test-pricing', budget: 1000 }],
})
const delivered = async (line: string, id: string) => {
  const { data } = await agent.ask(line, 'get_media_buy_delivery', { account: SUITE_ACCOUNT, media_buy_ids: [id] })
  return data.media_buy_deliveries[0]
}

describe.each(LINES)('delivery under AdCP %s', (line) => {
  test('shows the newest reach and attention, which do not add up', async () => {
    const { data } = await agent.ask(line, 'create_media_buy', order('asap', '2026-06-30T00:00:00Z'))
    const id = data.media_buy_id
    const audience = {
      reach: 4000,
      frequency: 2.5,
      reach_window: { kind: 'rolling', period: { interval: 7, unit: 'days' } },
      viewability: {
        measurable_impressions: 9000,
        viewable_impressions: 7200,
        viewable_rate: 0.8,
        viewed_seconds: 4.3,
        standard: 'mrc',
      },
    }
    await agent.control('simulate_delivery', { media_buy_id: id, impressions: 5000, reach: 3000, frequency: 1.5 })
    const { simulated, cumulative } = await agent.control('simulate_delivery', {
      media_buy_id: id,
      impressions: 5000,
      ...audience,
    })
    expect(simulated).toMatchObject(audience)
    expect(cumulative).toMatchObject({ impressions: 10_000, reach: 4000 })
    const row = await delivered(line, id)
    expect(row).toMatchObject({ is_final: false, totals: audience, by_package: [{ ...audience, is_final: false }] })
    expect(row.finalized_at).toBeUndefined()
  })

  test('is final when its flight is over', async () => {
    await agent.control('seed_media_buy', {
      media_buy_id: `ended-${line}`,
      fixture: { start_time: '2026-01-01T00:00:00Z', end_time: '2026-02-01T00:00:00Z' },
    })
    const row = await delivered(line, `ended-${line}`)
    expect(row).toMatchObject({ is_final: true, finalized_at: expect.stringMatching(/^2026-/) })
    expect(row.by_package[0].finalized_at).toBe(row.finalized_at)
  })

  test('figures that no release could show are refused', async () => {
    const { data } = await agent.ask(line, 'create_media_buy', order('asap', '2026-06-30T00:00:00Z'))
    const { data: refused } = await agent.ask('3.0', 'comply_test_controller', {
      scenario: 'simulate_delivery',
      params: { media_buy_id: data.media_buy_id, viewability: { viewable_rate: 7 } },
    })
    expect(refused).toMatchObject({ success: false, error: 'INVALID_PARAMS' })
  })

  test('submitted work over A2A names its task in the data part, and in the metadata before 3.2', async () => {
    await agent.control('force_create_media_buy_arm', { arm: 'submitted', task_id: `task_${line}` })
    const args = { adcp_version: line, idempotency_key: `release-a2a-${line}-0001`, ...order('asap', '2026-06-30T00:00:00Z') }
    const { data, raw } = await a2aClient(agent.url, agent.key).call('create_media_buy', args)
    expect(data).toMatchObject({ status: 'submitted', task_id: `task_${line}` })
    const named = JSON.stringify(raw).includes(`"adcp_task_id":"task_${line}"`)
    expect(named).toBe(line !== '3.2')
  })
})
