import { DELIVERY_READY, LEDGER_CHANGED } from '../account/report-event.ts'
import { CANONICALIZATION_TYPE, reportingDocuments } from './documents.ts'
import { FORMS, type FormName, needsHours, OFFICIAL_AFTER_DAYS, type ReportForm } from './form.ts'

export const FINALITIES = ['snapshot', 'official'] as const
export type Finality = (typeof FINALITIES)[number]
export type FeedPurpose = 'pacing' | 'analytics' | 'billing'
export type FileFormat = 'csv' | 'jsonl'

/** One kind of report that a buyer can have delivered (AdCP 3.2, core/reporting-delivery-offering.json). */
export interface ReportingOffering {
  readonly offeringId: string
  readonly form: FormName
  readonly feedPurpose: FeedPurpose
  readonly finality: Finality
  /** Hours after the end of a period until the report is due. */
  readonly dueHours: number
  /** Of files that are made of each report; absent: it is read by calls alone. */
  readonly format?: FileFormat
}

/** Ad servers count late by some hours; a final report is due once nothing of its days changes any more. */
const DUE_HOURS = 6
const OFFICIAL_DUE_HOURS = OFFICIAL_AFTER_DAYS * 24 + DUE_HOURS
/** Days of the publisher's time zone are there where ad servers count by the hour, which are faster. */
const LOCAL_DUE_HOURS = 4
/** An hour is reported within the next. */
const HOURLY_DUE_HOURS = 1

const SNAPSHOT = { feedPurpose: 'pacing', finality: 'snapshot', dueHours: DUE_HOURS } as const
const OFFICIAL = { finality: 'official', dueHours: OFFICIAL_DUE_HOURS } as const

/** All are read with get_media_buy_delivery; those with a format are made as files too, and those for billing take receipts. */
export const OFFERINGS: readonly ReportingOffering[] = [
  { offeringId: 'delivery-daily-snapshot', form: 'call', ...SNAPSHOT },
  { offeringId: 'delivery-daily-official', form: 'call', feedPurpose: 'analytics', ...OFFICIAL },
  { offeringId: 'delivery-hourly-snapshot', form: 'hour', ...SNAPSHOT, dueHours: HOURLY_DUE_HOURS },
  { offeringId: 'delivery-local-daily-snapshot', form: 'local', ...SNAPSHOT, dueHours: LOCAL_DUE_HOURS },
  {
    ...{ offeringId: 'delivery-local-daily-official', form: 'local', feedPurpose: 'analytics', ...OFFICIAL },
    dueHours: OFFICIAL_AFTER_DAYS * 24 + LOCAL_DUE_HOURS,
  },
  { offeringId: 'delivery-daily-files-csv', form: 'files', ...SNAPSHOT, format: 'csv' },
  { offeringId: 'delivery-daily-files-jsonl', form: 'files', ...SNAPSHOT, format: 'jsonl' },
  { offeringId: 'delivery-daily-billing-csv', form: 'billing', feedPurpose: 'billing', ...OFFICIAL, format: 'csv' },
  { offeringId: 'delivery-daily-billing-jsonl', form: 'billing', feedPurpose: 'billing', ...OFFICIAL, format: 'jsonl' },
]

/** The offering of an id. Throws for one that is none of ours: what is stored was offered. */
export function offeringNamed(id: string): ReportingOffering {
  const offering = OFFERINGS.find(({ offeringId }) => offeringId === id)
  if (!offering) throw new Error(`a stored record names the offering ${id}`)
  return offering
}

/** What a report is reconciled by: files for billing by receipts of the buyer. */
export function reconciliationMode({ form }: Pick<ReportingOffering, 'form'>): 'delivery_only' | 'consumer_receipt' {
  return form === 'billing' ? 'consumer_receipt' : 'delivery_only'
}

/** Where files are: the buyer fetches them below this address. */
export function filesAddress(origin: string): string {
  return `${origin}/reporting/files/`
}

/** How the files of an offering are delivered (AdCP 3.2, core/reporting-delivery-method.json), without the destination; undefined where it has none. */
export function methodOf({ format }: Pick<ReportingOffering, 'format'>, origin: string) {
  if (format === undefined) return undefined
  const provider = { domain: new URL(origin).hostname }
  return {
    method: { pattern: 'file_transfer', transport: 'https', orchestration: 'producer_managed', format },
    provider,
  } as const
}

/** While a report is late for no longer, it is expected to come by itself: work that publishes reports has run a dozen times. */
export const RECOVERY_SECONDS = 7_200
/** For so long reports and their files can be read. */
export const RETENTION_DAYS = 400
/** Whoever loses the account loses its files at once; a signed address is checked at each read and ends by itself after this time. */
export const SIGNED_SECONDS = 900

/** The schedule that a configuration of an offering has: whole days, or hours. `timeZone`: whose days, where they need not be those of UTC. */
export function scheduleOf({ form, dueHours }: Pick<ReportingOffering, 'form' | 'dueHours'>, timeZone = 'UTC') {
  const { period, alignment } = FORMS[form]
  return {
    period_duration: period,
    alignment,
    ...(alignment === 'source_timezone' && { period_timezone: timeZone }),
    // A day of a time zone may have 23 or 25 hours.
    delivery_sla: alignment === 'utc' ? durationOf(dueHours) : `PT${dueHours}H`,
  } as const
}

/** The same as it is offered: the time zone is that in which the publisher counts, which a refusal names. */
function offeredSchedule(offering: Pick<ReportingOffering, 'form' | 'dueHours'>) {
  const { period_timezone: _zone, ...schedule } = scheduleOf(offering)
  return schedule.alignment === 'source_timezone'
    ? { ...schedule, period_timezone_policy: 'account_resolved' as const }
    : schedule
}

function durationOf(dueHours: number): string {
  const [days, hours] = [Math.floor(dueHours / 24), dueHours % 24]
  return `P${days > 0 ? `${days}D` : ''}${hours > 0 ? `T${hours}H` : ''}`
}

/** A configuration of an offering as a buyer sends it, for all orders of its account; not of one that has files. */
export function configurationOf(offeringId: string, configId: string, timeZone: string) {
  const offering = offeringNamed(offeringId)
  const { definitionId, profile } = FORMS[offering.form]
  return {
    ...{ delivery_config_id: configId, delivery_config_version: 1, offering_id: offeringId, active: true },
    ...{ feed_purpose: offering.feedPurpose, report_definition_id: definitionId, reporting_profile: profile.id },
    ...{ scope: { all_media_buys: true as const }, coverage_requirement: 'full', required_finality: offering.finality },
    ...{ reconciliation_mode: reconciliationMode(offering), schedule: scheduleOf(offering, timeZone) },
  }
}

/** What is offered where every ad server of the publisher counts by the hour, or not. */
export function offeringsFor({ countsHours }: { readonly countsHours: boolean }): readonly ReportingOffering[] {
  return OFFERINGS.filter(({ form }) => countsHours || !needsHours(FORMS[form]))
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

/** What the capabilities say of reports (AdCP 3.2, core/reporting-delivery-capabilities.json): all three tiers. `countsHours`: see {@link offeringsFor}. */
export function reportingCapability(origin: string, counting: { readonly countsHours: boolean }) {
  return {
    supported: true,
    reliable_reporting_version: '1.0',
    managed_delivery: true,
    reconciled_billing: true,
    configuration_task: 'sync_accounts',
    status_task: 'get_reporting_status',
    consumer_status_task: 'sync_reporting_status',
    revision_content_task: 'get_media_buy_delivery',
    receipt_task: 'sync_reporting_receipts',
    readiness_notification: DELIVERY_READY,
    ledger_notification: LEDGER_CHANGED,
    automated_recovery_window_seconds: RECOVERY_SECONDS,
    status_retention_days: RETENTION_DAYS,
    resource_retention_days: RETENTION_DAYS,
    authorization_revocation_seconds: SIGNED_SECONDS,
    offerings: offeringsFor(counting).map((offering) => presentOffering(offering, origin)),
  }
}

function presentOffering(offering: ReportingOffering, origin: string) {
  const form = FORMS[offering.form]
  const { definition } = reportingDocuments(origin, form)
  const delivered = methodOf(offering, origin)
  return {
    offering_id: offering.offeringId,
    feed_purpose: offering.feedPurpose,
    report_definition_id: form.definitionId,
    report_definition_uri: definition.uri,
    report_definition_sha256: definition.sha256,
    reporting_profile: presentProfile(form, origin),
    schedule: offeredSchedule(offering),
    supported_finality: [offering.finality],
    reconciliation_mode: reconciliationMode(offering),
    ...(delivered && {
      method: { ...delivered.method, provider: delivered.provider, destination_modes: ['provision', 'existing'] as const },
    }),
  }
}

function presentProfile(form: ReportForm, origin: string) {
  const { schema, canonicalization } = reportingDocuments(origin, form)
  const { id, version, grain } = form.profile
  return {
    ...{ id, version, grain, schema_uri: schema.uri, schema_sha256: schema.sha256 },
    schema_dialect: 'https://json-schema.org/draft/2020-12/schema',
    schema_ref_policy: 'local_fragment_only',
    primary_keys: form.primaryKeys,
    ...(canonicalization && {
      canonicalization_id: form.canonicalizationId,
      canonicalization_contract_version: '1.0',
      canonicalization_media_type: CANONICALIZATION_TYPE,
      canonicalization_uri: canonicalization.uri,
      canonicalization_sha256: canonicalization.sha256,
    }),
  }
}
