import type { Selectable } from 'kysely'
import {
  type AuditEntry,
  ChainWalk,
  type EntryDocument,
  type EntryKind,
  linked,
  type NewEntry,
} from '../../domain/governance/audit-chain.ts'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { giveWay, yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { Db } from '../database.ts'
import { pageOfSize } from '../page-size.ts'
import type { GovernanceLogTables } from './rows.ts'

/** Appends to a plan's log. Two writers at once collide on the place, and one of them is asked to try again. */
export async function appendToLog(
  tx: Db,
  owner: PrincipalRef,
  planId: string,
  entries: readonly NewEntry[],
): Promise<AuditEntry[]> {
  const appended: AuditEntry[] = []
  let last = await tx
    .selectFrom('governance_log')
    .select(['seq', 'hash'])
    .where('tenant_id', '=', owner.tenantId)
    .where('principal_id', '=', owner.principalId)
    .where('plan_id', '=', planId)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  for (const entry of entries) {
    // Stored and hashed alike: what JSON leaves out is not part of the hash either.
    const document: EntryDocument = JSON.parse(JSON.stringify(entry.document))
    const next = linked({ ...entry, document }, planId, last)
    await tx
      .insertInto('governance_log')
      .values({
        tenant_id: owner.tenantId,
        principal_id: owner.principalId,
        plan_id: planId,
        seq: next.seq,
        entry_id: next.entryId,
        kind: next.kind,
        action_id: next.actionId,
        document: JSON.stringify(document),
        previous_hash: next.previousHash,
        hash: next.hash,
      })
      .execute()
    appended.push(next)
    last = next
  }
  return appended
}

/** Rows of one read, of which a page has a megabyte at most. */
const PAGE = 500

/**
 * Does something with each entry of a plan's log, or of those of some kinds, in order; `bytes` is what its document has. A long log is read in pages, between
 * which others are served, and nothing holds all of it.
 */
export async function eachEntry(
  db: Db,
  owner: PrincipalRef,
  planId: string,
  visit: (entry: AuditEntry, bytes: number) => void,
  kinds?: ReadonlySet<EntryKind>,
): Promise<void> {
  for (let after = 0; ; ) {
    const { rows, isCut } = await pageOfSize(entriesAfter(db, owner, planId, after), ['document'], PAGE)
    for (const row of rows) {
      after = row.seq
      if (kinds && !kinds.has(row.kind)) continue
      visit(entryOf(row), row.document.length)
      const others = giveWay()
      if (others) await others
    }
    if (!isCut) return
    await yieldToEventLoop()
  }
}

function entriesAfter(db: Db, owner: PrincipalRef, planId: string, after: number) {
  return db
    .selectFrom('governance_log')
    .selectAll()
    .where('tenant_id', '=', owner.tenantId)
    .where('principal_id', '=', owner.principalId)
    .where('plan_id', '=', planId)
    .where('seq', '>', after)
    .orderBy('seq')
}

/** Follows the chain of a plan's log from its start. */
export async function walkLog(db: Db, owner: PrincipalRef, planId: string): Promise<ChainWalk> {
  const walk = new ChainWalk()
  await eachEntry(db, owner, planId, (entry) => walk.follow(entry))
  return walk
}

/** Every plan that has a log, of every tenant. */
export async function listLoggedPlans(db: Db): Promise<(PrincipalRef & { readonly planId: string })[]> {
  const rows = await db.selectFrom('governance_log').select(['tenant_id', 'principal_id', 'plan_id']).distinct().execute()
  return rows.map((row) => ({ tenantId: row.tenant_id, principalId: row.principal_id, planId: row.plan_id }))
}

/** `jti` of every token that was withdrawn since a time, by any agent: one list covers the whole agent. */
export async function listRevokedTokens(db: Db, since: Date): Promise<string[]> {
  const rows = await db.selectFrom('governance_log').select('document').where('kind', '=', 'revocation').execute()
  const documents = rows.map(({ document }): EntryDocument => JSON.parse(document))
  return documents.flatMap(({ at, jti }) => (jti !== undefined && Date.parse(at) >= since.getTime() ? [jti] : []))
}

/** One entry of a tenant by its id, with whose it is. */
export async function findEntry(db: Db, tenantId: string, entryId: string): Promise<(AuditEntry & PrincipalRef) | undefined> {
  const row = await db
    .selectFrom('governance_log')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('entry_id', '=', entryId)
    .executeTakeFirst()
  return row && { ...entryOf(row), tenantId, principalId: row.principal_id }
}

function entryOf(row: Selectable<GovernanceLogTables['governance_log']>): AuditEntry {
  const document: EntryDocument = JSON.parse(row.document)
  return {
    planId: row.plan_id,
    seq: row.seq,
    entryId: row.entry_id,
    kind: row.kind,
    actionId: row.action_id,
    document,
    previousHash: row.previous_hash,
    hash: row.hash,
  }
}
