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
    store.exec("delete from kysely_migration where name in ('0113-keys-of-agents', '0114-text-form')")
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
  } finally {
    await after.stop()
  }
})
