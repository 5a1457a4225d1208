import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LINES, type ReleaseAgent, SUITE_ACCOUNT, startReleaseAgent } from '../support/release-agent.ts'

let agent: ReleaseAgent
beforeAll(async () => {
  agent = await startReleaseAgent()
})
afterAll(() => agent.stop())

describe.each(LINES.filter((line) => line !== '3.0'))('values that AdCP %s has and 3.0 has not', (line) => {
  test('fields of products: what a product has of them is listed', async () => {
    const { data } = await agent.ask(line, 'get_products', {
      buying_mode: 'wholesale',
      fields: ['product_id', 'channels', 'format_options', 'video_placement_types'],
    })
    expect(data.products.length).toBeGreaterThan(0)
    expect(data.products[0]).toMatchObject({ product_id: expect.any(String), channels: expect.any(Array) })
    expect(data.products[0].placements).toBeUndefined()
  })

  test('types of events', async () => {
    await agent.ask(line, 'sync_event_sources', {
      account: SUITE_ACCOUNT,
      event_sources: [{ event_source_id: `channel_${line.replace('.', '_')}`, name: 'Channel' }],
    })
    const events = ['follow', 'watch_milestone'].map((event_type) => ({
      event_id: `${event_type}-${line}`,
      event_type,
      event_time: '2026-03-16T11:00:00Z',
      action_source: 'website',
      event_source_url: 'https://brand.example/channel',
      custom_data: { progress_percent: 50 },
    }))
    const { data } = await agent.ask(line, 'log_event', {
      account: SUITE_ACCOUNT,
      event_source_id: `channel_${line.replace('.', '_')}`,
      events,
    })
    expect(data).toMatchObject({ events_received: 2, events_processed: 2 })
  })

  test('a field that no release has is refused', async () => {
    const { data } = await agent.ask(line, 'get_products', { buying_mode: 'wholesale', fields: ['product_id', 'colour'] })
    expect(data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'fields[1]' })
  })
})
