import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { SqliteConnection } from '../../../src/store/sqlite/sqlite-connection.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

let agent: MediaBuyAgent

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')], { flags: { 'adServer.type': 'embedded' } })
})
afterAll(() => agent?.stop())

it('an order of a reconciled ad server is written by one row a table', async () => {
  const read = agent.server.store.read
  await agent.create()
  const statements = vi.spyOn(SqliteConnection.prototype, 'executeQuery')
  const { data } = await agent.create()
  const written = statements.mock.calls.flatMap(([{ sql }]) => /^insert into "?(\w+)/.exec(sql)?.[1] ?? [])
  statements.mockRestore()
  // The reconciler works beside the call: tables that it may write are left out.
  const ofOrder = /^(?:media_buys|packages|ad_server_orders|account_change_entries|audit_entries|delivery_totals|idempotency)$/
  expect(written.filter((table) => ofOrder.test(table)).sort()).toEqual([
    'account_change_entries',
    'ad_server_orders',
    'audit_entries',
    'idempotency',
    'media_buys',
    'packages',
  ])
  const row = await read
    .selectFrom('media_buys')
    .select('delivery_source')
    .where('media_buy_id', '=', String(data.media_buy_id))
    .executeTakeFirstOrThrow()
  expect(row.delivery_source).toBe('ledger')
})
