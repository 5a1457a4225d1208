import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BuyerDataAgent, startBuyerDataAgent } from '../../support/buyer-data-agent.ts'

let agent: BuyerDataAgent

beforeAll(async () => {
  agent = await startBuyerDataAgent()
})
afterAll(() => agent.stop())

const sync = (sources: readonly object[], more: object = {}) =>
  agent.run('sync_event_sources', { event_sources: sources, ...more })

describe('sync_event_sources', () => {
  it('declares a source, tells how to use it, and upserts by the id of the buyer', async () => {
    const web = { event_source_id: 'web', name: 'Web', event_types: ['purchase', 'lead'], allowed_domains: ['brand.example'] }
    const { data } = await sync([web])
    expect(data.event_sources).toMatchObject([
      {
        event_source_id: 'web',
        name: 'Web',
        event_types: ['purchase', 'lead'],
        managed_by: 'buyer',
        action: 'created',
        setup: { snippet_type: 'server_only', snippet: expect.stringContaining('"event_source_id":"web"') },
        health: { status: 'insufficient', events_received_24h: 0 },
      },
    ])
    const [again] = (await sync([web])).data.event_sources
    expect(again).toMatchObject({ action: 'unchanged', seller_id: data.event_sources[0].seller_id })
    expect((await sync([{ ...web, event_types: ['purchase'] }])).data.event_sources[0]).toMatchObject({ action: 'updated' })
  })

  it('shows every source of the account with each sync, and deletes what a full one leaves out', async () => {
    const { data } = await sync([{ event_source_id: 'app' }, { event_source_id: 'app' }])
    const rows = data.event_sources.map((row: { event_source_id: string; action: string }) => [row.event_source_id, row.action])
    expect(rows).toEqual([
      ['app', 'created'],
      ['app', 'failed'],
      ['web', 'unchanged'],
    ])
    const full = await sync([{ event_source_id: 'app' }], { delete_missing: true })
    expect(full.data.event_sources).toMatchObject([{ action: 'unchanged' }, { event_source_id: 'web', action: 'deleted' }])
    expect((await agent.run('sync_event_sources')).data.event_sources).toHaveLength(1)
    const empty = await agent.run('sync_event_sources', { delete_missing: true })
    expect(empty.data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'event_sources' })
  })
})
