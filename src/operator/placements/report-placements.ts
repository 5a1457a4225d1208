import { addCounts } from '../../domain/add-counts.ts'
import { type LocalCalendar, localCalendar, nextDay } from '../../domain/calendar/local-time.ts'
import { AdcpError } from '../../protocol/errors.ts'
import {
  listPlaceHours,
  NO_PLACE_COUNTS,
  PLACE_COUNTS,
  type PlaceCounts,
  type PlaceHour,
} from '../../store/embedded/place-hours.ts'
import { type ActContext, defineAct } from '../act.ts'
import { csvText } from '../csv-text.ts'
import { someOf, text } from '../fields.ts'
import { RANGE, RANGE_FLAGS, rangeMembers, reportDays } from '../reports/report-range.ts'
import { READERS } from '../roles.ts'
import { about, integer, listOf, mapOf, named, number, type Of, object, orNull, string } from '../shape.ts'
import { table } from '../text-table.ts'
import { PLACEMENT_ID } from './placement-shapes.ts'
import { readPlacements } from './read-placements.ts'
import { listUnitDays } from './unit-days.ts'

/** What a report of placements can be split by. */
export const PLACEMENT_DIMENSIONS = ['placement', 'hour', 'day', 'month'] as const
type Dimension = (typeof PLACEMENT_DIMENSIONS)[number]

/** Sums that one report reads: a year of fifty placements by the hour, about half a second. */
const MOST_SUMS = 500_000
/** Rows that a report has at most: what a spreadsheet still opens. */
const MOST_ROWS = 100_000

const share = (description: string) => about(description, orNull(number))
const counts = {
  requests: about('for an ad, by people and not bots', integer),
  filled: about('requests that were answered with an ad', integer),
  unsold: about('requests without an ad', integer),
  fill: share('share of the requests that were filled; null where requests were not counted'),
  impressions: integer,
  viewable_impressions: integer,
  clicks: integer,
  click_rate: share('clicks of the impressions; null without impressions'),
  completed_views: integer,
}
const countsShape = object(counts)
const row = named(
  'PlacementReportRow',
  object({
    dimensions: mapOf(string),
    name: about('of the placement; empty where rows are of no one placement', string),
    ...counts,
  }),
)
const reportShape = named(
  'PlacementReport',
  object({ ...rangeMembers, time_zone: string, by: listOf(string), rows: listOf(row), totals: countsShape }),
)
export type PlacementReport = Of<typeof reportShape>

const QUERY = {
  ...RANGE,
  by: someOf(PLACEMENT_DIMENSIONS, `of ${PLACEMENT_DIMENSIONS.join(', ')}; default: placement`),
  placement: PLACEMENT_ID,
  ad_server: text(
    'an ad server that counts its ad units: these in place of placements, by its own days; default: the embedded ad server',
  ),
}

/**
 * What the places of the publisher's pages were asked for and showed, in its time zone: every ad of the embedded ad server, whoever sold it, those of sandbox orders too. An hour belongs to the
 * day on which it begins. Throws INVALID_REQUEST for wrong days and for what is too much to sum up at once.
 */
export const reportPlacements = defineAct({
  name: 'placements.report',
  route: 'GET /reports/placements',
  id: 'reportPlacements',
  roles: READERS,
  summary:
    'Requests, fill, unsold requests and impressions of placements of the embedded ad server, by hour, day or month; of the ad units of another ad server by day or month.',
  fields: QUERY,
  answer: reportShape,
  command: { flags: RANGE_FLAGS, text: reportLines, csv: placementCsv },
  async run(context, query) {
    const days = await reportDays(context, query)
    const { first, last } = days
    const by: readonly Dimension[] = [...new Set(query.by?.length ? query.by : (['placement'] as const))]
    const calendar = localCalendar(days.timeZone)
    const { sums, names, timeZone } =
      query.ad_server === undefined
        ? await placementSums(context, { ...days, place: query.placement, by }, calendar)
        : await unitSums(context, { adServer: query.ad_server, ...days, place: query.placement, by }, calendar)
    const summed = summedBy(by, sums, calendar)
    if (sums.length > MOST_SUMS || summed.length > MOST_ROWS)
      throw new AdcpError(
        'INVALID_REQUEST',
        `${first} to ${last} by ${by.join(', ')} is too much for one report; choose fewer days or one placement`,
        {
          field: 'by',
        },
      )
    const rows = summed.map(({ values, counts: own }) => {
      const dimensions = Object.fromEntries(by.map((name, index) => [name, values[index] ?? '']))
      return { dimensions, name: names.get(dimensions.placement ?? '') ?? dimensions.placement ?? '', ...withShares(own) }
    })
    return {
      first,
      last,
      time_zone: timeZone,
      by,
      rows,
      totals: withShares(sums.reduce((sum, each) => addCounts(NO_PLACE_COUNTS, sum, each), NO_PLACE_COUNTS)),
    }
  },
})

interface Wanted {
  readonly first: string
  readonly last: string
  readonly timeZone: string
  readonly place: string | undefined
  readonly by: readonly Dimension[]
}

async function placementSums(
  { store, tenantId }: ActContext,
  { first, last, timeZone, place, by }: Wanted,
  calendar: LocalCalendar,
) {
  const sums = await listPlaceHours(store.read, tenantId, {
    from: calendar.startOf(first).toISOString(),
    until: calendar.startOf(nextDay(last)).toISOString(),
    place,
    byHour: by.some((name) => name !== 'placement'),
    byPlace: by.includes('placement'),
    limit: MOST_SUMS + 1,
  })
  const named = by.includes('placement') ? await readPlacements(store.read, tenantId) : []
  return { sums, names: new Map(named.map((each) => [each.placement_id, each.name])), timeZone }
}

/** Ad units are counted by the day. */
function unitSums(context: ActContext, { by, ...wanted }: Wanted & { readonly adServer: string }, calendar: LocalCalendar) {
  if (!by.includes('hour')) return listUnitDays(context, { ...wanted, most: MOST_SUMS }, calendar)
  const message = `by: an ad server counts its ad units by the day; choose some of ${PLACEMENT_DIMENSIONS.filter((name) => name !== 'hour').join(', ')}`
  throw new AdcpError('INVALID_REQUEST', message, { field: 'by' })
}

interface Summed {
  readonly values: readonly string[]
  readonly counts: PlaceCounts
}

/** Sums by the values of their dimensions: times in their order, placements by what they were asked for. */
function summedBy(by: readonly Dimension[], hours: readonly PlaceHour[], { dayOf, timeOf }: LocalCalendar): Summed[] {
  const times = new Map<string, string>()
  const timeOfHour = (hour: string) => {
    const known = times.get(hour) ?? `${dayOf(new Date(hour))}T${timeOf(new Date(hour))}`
    times.set(hour, known)
    return known
  }
  const VALUES: Readonly<Record<Dimension, (hour: PlaceHour) => string>> = {
    placement: ({ place }) => place,
    hour: ({ hour }) => timeOfHour(hour),
    day: ({ hour }) => timeOfHour(hour).slice(0, 10),
    month: ({ hour }) => timeOfHour(hour).slice(0, 7),
  }
  const sums = new Map<string, Summed>()
  for (const hour of hours) {
    const values = by.map((name) => VALUES[name](hour))
    const key = JSON.stringify(values)
    sums.set(key, { values, counts: addCounts(NO_PLACE_COUNTS, sums.get(key)?.counts ?? NO_PLACE_COUNTS, hour) })
  }
  const timed = by.findIndex((name) => name !== 'placement')
  return [...sums.values()].sort((a, b) => {
    const [earlier = '', later = ''] = timed < 0 ? [] : [a.values[timed], b.values[timed]]
    if (earlier !== later) return earlier < later ? -1 : 1
    return b.counts.requests - a.counts.requests || b.counts.impressions - a.counts.impressions
  })
}

function withShares(own: PlaceCounts): Of<typeof countsShape> {
  const of = (part: number, whole: number) => (whole > 0 ? part / whole : null)
  const { requests, filled, impressions, clicks, ...others } = own
  return {
    ...{ requests, filled, unsold: requests - filled, fill: of(filled, requests) },
    ...{ impressions, clicks, click_rate: of(clicks, impressions), ...others },
  }
}

/** The report as CSV (RFC 4180); rates are left to the spreadsheet. */
export function placementCsv({ by, rows }: PlacementReport): string {
  const isNamed = by.includes('placement')
  const columns = [...PLACE_COUNTS, 'unsold'] as const
  return csvText(
    [...by, ...(isNamed ? ['placement_name'] : []), ...columns],
    rows.map((each) => [
      ...by.map((name) => each.dimensions[name] ?? ''),
      ...(isNamed ? [each.name] : []),
      ...columns.map((name) => each[name]),
    ]),
  )
}

function reportLines({ first, last, by, rows }: PlacementReport): readonly string[] {
  if (rows.length === 0) return [`no placement was asked for an ad from ${first} to ${last}`]
  const percent = (part: number | null) => (part === null ? '' : `${(part * 100).toFixed(1)} %`)
  const body = rows.map((each) => [
    ...by.map((name) => each.dimensions[name] ?? ''),
    ...[each.requests, each.unsold].map(String),
    percent(each.fill),
    ...[each.impressions, each.clicks].map(String),
  ])
  const headings = [...by.map((name) => name.toUpperCase()), 'REQUESTS', 'UNSOLD', 'FILL', 'IMPRESSIONS', 'CLICKS']
  return [`${first} to ${last}`, '', ...table(headings, body)]
}
