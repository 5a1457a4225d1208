/** How reports are written: what their rows mean, what names a row, and whether a row is flat. */
export interface ReportForm {
  /** What the rows mean; a change of the meaning is another id (AdCP 3.2, core/reporting-report-definition.json). */
  readonly definitionId: string
  /** One row for each package and UTC day (AdCP 3.2, core/reporting-delivery-offering.json, `reporting_profile`). */
  readonly profile: { readonly id: string; readonly version: string; readonly grain: 'package_day' }
  /** Ordered members that name a row. */
  readonly primaryKeys: readonly string[]
  /** Every member of a row is a text at its top, as a file of comma-separated values has it. */
  readonly isFlat: boolean
  /** How the rows are made into the bytes of their canonical digest; absent where the form has none. */
  readonly canonicalizationId?: string
}

const FLAT = {
  profile: { id: 'media_buy_delivery_daily_flat', version: '1', grain: 'package_day' },
  primaryKeys: ['period_start', 'media_buy_id', 'package_id'],
  isFlat: true,
} as const

/**
 * The forms of reports. Files for billing have a definition of their own: a buyer that has both has two reports of a day, so that a receipt is of one
 * report alone (the official consumer, adcp.reporting, takes one obligation for each report that has files).
 */
export const FORMS = {
  call: {
    definitionId: 'media_buy_delivery_daily.v1',
    profile: { id: 'media_buy_delivery_daily', version: '1', grain: 'package_day' },
    primaryKeys: ['period_start', 'dimensions.media_buy_id', 'dimensions.package_id'],
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
