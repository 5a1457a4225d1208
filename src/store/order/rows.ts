import type { OrderOrigin } from '../../domain/order/order-origin.ts'
import type { PartyRole } from '../../domain/order/order-terms.ts'

export interface OrderTables {
  /** Orders that people entered or adopted; those of buyers are `media_buys`. Ids are unique among all of them. */
  orders: {
    tenant_id: string
    order_id: string
    origin: Exclude<OrderOrigin, 'buyer'>
    /** Where it is served and counted. */
    ad_server: string
    /** What that ad server reports it as. */
    external_id: string
    name: string
    advertiser: string
    /** ISO 4217. */
    currency: string
    /** Whom its invoices go to; '': it costs nobody money. */
    party: string
    /** The first month that is billed, `YYYY-MM`; '': every month. */
    billed_from: string
    starts_at: string
    ends_at: string
    created_at: string
    /** The largest safe integer: it is not limited. */
    budget_micros: number
    /** Words that people find the order by, in small letters. */
    search: string
    /** Of an adopted order JSON of `AdoptedOrder` (`adopted-orders.ts`); else `{}`: the ad server of this program knows what was entered. */
    document: string
    /** When the next delivery report is due, ISO 8601 UTC. */
    report_at: string
    /** Grows with every import that added to the ledger. */
    imports: number
  }
  order_lines: {
    tenant_id: string
    /** What the ad server reports it as: rows of the ledger have it as `package_id`. */
    line_id: string
    order_id: string
    /** '' where none is sold by it. */
    product_id: string
    /** JSON of `LinePricing` (`domain/order/line-pricing.ts`); of an adopted line, of `AdoptedLine` there. */
    document: string
  }
  /** What finance and sales know of an order of any origin beside what was ordered; an order without a row has nothing of it. */
  order_terms: {
    tenant_id: string
    order_id: string
    /** JSON of {@link OrderParty}; `agency` too. */
    advertiser: string | null
    agency: string | null
    billed_to: PartyRole
    purchase_order: string | null
    sales_person: string | null
    /** JSON array of texts. */
    labels: string
    /** Hundredths of a percent of what is charged. */
    discount_basis_points: number
    /** Hundredths of a percent of what is left after the discount: what the agency keeps. */
    commission_basis_points: number
    updated_at: string
  }
}
