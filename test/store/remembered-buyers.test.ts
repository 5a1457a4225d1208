import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { findOrOpenAccount } from '../../src/store/account/account-references.ts'
import { rememberedBuyers } from '../../src/store/account/remembered-buyers.ts'
import { setAccountStatus } from '../../src/store/account/tenant-accounts.ts'
import { addTenant } from '../../src/store/identity/tenants.ts'
import { openSqlite, type SqliteStore } from '../../src/store/sqlite/sqlite.ts'

const folder = mkdtempSync(join(tmpdir(), 'sales-agent-store-'))
const now = new Date('2026-01-01T00:00:00Z')
const buyer = { tenantId: 't', principalId: 'p', sandbox: true, conformance: true }
const reference = { brand: { domain: 'brand.example' }, operator: 'agency.example' }
/** Two processes. */
let stores: readonly [SqliteStore, SqliteStore]

beforeAll(async () => {
  const file = join(folder, 'store.sqlite')
  stores = [await openSqlite(file), await openSqlite(file)]
  await stores[0].transaction((tx) => addTenant(tx, { tenantId: 't', name: 't', domain: 't.example' }, now))
})
afterAll(async () => {
  for (const store of stores) await store.close()
  rmSync(folder, { recursive: true, force: true })
})

it('asks once for those that call together, and again for a change by another process', async () => {
  const [store, other] = stores
  const buyers = rememberedBuyers(store)
  expect(await buyers.account(buyer, reference)).toBeUndefined()
  await other.transaction((tx) => findOrOpenAccount(tx, buyer, reference, now))
  const reads = vi.spyOn(store.read, 'executeQuery')
  const spelt = { operator: 'AGENCY.example', brand: { domain: 'brand.example' } }
  const found = await Promise.all([
    buyers.account(buyer, reference),
    buyers.account(buyer, spelt),
    buyers.account(buyer, reference),
  ])
  expect(found.map((account) => account?.status)).toEqual(['active', 'active', 'active'])
  expect(reads).toHaveBeenCalledTimes(1)
  const [account] = found
  const stranger = { ...buyer, principalId: 'q', sandbox: false }
  expect(await buyers.account(stranger, reference)).toBeUndefined()
  await other.transaction((tx) => setAccountStatus(tx, 't', account?.accountId ?? '', 'suspended', now))
  expect((await buyers.account(buyer, reference))?.status).toBe('suspended')
})
