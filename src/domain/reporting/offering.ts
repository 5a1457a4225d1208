import { DEFINITION_ID, OFFICIAL_AFTER_DAYS, PROFILE, reportingDocuments } from './documents.ts'

export type Finality = 'snapshot' | 'official'
export type FeedPurpose = 'pacing' | 'analytics'

/** One kind of report that a buyer can have delivered (AdCP 3.2, core/reporting-delivery-offering.json). */
export interface ReportingOffering {
  readonly offeringId: string
  readonly feedPurpose: FeedPurpose
  readonly finality: Finality
  /** Days and hours after the end of a period until the report is due. */
  readonly dueHours: number
}

/** Ad servers count late by some hours; a final report is due once nothing of its days changes any more. */
const DUE_HOURS = 6

/** All are read with get_media_buy_delivery; none is delivered elsewhere, and none is for billing, which would take receipts. */
export const OFFERINGS: readonly ReportingOffering[] = [
  { offeringId: 'delivery-daily-snapshot', feedPurpose: 'pacing', finality: 'snapshot', dueHours: DUE_HOURS },
  {
    offeringId: 'delivery-daily-official',
    feedPurpose: 'analytics',
    finality: 'official',
    dueHours: OFFICIAL_AFTER_DAYS * 24 + DUE_HOURS,
  },
]

/** While a report is late for no longer, it is expected to come by itself. */
export const RECOVERY_SECONDS = 86_400
/** For so long reports can be read. */
export const RETENTION_DAYS = 400

/** The schedule of an offering, which a configuration repeats: whole UTC days. */
export function scheduleOf({ dueHours }: ReportingOffering) {
  const [days, hours] = [Math.floor(dueHours / 24), dueHours % 24]
  return {
    period_duration: 'P1D',
    alignment: 'utc',
    delivery_sla: `P${days > 0 ? `${days}D` : ''}${hours > 0 ? `T${hours}H` : ''}`,
  } as const
}

/**
 * Whether the documents of reports can be published at an origin: their addresses have to be https with a name (AdCP 3.2, `report_definition_uri`). Without that,
 * reports are not declared.
 */
export function canPublishAt(origin: string): boolean {
  return /^https:\/\/(?!localhost(?:[:/]|$))(?!\[)(?!\d+(?:\.\d+){3}(?::|$))(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,}(?::\d+)?$/.test(
    origin,
  )
}

/** What the capabilities say of reports (AdCP 3.2, core/reporting-delivery-capabilities.json): the tier that is called Core. */
export function reportingCapability(origin: string) {
  const { definition, schema } = reportingDocuments(origin)
  return {
    supported: true,
    reliable_reporting_version: '1.0',
    configuration_task: 'sync_accounts',
    status_task: 'get_reporting_status',
    consumer_status_task: 'sync_reporting_status',
    revision_content_task: 'get_media_buy_delivery',
    automated_recovery_window_seconds: RECOVERY_SECONDS,
    status_retention_days: RETENTION_DAYS,
    offerings: OFFERINGS.map((offering) => ({
      offering_id: offering.offeringId,
      feed_purpose: offering.feedPurpose,
      report_definition_id: DEFINITION_ID,
      report_definition_uri: definition.uri,
      report_definition_sha256: definition.sha256,
      reporting_profile: {
        ...{ id: PROFILE.id, version: PROFILE.version, grain: PROFILE.grain },
        ...{ schema_uri: schema.uri, schema_sha256: schema.sha256 },
        schema_dialect: 'https://json-schema.org/draft/2020-12/schema',
        schema_ref_policy: 'local_fragment_only',
        primary_keys: PRIMARY_KEYS,
      },
      schedule: scheduleOf(offering),
      supported_finality: [offering.finality],
      reconciliation_mode: 'delivery_only',
    })),
  }
}

/** What names a row. */
const PRIMARY_KEYS = ['period_start', 'dimensions.media_buy_id', 'dimensions.package_id']
