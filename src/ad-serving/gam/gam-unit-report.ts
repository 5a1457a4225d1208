import type { UnitDay, UnitReport } from '../../domain/ad-serving/unit-day.ts'
import type { UnitReportRequest } from '../backend.ts'
import type { Message } from './client.ts'
import type { GamParts } from './gam-parts.ts'
import { countOf, dateOf, messagesOf, textOf } from './messages.ts'
import { dayOfNumber, partOfReport, type RunParts } from './report-run.ts'

/** Metrics of a report, in the order of its columns. Requests and unfilled impressions count what every demand of the network was asked for. */
const METRICS = [
  'AD_REQUESTS',
  'UNFILLED_IMPRESSIONS',
  'IMPRESSIONS',
  'ACTIVE_VIEW_VIEWABLE_IMPRESSIONS',
  'CLICKS',
  'AD_SERVER_COMPLETED_VIEWS',
]

/** What ad units were asked for and showed, by unit and day of the network's time zone, a page at a time. Throws what the network answers. */
export async function gamUnitReport(
  { lookups, ...parts }: RunParts & Pick<GamParts, 'lookups'>,
  { first, last, after }: UnitReportRequest,
): Promise<UnitReport> {
  const { rows, next } = await partOfReport(parts, after, {
    displayName: 'Requests of ad units',
    of: () => ({
      reportType: 'HISTORICAL',
      dimensions: ['DATE', 'AD_UNIT_ID', 'AD_UNIT_NAME'],
      metrics: METRICS,
      timeZoneSource: 'PUBLISHER',
      dateRange: { fixed: { startDate: dateOf(first), endDate: dateOf(last) } },
    }),
  })
  return { rows: rows.map(rowOf), timeZone: await lookups.timeZone(), ...(next !== undefined && { next }) }
}

function rowOf(row: Message): UnitDay {
  const [date, unit, name] = messagesOf(row, 'dimensionValues')
  const unitId = String(countOf(unit, 'intValue'))
  const [requests = 0, unfilled = 0, impressions = 0, viewableImpressions = 0, clicks = 0, completedViews = 0] = messagesOf(
    messagesOf(row, 'metricValueGroups')[0],
    'primaryValues',
  ).map((value) => countOf(value, 'intValue'))
  return {
    ...{ unitId, unitName: textOf(name, 'stringValue') ?? unitId, day: dayOfNumber(countOf(date, 'intValue')) },
    ...{ requests, unfilled, impressions, viewableImpressions, clicks, completedViews },
  }
}
