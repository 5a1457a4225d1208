import type { ControlTotal } from './revision.ts'

interface AnyReceipt {
  readonly reporting_receipt_id: string
  readonly supersedes_reporting_receipt_id?: string
  readonly status: 'accepted' | 'rejected'
  readonly rejection_codes?: readonly string[]
  readonly observed_at: string
  readonly [member: string]: unknown
}

/** What a buyer found out about the files of a report (AdCP 3.2, core/reporting-receipt.json). Its schema is checked before. */
export interface Receipt extends AnyReceipt {
  readonly reporting_obligation_id: string
  readonly reporting_revision_id: string
  readonly reporting_materialization_id: string
  readonly verification_profile: string
  readonly observed_row_count: number
  readonly observed_control_totals: readonly ControlTotal[]
  readonly observed_canonical_content_digest?: object
  readonly observed_manifest_sha256?: string
}

/** What a buyer says of a correction of a final report (AdCP 3.2, core/reporting-adjustment-receipt.json). */
export interface AdjustmentReceipt extends AnyReceipt {
  readonly reporting_adjustment_id: string
  readonly adjusts_reporting_revision_id: string
  readonly observed_adjustment_sha256: string
}

/** A receipt as it was recorded. It never changes. */
export type Recorded<T extends AnyReceipt> = T & { readonly received_at: string }
