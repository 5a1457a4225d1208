import { randomUUID } from 'node:crypto'
import type { SettlementFacts } from '../../domain/billing/settlement.ts'
import { paymentsSince } from '../account/account-payments.ts'
import { COUNTS, type TakenBack, takenBackColumns, takenBackIn } from '../account/taken-back.ts'
import type { Db } from '../database.ts'
import { listClaims } from './claims.ts'
import { closedMonths } from './invoices.ts'
import { countedRefunds } from './refunds.ts'

/** A payment of an invoice, in micros of the currency of the invoice; `day`: `YYYY-MM-DD`. */
export interface InvoicePayment {
  readonly paymentId: string
  readonly invoiceId: string
  readonly day: string
  readonly micros: number
  readonly reference: string | undefined
  readonly recordedAt: string
  readonly recordedBy: string
  /** It was recorded wrongly and counts for nothing. */
  readonly takenBack: TakenBack | undefined
}

/** Who did something, and when. */
interface Doing {
  readonly now: Date
  readonly by: string
}

/** Records a payment of an invoice and returns its id. */
export async function insertInvoicePayment(
  tx: Db,
  tenantId: string,
  { invoiceId, day, micros, reference }: Pick<InvoicePayment, 'invoiceId' | 'day' | 'micros' | 'reference'>,
  { now, by }: Doing,
): Promise<string> {
  const paymentId = `ipay_${randomUUID()}`
  await tx
    .insertInto('invoice_payments')
    .values({
      ...{ tenant_id: tenantId, payment_id: paymentId, invoice_id: invoiceId },
      ...{ amount_micros: micros, paid_on: day, reference: reference ?? null },
      ...{ recorded_at: now.toISOString(), recorded_by: by },
      ...COUNTS,
    })
    .execute()
  return paymentId
}

/** Takes a payment back, once; false: there is none to take back. */
export async function takeBackInvoicePayment(
  tx: Db,
  tenantId: string,
  { paymentId, reason }: { readonly paymentId: string; readonly reason: string },
  { now, by }: Doing,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('invoice_payments')
    .set(takenBackColumns({ at: now.toISOString(), by, reason }))
    .where('tenant_id', '=', tenantId)
    .where('payment_id', '=', paymentId)
    .where('taken_back_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** The payments of an invoice, also those that were taken back, in the order of their days. */
export async function listInvoicePayments(db: Db, tenantId: string, invoiceId: string): Promise<InvoicePayment[]> {
  const rows = await db
    .selectFrom('invoice_payments')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('invoice_id', '=', invoiceId)
    .orderBy('paid_on')
    .orderBy('recorded_at')
    .orderBy('payment_id')
    .execute()
  return rows.map((row) => ({
    ...{ paymentId: row.payment_id, invoiceId, day: row.paid_on, micros: Number(row.amount_micros) },
    ...{ reference: row.reference ?? undefined, recordedAt: row.recorded_at, recordedBy: row.recorded_by },
    takenBack: takenBackIn(row),
  }))
}

/**
 * Invoices and payments of a publisher, or of one of its accounts, as they settle each other. Payments into accounts before the first day of the first closed month are left out: they paid what was
 * billed elsewhere.
 */
export async function settlementFacts(db: Db, tenantId: string, accountId?: string): Promise<SettlementFacts> {
  const [first] = await closedMonths(db, tenantId)
  if (!first) return { claims: [], payments: [], accountPayments: [], refunds: [] }
  const since = { day: `${first.month}-01`, accountId }
  return {
    claims: await listClaims(db, tenantId, accountId),
    payments: await countedPayments(db, tenantId, accountId),
    accountPayments: await paymentsSince(db, tenantId, since),
    refunds: await countedRefunds(db, tenantId, accountId),
  }
}

/** Payments of invoices that were not taken back. */
async function countedPayments(db: Db, tenantId: string, accountId?: string): Promise<SettlementFacts['payments']> {
  let query = db
    .selectFrom('invoice_payments as p')
    .innerJoin('invoices as i', (join) =>
      join.onRef('i.tenant_id', '=', 'p.tenant_id').onRef('i.invoice_id', '=', 'p.invoice_id'),
    )
    .select(['p.invoice_id', 'p.paid_on', 'p.amount_micros'])
    .where('p.tenant_id', '=', tenantId)
    .where('p.taken_back_at', 'is', null)
  if (accountId !== undefined) query = query.where('i.account_id', '=', accountId)
  const rows = await query.orderBy('p.paid_on').execute()
  return rows.map((row) => ({ invoiceId: row.invoice_id, day: row.paid_on, micros: Number(row.amount_micros) }))
}

/** Money that came in, of an invoice or into an account, or was paid back (`refund`); or that what was taken back did not bring. Micros. */
export interface BookedPayment {
  readonly kind: 'payment' | 'refund'
  readonly paymentId: string
  /** Null: into the account. */
  readonly invoiceId: string | null
  readonly accountId: string
  readonly currency: string
  readonly micros: number
  readonly reference: string | null
  /** `YYYY-MM-DD`. */
  readonly paidOn: string
  /** It is what was taken back, at `takenBackAt`. */
  readonly isTakenBack: boolean
  readonly takenBackAt: string | null
}

/** Payments and refunds of some days, both included, and those that were taken back in the same time (`from` to `before`, ISO 8601). */
export async function paymentsBetween(
  db: Db,
  tenantId: string,
  { first, last, from, before }: Readonly<Record<'first' | 'last' | 'from' | 'before', string>>,
): Promise<BookedPayment[]> {
  const ofInvoices = db
    .selectFrom('invoice_payments as p')
    .innerJoin('invoices as i', (join) =>
      join.onRef('i.tenant_id', '=', 'p.tenant_id').onRef('i.invoice_id', '=', 'p.invoice_id'),
    )
    .select(['p.payment_id', 'p.invoice_id', 'p.amount_micros', 'p.paid_on', 'p.reference', 'p.taken_back_at'])
    .select(['i.account_id', 'i.currency'])
    .where('p.tenant_id', '=', tenantId)
  const paid = await ofInvoices.where('p.paid_on', '>=', first).where('p.paid_on', '<=', last).execute()
  const back = await ofInvoices.where('p.taken_back_at', '>=', from).where('p.taken_back_at', '<', before).execute()
  const intoAccounts = db
    .selectFrom('account_payments')
    .select(['payment_id', 'account_id', 'currency', 'amount_micros', 'paid_on', 'reference', 'taken_back_at'])
    .select((e) => e.val<string | null>(null).as('invoice_id'))
    .where('tenant_id', '=', tenantId)
  const into = await intoAccounts.where('paid_on', '>=', first).where('paid_on', '<=', last).execute()
  const outOf = await intoAccounts.where('taken_back_at', '>=', from).where('taken_back_at', '<', before).execute()
  const refunds = db
    .selectFrom('refunds')
    .select(['refund_id as payment_id', 'account_id', 'currency', 'amount_micros', 'paid_on', 'reference', 'taken_back_at'])
    .select((e) => e.val<string | null>(null).as('invoice_id'))
    .where('tenant_id', '=', tenantId)
  const refunded = await refunds.where('paid_on', '>=', first).where('paid_on', '<=', last).execute()
  const unrefunded = await refunds.where('taken_back_at', '>=', from).where('taken_back_at', '<', before).execute()
  const booked = (row: (typeof into)[number], isTakenBack: boolean, kind: BookedPayment['kind'] = 'payment'): BookedPayment => ({
    ...{ kind, paymentId: row.payment_id, invoiceId: row.invoice_id, accountId: row.account_id, currency: row.currency },
    ...{ micros: Number(row.amount_micros), reference: row.reference || null, paidOn: row.paid_on },
    ...{ isTakenBack, takenBackAt: row.taken_back_at },
  })
  return [
    ...[...paid, ...into].map((row) => booked(row, false)),
    ...[...back, ...outOf].map((row) => booked(row, true)),
    ...refunded.map((row) => booked(row, false, 'refund')),
    ...unrefunded.map((row) => booked(row, true, 'refund')),
  ]
}
