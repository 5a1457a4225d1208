import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { storePath } from '../../src/store/open.ts'
import { sqliteDriver } from '../../src/store/sqlite/choose-sqlite-driver.ts'
import { DEMO_ACCOUNT, startAgent } from '../support/start-agent.ts'

const data = mkdtempSync(join(tmpdir(), 'older-store-'))
afterAll(() => rmSync(data, { recursive: true, force: true }))

const start = () => startAgent({ demo: true, flags: { data } })
const DECLARATION = {
  idempotency_key: 'older-store-declaration',
  accounts: [{ brand: { domain: 'brand.example' }, operator: 'agency.example', billing: 'operator' }],
}
const AUDIENCES = {
  idempotency_key: 'older-store-audiences',
  account: DEMO_ACCOUNT,
  audiences: [{ audience_id: 'a', name: 'A' }],
}

/** Turns a store into one that the last migrations have not seen: keys were of an account, and principals chose no form of text. */
function makeOlder(): void {
  const store = sqliteDriver().open(storePath(data))
  try {
    store.exec(`update idempotency set account_id = 'acc_1' where idempotency_key = '${AUDIENCES.idempotency_key}'`)
    // A key of another account with the same name: one of the two answers stays.
    store.exec(`insert into idempotency (tenant_id, principal_id, account_id, idempotency_key, request_hash, claim, lease_until, response, expires_at, forget_at)
      select tenant_id, principal_id, 'acc_2', idempotency_key, request_hash, claim, lease_until, response, expires_at, forget_at
      from idempotency where account_id = 'acc_1'`)
    store.exec('alter table principals drop column text_form')
    // Approvals named their order in their summary alone.
    for (const [id, summary] of [
      ['t1', '{"media_buy_id":"mb_1"}'],
      ['t2', '{"name":"no order"}'],
    ])
      store.exec(`insert into approvals (tenant_id, task_id, principal_id, account_id, task_type, state, reason, summary, document, conditions, reminded, due_at, expires_at, created_at, revision)
        select tenant_id, '${id}', principal_id, '', 'update_media_buy', 'waiting', '', '${summary}', '{}', '[]', 0, '9999-01-01T00:00:00.000Z', '9999-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', 1
        from principals limit 1`)
    store.exec('drop index approvals_of_order')
    store.exec('alter table approvals drop column media_buy_id')
    store.exec("delete from kysely_migration where name in ('0113-keys-of-agents', '0114-text-form', '1000-orders-of-approvals')")
  } finally {
    store.close()
  }
}

it('a store from before idempotency keys were of the agent keeps its keys and its answers', async () => {
  const before = await start()
  const { key } = before
  const declared = await before.buyer.call('sync_accounts', DECLARATION)
  const synced = await before.buyer.call('sync_audiences', AUDIENCES)
  expect(declared.isError || synced.isError, JSON.stringify(synced.data)).toBe(false)
  await before.stop()
  makeOlder()

  const after = await start()
  try {
    const buyer = after.client(key)
    const again = await buyer.call('sync_audiences', AUDIENCES)
    expect(again.data).toEqual({ ...synced.data, replayed: true })
    expect((await buyer.call('sync_accounts', DECLARATION)).data).toEqual({ ...declared.data, replayed: true })
    const other = await buyer.call('sync_audiences', { ...AUDIENCES, audiences: [{ audience_id: 'b', name: 'B' }] })
    expect(other.data.adcp_error.code).toBe('IDEMPOTENCY_CONFLICT')
    const forms = await after.server.store.read.selectFrom('principals').select('text_form').distinct().execute()
    expect(forms).toEqual([{ text_form: 'summary' }])
    const orders = await after.server.store.read
      .selectFrom('approvals')
      .select(['task_id', 'media_buy_id'])
      .orderBy('task_id')
      .execute()
    expect(orders).toEqual([
      { task_id: 't1', media_buy_id: 'mb_1' },
      { task_id: 't2', media_buy_id: null },
    ])
  } finally {
    await after.stop()
  }
})
