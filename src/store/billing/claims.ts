import { payableMicros } from '../../domain/billing/invoice-rounding.ts'
import type { Claim } from '../../domain/billing/settlement.ts'
import { localCalendar } from '../../domain/calendar/local-time.ts'
import { deliveryZone } from '../ad-serving/delivery-sums.ts'
import type { Db } from '../database.ts'

/** What the invoices of a publisher, or of one account, ask for: the oldest month first. Days are the publisher's, as on the invoices. */
export async function listClaims(db: Db, tenantId: string, accountId?: string): Promise<Claim[]> {
  let query = db
    .selectFrom('invoices')
    .select([
      'invoice_id',
      'month',
      'account_id',
      'currency',
      'total_micros',
      'payable_micros',
      'created_at',
      'due_on',
      'refers_to',
    ])
    .where('tenant_id', '=', tenantId)
  if (accountId !== undefined) query = query.where('account_id', '=', accountId)
  const rows = await query.orderBy('month').orderBy('invoice_id').execute()
  const { dayOf } = localCalendar(await deliveryZone(db, tenantId))
  return rows.map((row) => ({
    ...{ invoiceId: row.invoice_id, month: row.month, accountId: row.account_id, currency: row.currency },
    payableMicros:
      row.payable_micros === null ? payableMicros(Number(row.total_micros), row.currency) : Number(row.payable_micros),
    ...{ issuedOn: dayOf(new Date(row.created_at)), dueOn: row.due_on ?? undefined, refersTo: row.refers_to ?? undefined },
  }))
}
