import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PrincipalRef } from '../../src/domain/identity/principal.ts'
import { newKey } from '../../src/security/auth/opaque-key.ts'
import { insertAccount, listAccounts, saveAccount } from '../../src/store/account/accounts.ts'
import { pendingMigrations, type Store } from '../../src/store/database.ts'
import { addKey, endKey, lookupKey } from '../../src/store/identity/api-keys.ts'
import { addPrincipal, setPrincipalStatus } from '../../src/store/identity/principals.ts'
import { addTenant, findPublicTenant } from '../../src/store/identity/tenants.ts'
import { claimKey, publishResponse, releaseClaim, renewClaim, sweepIdempotency } from '../../src/store/task/idempotency.ts'
import { listTasks, type TaskPosition, type TaskQuery } from '../../src/store/task/list-tasks.ts'
import { advanceTask, getTask, insertTask } from '../../src/store/task/tasks.ts'
import { accountChangesContract } from './account-changes-contract.ts'
import { approvalsContract } from './approvals-contract.ts'
import { brandsContract } from './brands-contract.ts'
import { buyerDataContract } from './buyer-data-contract.ts'
import { campaignPlansContract } from './campaign-plans-contract.ts'
import { chargesContract } from './charges-contract.ts'
import { creativeContract } from './creative-contract.ts'
import { deliverySumsContract } from './delivery-sums-contract.ts'
import { failureMemoryContract } from './failure-memory-contract.ts'
import { governanceContract } from './governance-contract.ts'
import { holdsContract } from './holds-contract.ts'
import { invoicePaymentsContract } from './invoice-payments-contract.ts'
import { leasesContract } from './leases-contract.ts'
import { listsContract } from './lists-contract.ts'
import { mediaBuyContract } from './media-buy-contract.ts'
import { orderNotesContract } from './order-notes-contract.ts'
import { ordersContract } from './orders-contract.ts'
import { placementsContract } from './placements-contract.ts'
import { productsContract } from './products-contract.ts'
import { secondFactorsContract } from './second-factors-contract.ts'
import { signalsContract } from './signals-contract.ts'

const now = new Date('2026-01-01T00:00:00.000Z')
const later = (ms: number) => new Date(now.getTime() + ms)
const times = (at = now) => ({
  now: at,
  leaseUntil: new Date(at.getTime() + 30_000),
  expiresAt: new Date(at.getTime() + 86_400_000),
  forgetAt: new Date(at.getTime() + 2 * 86_400_000),
})

/** What every storage engine must do. Run by the SQLite and the PostgreSQL tests alike. */
export function storeContract(name: string, open: () => Promise<Store>): void {
  describe(`${name}: store contract`, () => {
    let store: Store
    const owner = { tenantId: 'acme', principalId: 'buyer' }

    beforeAll(async () => {
      store = await open()
      await store.transaction(async (tx) => {
        await addTenant(tx, { tenantId: 'acme', name: 'Acme', domain: 'acme.example' }, now)
        await addTenant(tx, { tenantId: 'other', name: 'Other', domain: 'other.example' }, now)
        await addPrincipal(tx, { ...owner, name: 'Buyer', sandbox: false, scopes: ['adcp:products', 'adcp:accounts'] }, now)
      })
    })
    afterAll(() => store.close())

    it('is migrated and answers', async () => {
      await store.ping()
      expect(await pendingMigrations(store.read)).toEqual([])
    })

    it('commits all of a transaction or nothing', async () => {
      const attempt = store.transaction(async (tx) => {
        await addTenant(tx, { tenantId: 'half', name: 'Half', domain: 'half.example' }, now)
        throw new Error('stop')
      })
      await expect(attempt).rejects.toThrow('stop')
      const rows = await store.read.selectFrom('tenants').select('tenant_id').where('tenant_id', '=', 'half').execute()
      expect(rows).toEqual([])
    })

    it('keeps concurrent transactions apart: one fails, the others commit', async () => {
      const results = await Promise.allSettled(
        Array.from({ length: 20 }, (_, i) =>
          store.transaction(async (tx) => {
            await addTenant(tx, { tenantId: `batch-${i}`, name: 'b', domain: 'b.example' }, now)
            if (i % 4 === 0) throw new Error('odd one out')
          }),
        ),
      )
      expect(results.filter((result) => result.status === 'rejected')).toHaveLength(5)
      const rows = await store.read.selectFrom('tenants').select('tenant_id').where('tenant_id', 'like', 'batch-%').execute()
      expect(rows).toHaveLength(15)
    })

    it('makes the first tenant the default of public calls', async () => {
      expect((await findPublicTenant(store.read))?.tenantId).toBe('acme')
    })

    it('resolves keys to principals and knows why not', async () => {
      const key = newKey()
      const row = {
        key_hash: key.hash,
        key_id: key.keyId,
        tenant_id: 'acme',
        principal_id: 'buyer',
        prefix: key.prefix,
        last_four: key.lastFour,
        scopes: '["adcp:*"]',
        created_at: now.toISOString(),
        expires_at: later(1000).toISOString(),
      }
      await store.transaction((tx) => addKey(tx, row))
      expect(await lookupKey(store.read, key.hash, now)).toMatchObject({
        principal: { principalId: 'buyer', scopes: ['adcp:products', 'adcp:accounts'] },
        tenant: { tenantId: 'acme' },
      })
      expect(await lookupKey(store.read, key.hash, later(1000))).toEqual({ reason: 'expired' })
      expect(await lookupKey(store.read, 'nothing', now)).toEqual({ reason: 'unknown' })
      await store.transaction((tx) => setPrincipalStatus(tx, 'acme', 'buyer', 'suspended'))
      expect(await lookupKey(store.read, key.hash, now)).toEqual({ reason: 'suspended' })
      await store.transaction((tx) => setPrincipalStatus(tx, 'acme', 'buyer', 'active'))
      await store.transaction((tx) => endKey(tx, 'acme', key.keyId, { revokedAt: now }))
      expect(await lookupKey(store.read, key.hash, now)).toEqual({ reason: 'revoked' })
    })

    it('claims, replays, conflicts, takes over, expires and forgets', async () => {
      const scope = { ...owner, accountId: '', key: randomUUID() }
      const claim = (hash: string, owned: string, at = now) =>
        store.transaction((tx) => claimKey(tx, scope, hash, owned, times(at)))
      expect(await claim('h1', 'c1')).toEqual({ kind: 'claimed' })
      expect(await claim('h1', 'c2')).toMatchObject({ kind: 'in-flight' })
      expect(await claim('h2', 'c2')).toEqual({ kind: 'conflict' })
      await store.transaction((tx) => releaseClaim(tx, scope, 'c1'))
      expect(await claim('h2', 'c3')).toEqual({ kind: 'claimed' })
      expect(await claim('h2', 'c4', later(30_001))).toEqual({ kind: 'claimed' })
      expect(await store.transaction((tx) => publishResponse(tx, scope, 'c3', '{"late":true}'))).toBe(false)
      expect(await store.transaction((tx) => publishResponse(tx, scope, 'c4', '{"ok":true}'))).toBe(true)
      expect(await claim('h2', 'c5', later(40_000))).toEqual({ kind: 'replay', response: '{"ok":true}' })
      expect(await claim('h3', 'c5', later(40_000))).toEqual({ kind: 'conflict' })
      expect(await claim('h2', 'c6', later(30_001 + 86_400_000))).toEqual({ kind: 'expired' })
      await store.transaction((tx) => sweepIdempotency(tx, later(30_001 + 86_400_000), 1000))
      expect(await claim('h2', 'c7', later(30_001 + 86_400_000))).toEqual({ kind: 'expired' })
      await store.transaction((tx) => sweepIdempotency(tx, later(30_001 + 2 * 86_400_000), 1000))
      expect(await claim('h9', 'c8', later(30_001 + 2 * 86_400_000))).toEqual({ kind: 'claimed' })
    })

    it('gives the claim of a call that has ended to the next one, whatever it asks, and puts off only the end of a lease that runs', async () => {
      const scope = { ...owner, accountId: '', key: randomUUID() }
      const over = (ended: string) => (claim: string) => claim === ended
      const claim = (hash: string, owned: string, ended: string, at = now) =>
        store.transaction((tx) => claimKey(tx, scope, hash, owned, times(at), over(ended)))
      expect(await claim('h1', 'c1', 'c1')).toEqual({ kind: 'claimed' })
      expect(await claim('h1', 'c2', 'another')).toMatchObject({ kind: 'in-flight' })
      expect(await claim('h1', 'c2', 'c1')).toEqual({ kind: 'claimed' })
      expect(await claim('h2', 'c3', 'c2')).toEqual({ kind: 'claimed' })
      await store.transaction((tx) => renewClaim(tx, scope, 'c2', later(90_000)))
      await store.transaction((tx) => renewClaim(tx, scope, 'c3', later(60_000)))
      expect(await claim('h2', 'c4', 'another', later(59_999))).toMatchObject({ kind: 'in-flight' })
      expect(await claim('h2', 'c4', 'another', later(60_001))).toEqual({ kind: 'claimed' })
      expect(await store.transaction((tx) => publishResponse(tx, scope, 'c4', '{}'))).toBe(true)
      expect(await claim('h2', 'c5', 'c4', later(60_002))).toEqual({ kind: 'replay', response: '{}' })
    })

    it('sweeps a bounded number of answers at a time, each once', async () => {
      const many = { ...owner, accountId: 'swept' }
      await store.transaction(async (tx) => {
        for (let n = 0; n < 5; n++) {
          await claimKey(tx, { ...many, key: `sweep-${n}` }, 'h', 'c', times(later(-10 * 86_400_000)))
          await publishResponse(tx, { ...many, key: `sweep-${n}` }, 'c', '{"ok":true}')
        }
        // Not answered: its claim is nobody's any more, and it goes with the others.
        await claimKey(tx, { ...many, key: 'sweep-open' }, 'h', 'c', times(later(-10 * 86_400_000)))
      })
      const rows = () => store.read.selectFrom('idempotency').select('response').where('account_id', '=', 'swept').execute()
      const sweep = (at: Date) => store.transaction((tx) => sweepIdempotency(tx, at, 2))
      const expired = later(-9 * 86_400_000 + 1)
      expect([await sweep(expired), await sweep(expired), await sweep(expired), await sweep(expired)]).toEqual([2, 2, 1, 0])
      expect((await rows()).map(({ response }) => response).sort()).toEqual(['', '', '', '', '', null])
      const forgotten = later(-8 * 86_400_000 + 1)
      expect([await sweep(forgotten), await sweep(forgotten), await sweep(forgotten), await sweep(forgotten)]).toEqual([
        2, 2, 2, 0,
      ])
      expect(await rows()).toEqual([])
    })

    it('lets one of many concurrent claims win', async () => {
      const scope = { ...owner, accountId: 'a', key: randomUUID() }
      const results = await Promise.all(
        Array.from({ length: 30 }, (_, i) => store.transaction((tx) => claimKey(tx, scope, 'h', `c${i}`, times()))),
      )
      expect(results.filter((result) => result.kind === 'claimed')).toHaveLength(1)
    })

    it('pages accounts by keyset without gaps, and saves by compare-and-set', async () => {
      for (let i = 0; i < 7; i++) {
        await store.transaction((tx) =>
          insertAccount(
            tx,
            owner,
            {
              key: { brandDomain: `b${i}.example`, brandId: undefined, operator: 'op.example', sandbox: false },
              status: 'active',
              document: { name: `b${i}` },
            },
            now,
          ),
        )
      }
      const seen: string[] = []
      let after: string | undefined
      do {
        const page = await listAccounts(store.read, owner, {}, { after, limit: 3 })
        seen.push(...page.accounts.map((account) => account.accountId))
        after = page.after
      } while (after !== undefined)
      expect(new Set(seen).size).toBe(7)
      const [account] = (await listAccounts(store.read, owner, {}, { after: undefined, limit: 1 })).accounts
      if (!account) throw new Error('an account')
      const saved = await store.transaction((tx) => saveAccount(tx, { ...account, status: 'suspended' }, now))
      expect(saved).toMatchObject({ status: 'suspended', revision: 2 })
      await expect(store.transaction((tx) => saveAccount(tx, account, now))).rejects.toMatchObject({ code: 'CONFLICT' })
    })

    it('a task keeps its first terminal state and is its owner’s alone', async () => {
      const task = {
        taskId: 't1',
        accountId: '',
        taskType: 'create_media_buy',
        protocol: 'media-buy',
        status: 'submitted',
        request: {},
        hasWebhook: false,
      } as const
      await store.transaction((tx) => insertTask(tx, owner, task, now))
      const stored = await getTask(store.read, owner, 't1')
      const done = await store.transaction((tx) => advanceTask(tx, owner, stored, { status: 'completed', result: { a: 1 } }, now))
      expect(done).toMatchObject({ status: 'completed', result: { a: 1 } })
      expect(await store.transaction((tx) => advanceTask(tx, owner, stored, { status: 'failed' }, now))).toMatchObject({
        status: 'completed',
      })
      await expect(getTask(store.read, { ...owner, tenantId: 'other' }, 't1')).rejects.toMatchObject({
        code: 'REFERENCE_NOT_FOUND',
      })
    })

    it('lists tasks by sort value and id, and counts them', async () => {
      const lister = { tenantId: 'acme', principalId: 'lister' }
      await store.transaction(async (tx) => {
        await addPrincipal(tx, { ...lister, name: 'Lister', sandbox: false, scopes: [] }, now)
        for (const [index, taskId] of ['Tb', 'ta', 'tc', 'Td'].entries()) {
          const task = {
            taskId,
            accountId: '',
            taskType: 'create_media_buy',
            protocol: 'media-buy',
            status: 'submitted',
          } as const
          await insertTask(
            tx,
            lister,
            { ...task, request: { note: `Über ${taskId}` }, hasWebhook: false },
            later(index < 2 ? 0 : 1),
          )
        }
      })
      const sort = { field: 'created_at', direction: 'desc' } as const
      const all = await listTasks(store.read, lister, {}, sort, { after: undefined, limit: 10 })
      const seen: string[] = []
      for (let after: TaskPosition | undefined, isCut = true; isCut; ) {
        const page = await listTasks(store.read, lister, {}, sort, { after, limit: 1 })
        seen.push(...page.tasks.map(({ task }) => task.taskId))
        after = page.tasks.at(-1)?.position
        isCut = page.isCut
      }
      expect(seen.toSorted()).toEqual(['Tb', 'Td', 'ta', 'tc'])
      expect(seen).toEqual(all.tasks.map(({ task }) => task.taskId))
      const count = async (owner: PrincipalRef, query: TaskQuery) =>
        (await listTasks(store.read, owner, query, sort, { after: undefined, limit: 1 })).counts.total
      expect(await count(lister, { contains: 'Über t' })).toBe(2)
      expect(await count(lister, { statuses: [], taskTypes: [] })).toBe(0)
      expect(await count({ ...lister, tenantId: 'other' }, {})).toBe(0)
    })

    productsContract(() => store)
    mediaBuyContract(() => store)
    holdsContract(() => store)
    orderNotesContract(() => store)
    secondFactorsContract(() => store)
    deliverySumsContract(() => store)
    ordersContract(() => store)
    invoicePaymentsContract(() => store)
    chargesContract(() => store)
    placementsContract(() => store)
    failureMemoryContract(() => store)
    leasesContract(() => store)
    listsContract(() => store)
    brandsContract(() => store)
    buyerDataContract(() => store)
    governanceContract(() => store)
    campaignPlansContract(() => store)
    approvalsContract(() => store)
    creativeContract(() => store)
    signalsContract(() => store)
    accountChangesContract(() => store)
  })
}
