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
  }
}
