/** What of delivery a row has, beside its spend. */
export type CountName = 'impressions' | 'clicks' | 'views' | 'completed_views' | 'conversions'

/** How reports are written: what their rows mean, what names a row, and whether a row is flat. */
export interface ReportForm {
  /** What the rows mean; a change of the meaning is another id (AdCP 3.2, core/reporting-report-definition.json). */
  readonly definitionId: string
  /** One row for each package and period (AdCP 3.2, core/reporting-delivery-offering.json, `reporting_profile`). */
  readonly profile: { readonly id: string; readonly version: string; readonly grain: 'package_day' | 'package_hour' }
  /** Periods are days or hours. */
  readonly period: 'P1D' | 'PT1H'
  /** Whose days: those of UTC, or of the time zone in which the publisher counts. Hours are those of UTC. */
  readonly alignment: 'utc' | 'source_timezone'
  /** For so many days after its end a period is read again. */
  readonly requeryDays: number
  /** Counts of a row. */
  readonly counts: readonly CountName[]
  /** Counts that are added up over the rows. */
  readonly totals: readonly CountName[]
  /** Whether rows and totals have money. */
  readonly hasSpend: boolean
  /** Ordered members that name a row. */
  readonly primaryKeys: readonly string[]
  /** Every member of a row is a text at its top, as a file of comma-separated values has it. */
  readonly isFlat: boolean
  /** How the rows are made into the bytes of their canonical digest; absent where the form has none. */
  readonly canonicalizationId?: string
}

/** For so long after its end the delivery of a day is read again. */
export const REQUERY_DAYS = 30
/** After so many days a report is final; what ad servers correct later is an adjustment. */
export const OFFICIAL_AFTER_DAYS = 7

const COUNTS = ['impressions', 'clicks', 'views', 'completed_views', 'conversions'] as const

const DAY = { period: 'P1D', requeryDays: REQUERY_DAYS, hasSpend: true } as const
const UTC_DAY = { ...DAY, alignment: 'utc', counts: COUNTS, totals: COUNTS } as const

const FLAT = {
  ...UTC_DAY,
  profile: { id: 'media_buy_delivery_daily_flat', version: '1', grain: 'package_day' },
  primaryKeys: ['period_start', 'media_buy_id', 'package_id'],
  isFlat: true,
} as const

const NESTED_KEYS = ['period_start', 'dimensions.media_buy_id', 'dimensions.package_id'] as const

/** Conversions are credited to days of UTC, so that no other day has them. */
const LOCAL_COUNTS = ['impressions', 'clicks', 'views', 'completed_views'] as const

/**
 * The forms of reports. Files for billing have a definition of their own: a buyer that has both has two reports of a day, so that a receipt is of one
 * report alone (the official consumer, adcp.reporting, takes one obligation for each report that has files).
 */
export const FORMS = {
  call: {
    ...UTC_DAY,
    definitionId: 'media_buy_delivery_daily.v1',
    profile: { id: 'media_buy_delivery_daily', version: '1', grain: 'package_day' },
    primaryKeys: NESTED_KEYS,
    isFlat: false,
  },
  /** Days as the publisher counts and bills them. */
  local: {
    ...DAY,
    alignment: 'source_timezone',
    counts: LOCAL_COUNTS,
    totals: LOCAL_COUNTS,
    definitionId: 'media_buy_delivery_local_daily.v1',
    profile: { id: 'media_buy_delivery_local_daily', version: '1', grain: 'package_day' },
    primaryKeys: NESTED_KEYS,
    isFlat: false,
  },
  /** Counts alone, to pace by: money is settled by days. An hour is final when it is read for the last time. */
  hour: {
    ...{ period: 'PT1H', alignment: 'utc', requeryDays: OFFICIAL_AFTER_DAYS, hasSpend: false },
    counts: ['impressions', 'clicks'],
    totals: ['impressions'],
    definitionId: 'media_buy_delivery_hourly.v1',
    profile: { id: 'media_buy_delivery_hourly', version: '1', grain: 'package_hour' },
    primaryKeys: NESTED_KEYS,
    isFlat: false,
  },
  files: { ...FLAT, definitionId: 'media_buy_delivery_daily_files.v1' },
  billing: {
    ...FLAT,
    definitionId: 'media_buy_delivery_daily_billing.v1',
    canonicalizationId: 'media_buy_delivery_daily_flat_rows.v1',
  },
} as const satisfies Readonly<Record<string, ReportForm>>

export type FormName = keyof typeof FORMS

/** The form of a definition. Throws for one that is none of ours: what is stored was published. */
export function formDefined(id: string): ReportForm {
  const form = Object.values<ReportForm>(FORMS).find(({ definitionId }) => definitionId === id)
  if (!form) throw new Error(`a stored report names the definition ${id}`)
  return form
}

/** Whether reports of a form are of hours or of days that are not those of UTC: an ad server that counts by day of UTC cannot have them. */
export function needsHours({ period, alignment }: Pick<ReportForm, 'period' | 'alignment'>): boolean {
  return period === 'PT1H' || alignment === 'source_timezone'
}
