import { nameOf } from '../../domain/reporting/generation.ts'
import type { ReportRecord } from '../../domain/reporting/ledger.ts'
import type { ReportFile } from '../../domain/reporting/materialization.ts'
import type { Finality } from '../../domain/reporting/offering.ts'
import type { ReportRow } from '../../domain/reporting/report-row.ts'
import type { Db } from '../database.ts'
import { addReportFiles } from './files.ts'
import type { ReportOwner } from './generations.ts'
import { receiptKey, statementKey } from './records.ts'
import { tellSubscribers } from './tell-subscribers.ts'

/** A record that is not stored yet; a revision comes with its rows, files with their content. */
export type NewRecord = DistributiveOmit<ReportRecord, 'seq'> & {
  readonly rows?: readonly ReportRow[]
  readonly files?: readonly ReportFile[]
  /** Of the report, for what does not name its period. */
  readonly periodStart?: string
  /** Of the report that files are of. */
  readonly finality?: Finality
}
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never

/** Somebody else recorded at the same moment; what was to be recorded has to be found out again. */
export class RecordedElsewhere extends Error {}

/**
 * Adds records behind the newest, which has to be `after`, and tells subscribers of the account what is published, unless `isQuiet`. Throws RecordedElsewhere
 * when it is another by now.
 */
export async function addRecords(
  tx: Db,
  owner: ReportOwner,
  records: readonly NewRecord[],
  { after, now, isQuiet = false }: { readonly after: number; readonly now: Date; readonly isQuiet?: boolean },
): Promise<void> {
  let seq = after
  for (const record of records) {
    seq += 1
    const { recordId, periodStart, document } = columnsOf(record)
    const inserted = await tx
      .insertInto('reporting_records')
      .values({
        ...{ tenant_id: owner.tenantId, principal_id: owner.principalId, account_id: owner.accountId, seq },
        ...{ kind: record.kind, record_id: recordId, slice_id: record.sliceId, period_start: periodStart },
        document: JSON.stringify(document),
        report_rows: record.rows ? JSON.stringify(record.rows) : null,
        finality: record.kind === 'revision' ? record.revision.finality : null,
        generation: record.kind === 'obligation' ? nameOf(record.obligation) : null,
        period_end: record.kind === 'obligation' ? record.obligation.period.end : null,
        recorded_at: now.toISOString(),
      })
      .onConflict((c) => c.doNothing())
      .returning('seq')
      .execute()
    if (inserted.length === 0) throw new RecordedElsewhere()
    if (record.kind === 'materialization') {
      const { resource_ref: resourceRef } = record.materialization.resource
      await addReportFiles(tx, owner, { resourceRef, files: record.files ?? [] }, now)
    }
  }
  if (!isQuiet) await tellSubscribers(tx, owner, records, now)
}

function columnsOf(record: NewRecord): { readonly recordId: string; readonly periodStart: string; readonly document: object } {
  switch (record.kind) {
    case 'obligation': {
      const { obligation: document } = record
      return { recordId: document.obligationId, periodStart: document.period.start, document }
    }
    case 'revision': {
      const { revision: document } = record
      return { recordId: document.reporting_revision_id, periodStart: document.period.start, document }
    }
    case 'consumer_status': {
      const { statement: document } = record
      const periodStart = new Date(document.period.start).toISOString()
      return { recordId: statementKey(document.reporting_status_id), periodStart, document }
    }
    case 'materialization': {
      const { materialization: document } = record
      return { recordId: document.reporting_materialization_id, periodStart: record.periodStart ?? '', document }
    }
    case 'receipt': {
      const { receipt: document } = record
      return { recordId: receiptKey(document.reporting_receipt_id), periodStart: record.periodStart ?? '', document }
    }
    case 'adjustment_receipt': {
      const { adjustmentReceipt: document } = record
      return { recordId: receiptKey(document.reporting_receipt_id), periodStart: record.periodStart ?? '', document }
    }
    case 'adjustment': {
      const { adjustment: document } = record
      return { recordId: document.reporting_adjustment_id, periodStart: document.accounting_period.start, document }
    }
  }
}

/** Drops records from before a moment, `limit` at most. Returns how many. */
export async function sweepRecords(tx: Db, before: Date, limit: number): Promise<number> {
  const old = await tx
    .selectFrom('reporting_records')
    .select(['tenant_id', 'principal_id', 'account_id', 'seq'])
    .where('recorded_at', '<', before.toISOString())
    .orderBy('recorded_at')
    .limit(limit)
    .execute()
  for (const row of old) {
    await tx
      .deleteFrom('reporting_records')
      .where('tenant_id', '=', row.tenant_id)
      .where('principal_id', '=', row.principal_id)
      .where('account_id', '=', row.account_id)
      .where('seq', '=', row.seq)
      .execute()
  }
  return old.length
}
