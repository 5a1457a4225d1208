export interface SavedReportTables {
  /** Questions of the publisher's people about delivery, under names. */
  saved_reports: {
    tenant_id: string
    name: string
    /** What is asked, JSON. */
    document: string
    /** The person, as the audit log names them. */
    saved_by: string
    saved_at: string
  }
}
