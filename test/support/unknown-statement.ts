/** What a buyer says of a configuration that nobody has: valid, and answered as what is not there. */
export const UNKNOWN_STATEMENT = {
  reporting_status_id: 'statement-of-nobody-1',
  ...{ delivery_config_id: 'daily', delivery_config_version: 1, report_definition_id: 'media_buy_delivery_daily.v1' },
  period: { start: '2026-03-01T00:00:00Z', end: '2026-03-02T00:00:00Z', source_timezone: 'UTC' },
  consumer_status: 'obligation_missing',
  status_as_of: '2026-03-03T00:00:00Z',
}
