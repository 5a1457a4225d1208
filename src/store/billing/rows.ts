import type { Charge } from '../../domain/media-buy/charge.ts'
import type { TakenBackColumns } from '../account/rows.ts'

export interface BillingTables {
  /** Months that are closed: nothing in them changes any more. */
  billing_months: {
    tenant_id: string
    month: string
    closed_at: string
    closed_by: string
  }
  invoices: {
    tenant_id: string
    invoice_id: string
    month: string
    account_id: string
    currency: string
    total_micros: number
    /** The account as it was when the month was closed, as JSON. */
    document: string
    created_at: string
    /** Rounded, with tax; null: written before invoices kept what they say, without tax. */
    payable_micros: number | null
    /** `YYYY-MM-DD`; null: no payment terms. */
    due_on: string | null
    /** What the invoice says, as JSON; null: written before invoices kept it. */
    content: string | null
    /** The invoice that a credit note credits; null: no credit note that people wrote. */
    refers_to: string | null
  }
  invoice_lines: {
    tenant_id: string
    invoice_id: string
    position: number
    service_month: string
    media_buy_id: string
    package_id: string
    product_id: string
    impressions: number
    amount_micros: number
    /** What else was counted, as JSON; null: written before lines kept it. */
    counts: string | null
  }
  /** Payments of invoices; what was taken back is kept and counts for nothing. */
  invoice_payments: TakenBackColumns & {
    tenant_id: string
    payment_id: string
    invoice_id: string
    amount_micros: number
    /** `YYYY-MM-DD`. */
    paid_on: string
    reference: string | null
    recorded_at: string
    recorded_by: string
  }
  /** What was paid back to customers of their credit; what was taken back is kept and counts for nothing. */
  refunds: TakenBackColumns & {
    tenant_id: string
    refund_id: string
    /** An account, or who pays for orders without one. */
    account_id: string
    currency: string
    amount_micros: number
    /** `YYYY-MM-DD`. */
    paid_on: string
    reference: string | null
    recorded_at: string
    recorded_by: string
  }
  /** What is charged for orders beside their delivery; `invoice_id`: where it was billed. */
  charges: TakenBackColumns & {
    tenant_id: string
    charge_id: string
    kind: Charge['kind']
    order_id: string
    line_id: string
    product_id: string
    currency: string
    amount_micros: number
    reason: string
    incurred_at: string
    made_by: string | null
    invoice_id: string | null
    /** Of a credit for an order that people entered: the billing party that it was given to; null: whom the order is billed to. */
    credited_to: string | null
    /** By which rule a cancellation costs it, as JSON; null: another charge, or from before rules were kept. */
    rule: string | null
  }
  /** How often the books of a publisher changed. */
  billing_books: {
    tenant_id: string
    revision: number
  }
  /** What the invoices of a publisher say of itself, as JSON. */
  invoicing: {
    tenant_id: string
    document: string
    updated_at: string
  }
}
