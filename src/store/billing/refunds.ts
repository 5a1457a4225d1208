import { randomUUID } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import type { AccountPayment } from '../../domain/billing/settlement.ts'
import { COUNTS, type TakenBack, takenBackColumns, takenBackIn } from '../account/taken-back.ts'
import type { Db } from '../database.ts'
import type { BillingTables } from './rows.ts'

/** Money that was paid back to a customer, in micros; `day`: `YYYY-MM-DD`. */
export interface Refund extends AccountPayment {
  readonly refundId: string
  readonly reference: string | undefined
  readonly recordedAt: string
  readonly recordedBy: string
  /** It was recorded wrongly and counts for nothing. */
  readonly takenBack: TakenBack | undefined
}

/** Records a refund and returns its id. */
export async function insertRefund(
  tx: Db,
  tenantId: string,
  { accountId, currency, day, micros, reference }: Pick<Refund, 'accountId' | 'currency' | 'day' | 'micros' | 'reference'>,
  { now, by }: { readonly now: Date; readonly by: string },
): Promise<string> {
  const refundId = `refund_${randomUUID()}`
  await tx
    .insertInto('refunds')
    .values({
      ...{ tenant_id: tenantId, refund_id: refundId, account_id: accountId, currency },
      ...{ amount_micros: micros, paid_on: day, reference: reference ?? null },
      ...{ recorded_at: now.toISOString(), recorded_by: by },
      ...COUNTS,
    })
    .execute()
  return refundId
}

/** Takes a refund back, once; false: there is none to take back. */
export async function takeBackStoredRefund(tx: Db, tenantId: string, refundId: string, takenBack: TakenBack): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('refunds')
    .set(takenBackColumns(takenBack))
    .where('tenant_id', '=', tenantId)
    .where('refund_id', '=', refundId)
    .where('taken_back_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** One refund, if there is one. */
export async function findRefund(db: Db, tenantId: string, refundId: string): Promise<Refund | undefined> {
  const row = await refundsOf(db, tenantId).where('refund_id', '=', refundId).executeTakeFirst()
  return row && refundOf(row)
}

/** Refunds of a publisher or of one customer, also those that were taken back, as they were recorded, the newest first. */
export async function listRefunds(
  db: Db,
  tenantId: string,
  {
    accountId,
    after,
    limit,
  }: {
    readonly accountId?: string | undefined
    readonly after?: Pick<Refund, 'recordedAt' | 'refundId'> | undefined
    readonly limit: number
  },
): Promise<Refund[]> {
  let query = refundsOf(db, tenantId)
  if (accountId !== undefined) query = query.where('account_id', '=', accountId)
  if (after) query = query.where(sql<boolean>`(recorded_at, refund_id) < (${after.recordedAt}, ${after.refundId})`)
  const rows = await query.orderBy('recorded_at', 'desc').orderBy('refund_id', 'desc').limit(limit).execute()
  return rows.map(refundOf)
}

/** Refunds that count, of a publisher or of one customer, by day. */
export async function countedRefunds(db: Db, tenantId: string, accountId?: string): Promise<AccountPayment[]> {
  let query = refundsOf(db, tenantId).where('taken_back_at', 'is', null)
  if (accountId !== undefined) query = query.where('account_id', '=', accountId)
  const rows = await query.orderBy('paid_on').orderBy('refund_id').execute()
  return rows.map((row) => ({
    accountId: row.account_id,
    currency: row.currency,
    day: row.paid_on,
    micros: Number(row.amount_micros),
  }))
}

function refundsOf(db: Db, tenantId: string) {
  return db.selectFrom('refunds').selectAll().where('tenant_id', '=', tenantId)
}

function refundOf(row: Selectable<BillingTables['refunds']>): Refund {
  return {
    ...{ refundId: row.refund_id, accountId: row.account_id, currency: row.currency, micros: Number(row.amount_micros) },
    ...{ day: row.paid_on, reference: row.reference ?? undefined, recordedAt: row.recorded_at, recordedBy: row.recorded_by },
    takenBack: takenBackIn(row),
  }
}
