interface AuditEntryRow {
  entry_id: string
  at: string
  tenant_id: string
  entry: string
}

export interface AuditLogRow {
  tenant_id: string
  seq: number
  at: string
  principal_id: string | null
  task: string
  outcome: string
  entry: string
  previous_hash: string
  hash: string
}

export interface AuditTables {
  audit_entries: AuditEntryRow
  audit_log: AuditLogRow
}
