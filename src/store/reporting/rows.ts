import type { CaseState } from '../../domain/reporting/mismatch.ts'
import type { Finality } from '../../domain/reporting/offering.ts'
export interface ReportingTables {
  /** Configurations of reports, each version once. */
  reporting_generations: {
    tenant_id: string
    principal_id: string
    account_id: string
    config_id: string
    version: number
    /** The configuration as it was accepted, JSON. */
    document: string
    activated_at: string
    deactivated_at: string | null
    stopped_at: string | null
  }
  /** What was owed, published and corrected, and what buyers said of that. Rows are added, never changed. */
  reporting_records: {
    tenant_id: string
    principal_id: string
    account_id: string
    /** Place in the order of the buyer's records of the account, without gaps. */
    seq: number
    kind: 'obligation' | 'revision' | 'adjustment' | 'consumer_status' | 'materialization' | 'receipt' | 'adjustment_receipt'
    record_id: string
    slice_id: string
    period_start: string
    document: string
    /** The rows of a revision, JSON. */
    report_rows: string | null
    /** Of a revision, as its document says; null in those that were recorded before there was a column for it. */
    finality: Finality | null
    /** Of what is owed: name and version of its configuration, and the end of its period. */
    generation: string | null
    period_end: string | null
    recorded_at: string
  }
  /** Files of reports, as they are delivered. Rows are added with the record of the files, never changed. */
  reporting_files: {
    /** Names the files of one report for one buyer. */
    resource_ref: string
    object_ref: string
    tenant_id: string
    principal_id: string
    account_id: string
    media_type: string
    /** Base64. */
    content: string
    written_at: string
  }
  /** What the publisher's people made of statements of buyers. */
  reporting_cases: {
    tenant_id: string
    issue_id: string
    principal_id: string
    account_id: string
    state: CaseState
    /** Who at the buyer agreed to a waiver. */
    agreed_with: string | null
    note: string | null
    /** The charge or credit that settles it. */
    charge_id: string | null
    decided_by: string
    decided_at: string
  }
  /** Accounts whose reports follow a clock that a conformance suite moves. */
  reporting_labs: {
    tenant_id: string
    principal_id: string
    account_id: string
    /** What the clock says. */
    now_is: string
    /** Up to where the source of the delivery has counted; null: nowhere. */
    counted_until: string | null
    /** The id of the report that is published next; null: it follows from its rows. */
    revision_id: string | null
  }
}
