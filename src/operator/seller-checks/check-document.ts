import type { SellerReport } from './check-seller.ts'

/** What `verify-seller` found. Times are ISO 8601. */
export interface SellersDocument {
  readonly made_by: { readonly name: string; readonly version: string }
  readonly started_at: string
  readonly ended_at: string
  readonly brief: string
  readonly sellers: readonly SellerReport[]
}

/** Who made a document, from when to when, with which question. */
export interface Making {
  /** Of this program. */
  readonly version: string
  readonly brief: string
  readonly startedAt: Date
  readonly endedAt: Date
}

/** The document that is signed. */
export function checkDocument({ version, brief, startedAt, endedAt }: Making, sellers: readonly SellerReport[]): SellersDocument {
  return {
    made_by: { name: 'adcp-sales-agent verify-seller', version },
    started_at: startedAt.toISOString(),
    ended_at: endedAt.toISOString(),
    brief,
    sellers,
  }
}
