/** What a buyer says of a configuration that nobody has: valid, and answered as what is not there. */
export const UNKNOWN_STATEMENT = {
  reporting_status_id: 'statement-of-nobody-1',
  ...{ delivery_config_id: 'daily', delivery_config_version: 1, report_definition_id: 'media_buy_delivery_daily.v1' },
  period: { start: '2026-03-01T00:00:00Z', end: '2026-03-02T00:00:00Z', source_timezone: 'UTC' },
  consumer_status: 'obligation_missing',
  status_as_of: '2026-03-03T00:00:00Z',
}

/** A receipt of the files of a report that is nobody's. */
export const UNKNOWN_RECEIPT = {
  reporting_receipt_id: 'receipt-of-nothing-1',
  reporting_obligation_id: 'reporting-obligation.unknown',
  reporting_revision_id: 'reporting-revision.unknown',
  reporting_materialization_id: 'reporting-materialization.unknown',
  status: 'accepted',
  verification_profile: 'manifest_checksums',
  observed_row_count: 0,
  observed_control_totals: [],
  observed_manifest_sha256: '0'.repeat(64),
  observed_at: '2026-03-18T08:00:00Z',
}
