import type { Selectable } from 'kysely'
import type { RecordedStatement } from '../../domain/reporting/consumer-status.ts'
import type { CaseState } from '../../domain/reporting/mismatch.ts'
import type { Db } from '../database.ts'
import type { ReportOwner } from './generations.ts'
import type { ReportingTables } from './rows.ts'

/** What the publisher's people made of an issue. */
export type CaseRow = Selectable<ReportingTables['reporting_cases']>

/** A statement with whose it is and the obligation that it is about. */
export interface OwnedStatement {
  readonly owner: ReportOwner
  readonly chain: string
  readonly statement: RecordedStatement
}

/** How the issues of a buyer's account stand, by id. */
export async function casesOf(
  db: Db,
  { tenantId, principalId, accountId }: ReportOwner,
): Promise<ReadonlyMap<string, CaseState>> {
  const rows = await db
    .selectFrom('reporting_cases')
    .select(['issue_id', 'state'])
    .where('tenant_id', '=', tenantId)
    .where('principal_id', '=', principalId)
    .where('account_id', '=', accountId)
    .execute()
  return new Map(rows.map(({ issue_id: id, state }) => [id, state]))
}

/** Decided issues of a publisher, by id. */
export async function listCases(db: Db, tenantId: string): Promise<ReadonlyMap<string, CaseRow>> {
  const rows = await db.selectFrom('reporting_cases').selectAll().where('tenant_id', '=', tenantId).execute()
  return new Map(rows.map((row) => [row.issue_id, row]))
}

export function findCase(db: Db, tenantId: string, issueId: string): Promise<CaseRow | undefined> {
  return db
    .selectFrom('reporting_cases')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('issue_id', '=', issueId)
    .executeTakeFirst()
}

/** Writes what was decided. Returns false where the issue is waived or adjusted already, which stays. */
export async function saveCase(tx: Db, row: CaseRow): Promise<boolean> {
  const { tenant_id: _tenant, issue_id: _issue, principal_id: _principal, account_id: _account, ...decided } = row
  const saved = await tx
    .insertInto('reporting_cases')
    .values(row)
    .onConflict((c) =>
      c.columns(['tenant_id', 'issue_id']).doUpdateSet(decided).where('reporting_cases.state', '=', 'acknowledged'),
    )
    .returning('issue_id')
    .execute()
  return saved.length > 0
}

/** What buyers of a publisher said since a moment, the newest first, `limit` at most. */
export async function listStatements(db: Db, tenantId: string, since: Date, limit: number): Promise<readonly OwnedStatement[]> {
  const rows = await db
    .selectFrom('reporting_records')
    .select(['principal_id', 'account_id', 'slice_id', 'document', 'seq'])
    .where('tenant_id', '=', tenantId)
    .where('kind', '=', 'consumer_status')
    .where('recorded_at', '>=', since.toISOString())
    .orderBy('recorded_at', 'desc')
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ principal_id: principalId, account_id: accountId, slice_id: chain, document }) => ({
    owner: { tenantId, principalId, accountId },
    ...{ chain, statement: JSON.parse(document) },
  }))
}

/** What of a buyer's account was delivered as files, corrected or received: an obligation (`chain`) or what obligations share (`slice`). */
export interface OwnedEvidence {
  readonly owner: ReportOwner
  readonly of: 'chain' | 'slice'
  readonly name: string
}

/** Files, corrections and receipts of a publisher that were recorded since a moment, by what they are about; the newest first, `limit` at most. */
export async function listEvidence(db: Db, tenantId: string, since: Date, limit: number): Promise<readonly OwnedEvidence[]> {
  const rows = await db
    .selectFrom('reporting_records')
    .select(['principal_id', 'account_id', 'slice_id', 'kind'])
    .where('tenant_id', '=', tenantId)
    .where('kind', 'in', ['materialization', 'receipt', 'adjustment', 'adjustment_receipt'])
    .where('recorded_at', '>=', since.toISOString())
    .orderBy('recorded_at', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ principal_id: principalId, account_id: accountId, slice_id: name, kind }) => ({
    owner: { tenantId, principalId, accountId },
    ...{ of: kind === 'materialization' || kind === 'receipt' ? 'chain' : 'slice', name },
  }))
}
