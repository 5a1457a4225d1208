import { type Selectable, sql } from 'kysely'
import type { BilledService } from '../../domain/billing/billing-lines.ts'
import type { InvoiceDocument } from '../../domain/billing/invoice-document.ts'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { moveTotals } from '../ad-serving/delivery-sums.ts'
import { advanceBook } from '../book-revision.ts'
import { chunksInTurns } from '../chunks.ts'
import type { Db } from '../database.ts'
import type { BillingTables } from './rows.ts'

/** An invoice of an account for a closed month. Money in micros of `currency`. */
export interface Invoice {
  readonly invoiceId: string
  readonly month: string
  readonly accountId: string
  readonly currency: string
  readonly totalMicros: number
  readonly account: Readonly<Record<string, unknown>>
  readonly createdAt: string
  /** Rounded, with tax; absent: written before invoices kept what they say. */
  readonly payableMicros?: number
  /** `YYYY-MM-DD`. */
  readonly dueOn?: string
  /** The invoice that a credit note credits. */
  readonly refersTo?: string
}

/** Closes a month. Throws CONFLICT when it is closed already. */
export async function insertMonth(
  tx: Db,
  tenantId: string,
  month: string,
  { now, by }: { readonly now: Date; readonly by: string },
): Promise<void> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('billing_months')
    .values({ tenant_id: tenantId, month, closed_at: now.toISOString(), closed_by: by })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows === 0n) throw new AdcpError('INVALID_STATE', `${month} is closed already`, { field: 'month' })
}

/** Closed months of a publisher, oldest first. */
export async function closedMonths(db: Db, tenantId: string) {
  return db.selectFrom('billing_months').selectAll().where('tenant_id', '=', tenantId).orderBy('month').execute()
}

/** Adds an invoice with its lines, and what it says. */
export async function insertInvoice(
  tx: Db,
  tenantId: string,
  {
    invoice,
    lines,
    document,
  }: { readonly invoice: Invoice; readonly lines: readonly BilledService[]; readonly document: InvoiceDocument },
): Promise<void> {
  await advanceBook(tx, tenantId)
  await tx
    .insertInto('invoices')
    .values({
      tenant_id: tenantId,
      invoice_id: invoice.invoiceId,
      month: invoice.month,
      account_id: invoice.accountId,
      currency: invoice.currency,
      total_micros: invoice.totalMicros,
      document: JSON.stringify(invoice.account),
      created_at: invoice.createdAt,
      payable_micros: invoice.payableMicros ?? null,
      due_on: invoice.dueOn ?? null,
      content: JSON.stringify(document),
      refers_to: invoice.refersTo ?? null,
    })
    .execute()
  const rows = lines.map((line, index) => ({
    tenant_id: tenantId,
    invoice_id: invoice.invoiceId,
    position: index + 1,
    service_month: line.serviceMonth,
    media_buy_id: line.mediaBuyId,
    package_id: line.packageId,
    product_id: line.productId,
    impressions: line.impressions,
    amount_micros: line.amountMicros,
    counts: line.counts ? JSON.stringify(line.counts) : null,
  }))
  for await (const chunk of chunksInTurns(rows)) {
    const moved = await paidByOthers(tx, tenantId, invoice.accountId, [...new Set(chunk.map((row) => row.package_id))])
    const part = () => sql`d.package_id in (${sql.join(moved)})`
    if (moved.length > 0) await moveTotals(tx, tenantId, part, -1)
    await tx.insertInto('invoice_lines').values(chunk).execute()
    if (moved.length > 0) await moveTotals(tx, tenantId, part, 1)
  }
}

/** Lines whose orders are not billed to an account now: who pays for their days follows from invoices. As many lines as fit one statement. */
async function paidByOthers(tx: Db, tenantId: string, accountId: string, lineIds: readonly string[]): Promise<string[]> {
  const rows = await tx
    .selectFrom('order_lines as l')
    .innerJoin('orders as o', (join) => join.onRef('o.tenant_id', '=', 'l.tenant_id').onRef('o.order_id', '=', 'l.order_id'))
    .select('l.line_id')
    .where('l.tenant_id', '=', tenantId)
    .where('l.line_id', 'in', lineIds)
    .where('o.party', '<>', accountId)
    .execute()
  return rows.map((row) => row.line_id)
}

/** Invoices of a publisher of one month, in the order of their numbers. */
export async function listInvoicesOfMonth(db: Db, tenantId: string, month: string): Promise<Invoice[]> {
  const query = db.selectFrom('invoices').select(LISTED).where('tenant_id', '=', tenantId).where('month', '=', month)
  return (await query.orderBy('invoice_id').execute()).map(invoiceOf)
}

/** Invoices and credit notes that were written in a time (ISO 8601, `before` not included). */
export async function invoicesBetween(
  db: Db,
  tenantId: string,
  { from, before }: { readonly from: string; readonly before: string },
): Promise<readonly Pick<Invoice, 'invoiceId' | 'createdAt'>[]> {
  const rows = await db
    .selectFrom('invoices')
    .select(['invoice_id', 'created_at'])
    .where('tenant_id', '=', tenantId)
    .where('created_at', '>=', from)
    .where('created_at', '<', before)
    .execute()
  return rows.map(({ invoice_id: invoiceId, created_at: createdAt }) => ({ invoiceId, createdAt }))
}

/** Invoices of a publisher by their ids, as many as fit one statement. */
export async function findInvoices(db: Db, tenantId: string, ids: readonly string[]): Promise<ReadonlyMap<string, Invoice>> {
  if (ids.length === 0) return new Map()
  const query = db.selectFrom('invoices').select(LISTED).where('tenant_id', '=', tenantId).where('invoice_id', 'in', ids)
  return new Map((await query.execute()).map((row) => [row.invoice_id, invoiceOf(row)]))
}

/** What the last invoice of an account keeps of it; undefined: it has none. */
export async function lastBilledAccount(db: Db, tenantId: string, accountId: string): Promise<Invoice['account'] | undefined> {
  const row = await db
    .selectFrom('invoices')
    .select('document')
    .where('tenant_id', '=', tenantId)
    .where('account_id', '=', accountId)
    .orderBy('created_at', 'desc')
    .orderBy('invoice_id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && JSON.parse(row.document)
}

/** One invoice with what it says, if there is one; no `content`: it was written before invoices kept that. */
export async function findInvoice(
  db: Db,
  tenantId: string,
  invoiceId: string,
): Promise<{ readonly invoice: Invoice; readonly content: InvoiceDocument | undefined } | undefined> {
  const row = await db
    .selectFrom('invoices')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('invoice_id', '=', invoiceId)
    .executeTakeFirst()
  if (!row) return undefined
  await yieldToEventLoop()
  return { invoice: invoiceOf(row), content: row.content === null ? undefined : JSON.parse(row.content) }
}

/** All but what the invoices say. */
export const LISTED = [
  'invoice_id',
  'month',
  'account_id',
  'currency',
  'total_micros',
  'document',
  'created_at',
  'payable_micros',
  'due_on',
  'refers_to',
] as const

export function invoiceOf(row: Pick<Selectable<BillingTables['invoices']>, (typeof LISTED)[number]>): Invoice {
  return {
    invoiceId: row.invoice_id,
    month: row.month,
    accountId: row.account_id,
    currency: row.currency,
    totalMicros: Number(row.total_micros),
    account: JSON.parse(row.document),
    createdAt: row.created_at,
    ...(row.payable_micros !== null && { payableMicros: Number(row.payable_micros) }),
    ...(row.due_on !== null && { dueOn: row.due_on }),
    ...(row.refers_to !== null && { refersTo: row.refers_to }),
  }
}
