import { randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { AccountChange, ChangedResource, ChangeOrigin } from '../../domain/account/account-change.ts'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { chunksOf } from '../chunks.ts'
import type { Db } from '../database.ts'
import { hotQuery } from '../hot-query.ts'
import { changeOriginOf } from '../kysely-over.ts'
import { orderedId } from '../ordered-id.ts'
import type { AccountChangeTables } from './rows.ts'

/** What is noted of a change in the transaction that makes it. */
export interface NotedChange extends Pick<AccountChange, 'tenantId' | 'accountId' | 'resource' | 'resourceId' | 'action'> {
  readonly revision?: number
}

/** Notes a change of what an account holds, in the transaction that makes it. Its place in the order comes later: see `sealChanges`. */
export async function noteChange(tx: Db, change: NotedChange): Promise<void> {
  await addEntry(tx, {
    entry_id: orderedId(),
    tenant_id: change.tenantId,
    account_id: change.accountId,
    resource_type: change.resource,
    resource_id: change.resourceId,
    action: change.action,
    origin: changeOriginOf(tx),
    revision: change.revision ?? null,
  })
}

const addEntry = hotQuery(
  ['entry_id', 'tenant_id', 'account_id', 'resource_type', 'resource_id', 'action', 'origin', 'revision'],
  (tx, value) =>
    tx.insertInto('account_change_entries').values({
      entry_id: value('entry_id'),
      tenant_id: value('tenant_id'),
      account_id: value('account_id'),
      resource_type: value.of<ChangedResource>('resource_type'),
      resource_id: value('resource_id'),
      action: value.of<AccountChange['action']>('action'),
      origin: value.of<ChangeOrigin>('origin'),
      revision: value.of<number | null>('revision'),
    }),
)

/** The same for what every declared account of an agent has. One statement, however many accounts there are. */
export async function noteChangeOfAll(
  tx: Db,
  owner: PrincipalRef,
  change: Omit<NotedChange, 'tenantId' | 'accountId'>,
): Promise<void> {
  await tx
    .insertInto('account_change_entries')
    .columns(['entry_id', 'tenant_id', 'account_id', 'resource_type', 'resource_id', 'action', 'origin', 'revision'])
    .expression((e) =>
      e
        .selectFrom('accounts')
        .select([
          sql<string>`${orderedId()} || '-' || account_id`.as('entry_id'),
          'tenant_id',
          'account_id',
          sql<ChangedResource>`${change.resource}`.as('resource_type'),
          sql<string>`${change.resourceId}`.as('resource_id'),
          sql<AccountChange['action']>`${change.action}`.as('action'),
          sql<ChangeOrigin>`${changeOriginOf(tx)}`.as('origin'),
          sql<number | null>`cast(${change.revision ?? null} as integer)`.as('revision'),
        ])
        .where('tenant_id', '=', owner.tenantId)
        .where('principal_id', '=', owner.principalId)
        .where('implicit', '=', 0),
    )
    .execute()
}

/** Another process put the same changes in order at the same moment; its order stands. */
export class OrderedElsewhere extends Error {}

/** Puts up to `limit` changes behind those of their accounts, oldest first. Returns them; throws OrderedElsewhere. */
export async function sealChanges(tx: Db, limit: number, now: Date): Promise<readonly AccountChange[]> {
  const waiting = await tx.selectFrom('account_change_entries').selectAll().orderBy('entry_id').limit(limit).execute()
  const heads = new Map<string, number>()
  const rows: AccountChangeTables['account_changes'][] = []
  for (const { entry_id: _entry, ...change } of waiting) {
    const account = `${change.tenant_id} ${change.account_id}`
    const seq = (heads.get(account) ?? (await newestSeq(tx, change.tenant_id, change.account_id))) + 1
    heads.set(account, seq)
    rows.push({ ...change, seq, change_id: `chg_${randomUUID()}`, recorded_at: now.toISOString() })
  }
  for (const chunk of chunksOf(rows)) {
    const inserted = await tx
      .insertInto('account_changes')
      .values(chunk)
      .onConflict((c) => c.columns(['tenant_id', 'account_id', 'seq']).doNothing())
      .returning('seq')
      .execute()
    if (inserted.length < chunk.length) throw new OrderedElsewhere()
  }
  for (const chunk of chunksOf(waiting.map((row) => row.entry_id))) {
    const { numDeletedRows } = await tx.deleteFrom('account_change_entries').where('entry_id', 'in', chunk).executeTakeFirst()
    // Read before the other process committed: the change would stand twice.
    if (numDeletedRows !== BigInt(chunk.length)) throw new OrderedElsewhere()
  }
  return rows.map(changeOf)
}

/** Place of the newest change of an account; 0 when there is none. */
export async function newestSeq(db: Db, tenantId: string, accountId: string): Promise<number> {
  const row = await changesOf(db, tenantId, accountId).select('seq').orderBy('seq', 'desc').limit(1).executeTakeFirst()
  return row?.seq ?? 0
}

/** The oldest change of an account that is kept. */
export async function oldestChange(
  db: Db,
  tenantId: string,
  accountId: string,
): Promise<{ readonly seq: number; readonly recordedAt: string } | undefined> {
  const row = await changesOf(db, tenantId, accountId).select(['seq', 'recorded_at']).orderBy('seq').limit(1).executeTakeFirst()
  return row && { seq: row.seq, recordedAt: row.recorded_at }
}

/** Changes of an account behind `after`, in order, `limit` at most; `resources`: only those about these. */
export async function listChanges(
  db: Db,
  { tenantId, accountId }: Pick<AccountChange, 'tenantId' | 'accountId'>,
  {
    after,
    limit,
    resources,
  }: { readonly after: number; readonly limit: number; readonly resources: readonly string[] | undefined },
): Promise<readonly (AccountChange & { readonly seq: number })[]> {
  const rows = await changesOf(db, tenantId, accountId)
    .selectAll()
    .where('seq', '>', after)
    .$if(resources !== undefined, (q) => q.where(sql<string>`resource_type`, 'in', resources ?? []))
    .orderBy('seq')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ ...changeOf(row), seq: row.seq }))
}

/** Drops changes from before a moment, but for the newest of each account, behind which its next one comes. Returns rows dropped. */
export async function sweepChanges(tx: Db, before: Date, limit: number): Promise<number> {
  const old = await tx
    .selectFrom('account_changes as c')
    .select(['c.tenant_id', 'c.account_id', 'c.seq'])
    .where('c.recorded_at', '<', before.toISOString())
    .where((e) =>
      e.exists(
        e
          .selectFrom('account_changes as n')
          .select('n.seq')
          .whereRef('n.tenant_id', '=', 'c.tenant_id')
          .whereRef('n.account_id', '=', 'c.account_id')
          .whereRef('n.seq', '>', 'c.seq'),
      ),
    )
    .orderBy('c.recorded_at')
    .limit(limit)
    .execute()
  for (const { tenant_id: tenantId, account_id: accountId, seq } of old) {
    await tx
      .deleteFrom('account_changes')
      .where('tenant_id', '=', tenantId)
      .where('account_id', '=', accountId)
      .where('seq', '=', seq)
      .execute()
  }
  return old.length
}

function changesOf(db: Db, tenantId: string, accountId: string) {
  return db.selectFrom('account_changes').where('tenant_id', '=', tenantId).where('account_id', '=', accountId)
}

function changeOf(row: Selectable<AccountChangeTables['account_changes']>): AccountChange {
  return {
    changeId: row.change_id,
    tenantId: row.tenant_id,
    accountId: row.account_id,
    recordedAt: row.recorded_at,
    resource: row.resource_type,
    resourceId: row.resource_id,
    action: row.action,
    origin: row.origin,
    revision: row.revision ?? undefined,
  }
}
