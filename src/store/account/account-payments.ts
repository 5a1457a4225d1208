import { randomUUID } from 'node:crypto'
import type { Payment } from '../../domain/account/financials.ts'
import type { Db } from '../database.ts'
import { COUNTS, type TakenBack, takenBackColumns, takenBackIn } from './taken-back.ts'

/** A payment with the note of who recorded it. */
type NotedPayment = Payment & { readonly reference?: string | undefined }

/** A payment as it is stored. */
interface StoredPayment extends NotedPayment {
  readonly paymentId: string
  /** It was recorded wrongly and counts for nothing. */
  readonly takenBack: TakenBack | undefined
}

/** Records a payment into an account and returns its id. */
export async function insertPayment(
  tx: Db,
  place: { readonly tenantId: string; readonly accountId: string },
  payment: NotedPayment,
  now: Date,
): Promise<string> {
  const paymentId = `pay_${randomUUID()}`
  await tx
    .insertInto('account_payments')
    .values({
      tenant_id: place.tenantId,
      payment_id: paymentId,
      account_id: place.accountId,
      amount_micros: payment.micros,
      currency: payment.currency,
      paid_on: payment.day,
      reference: payment.reference ?? null,
      created_at: now.toISOString(),
      ...COUNTS,
    })
    .execute()
  return paymentId
}

/** Takes a payment back, once; false: there is none to take back. */
export async function takeBackStoredPayment(tx: Db, tenantId: string, paymentId: string, takenBack: TakenBack): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('account_payments')
    .set(takenBackColumns(takenBack))
    .where('tenant_id', '=', tenantId)
    .where('payment_id', '=', paymentId)
    .where('taken_back_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** The payments into an account, also those that were taken back, the earliest first. */
export async function listPayments(
  db: Db,
  { tenantId, accountId }: { readonly tenantId: string; readonly accountId: string },
): Promise<StoredPayment[]> {
  const rows = await db
    .selectFrom('account_payments')
    .select(['payment_id', 'amount_micros', 'currency', 'paid_on', 'reference'])
    .select(['taken_back_at', 'taken_back_by', 'taken_back_reason'])
    .where('tenant_id', '=', tenantId)
    .where('account_id', '=', accountId)
    .orderBy('paid_on')
    .orderBy('created_at')
    .orderBy('payment_id')
    .execute()
  return rows.map((row) => ({
    ...{ paymentId: row.payment_id, takenBack: takenBackIn(row) },
    ...{ day: row.paid_on, currency: row.currency, micros: Number(row.amount_micros) },
    reference: row.reference || undefined,
  }))
}

/** Payments that count, on and after a day, into the accounts of a publisher, or into one of them. */
export async function paymentsSince(
  db: Db,
  tenantId: string,
  { day, accountId }: { readonly day: string; readonly accountId?: string | undefined },
): Promise<(Payment & { readonly accountId: string })[]> {
  let query = db
    .selectFrom('account_payments')
    .select(['account_id', 'amount_micros', 'currency', 'paid_on'])
    .where('tenant_id', '=', tenantId)
    .where('paid_on', '>=', day)
    .where('taken_back_at', 'is', null)
  if (accountId !== undefined) query = query.where('account_id', '=', accountId)
  return (await query.execute()).map((row) => ({
    ...{ accountId: row.account_id, currency: row.currency },
    ...{ day: row.paid_on, micros: Number(row.amount_micros) },
  }))
}
