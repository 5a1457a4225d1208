import type { SumDimension } from '../../store/ad-serving/read-sums.ts'
import { about, integer, listOf, mapOf, named, number, type Of, object, orNull, string } from '../shape.ts'
import { rangeMembers } from './report-range.ts'

/** What a report can be split by. */
export const DIMENSIONS = [
  'order',
  'package',
  'product',
  'buyer',
  'advertiser',
  'account',
  'creative',
  'day',
  'month',
] as const satisfies readonly SumDimension[]

export type ReportDimension = (typeof DIMENSIONS)[number]

/** Names of the dimensions. */
export const REPORT_DIMENSIONS: readonly string[] = DIMENSIONS

const share = (description: string) => about(description, orNull(number))
const counts = {
  currency: about('ISO 4217', string),
  impressions: integer,
  viewable_impressions: integer,
  clicks: integer,
  completed_views: integer,
  conversions: number,
  spent: number,
  viewable_rate: share('viewable impressions of the impressions; null without impressions'),
  click_rate: share('clicks of the impressions; null without impressions'),
  completion_rate: share('completed views of the impressions; null without impressions'),
  ecpm: share('`spent` for 1,000 impressions, to the micro; null without impressions'),
}
const reportRow = named(
  'ReportRow',
  about(
    'A row: the value of each dimension, and what was delivered; `spent` in units of `currency`.',
    object({
      dimensions: mapOf(string),
      names: about('by dimension, of what has a name beside its id', mapOf(string)),
      ...counts,
    }),
  ),
)
export type ReportRow = Of<typeof reportRow>

export const reportShape = named(
  'DeliveryReport',
  object({
    ...rangeMembers,
    time_zone: string,
    by: listOf(string),
    rows: listOf(reportRow),
    totals: about('One a currency; each is the exact sum of its rows.', listOf(object(counts))),
  }),
)
export type DeliveryReport = Of<typeof reportShape>
