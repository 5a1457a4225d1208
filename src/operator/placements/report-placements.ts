import { type LocalCalendar, localCalendar, nextDay } from '../../domain/calendar/local-time.ts'
import { eachInTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { listPlaceHours, PLACE_COUNTS, type PlaceCounts, type PlaceHour } from '../../store/embedded/place-hours.ts'
import { type ActContext, defineAct } from '../act.ts'
import { csvText } from '../csv-text.ts'
import { someOf } from '../fields.ts'
import { RANGE, RANGE_FLAGS, rangeMembers, reportDays } from '../reports/report-range.ts'
import { READERS } from '../roles.ts'
import { about, integer, listOf, mapOf, named, number, type Of, object, orNull, string } from '../shape.ts'
import { adServerName } from '../text-form.ts'
import { table } from '../text-table.ts'
import { PLACEMENT_ID } from './placement-shapes.ts'
import { PLACEMENT_DIMENSIONS, type PlacementDimension, PlacementSums } from './placement-sums.ts'
import { readPlacements } from './read-placements.ts'
import { listUnitDays } from './unit-days.ts'

/** Days of ad units that one report takes from an ad server at most: a year of a thousand units. */
const MOST_UNIT_DAYS = 366_000
/** Rows that a report has at most: as many as are written while others are served. */
const MOST_ROWS = 10_000

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
  ad_server: adServerName(
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
    const by: readonly PlacementDimension[] = [...new Set(query.by?.length ? query.by : (['placement'] as const))]
    const calendar = localCalendar(days.timeZone)
    const wanted = { ...days, place: query.placement, by }
    const sums = new PlacementSums(by, calendar)
    const add = async (counted: readonly PlaceHour[]) => {
      await eachInTurns(counted, (hour) => sums.add(hour))
      if (sums.size > MOST_ROWS) throw tooMuch(wanted)
    }
    const { names, timeZone } =
      query.ad_server === undefined
        ? await addPlacements(context, wanted, calendar, add)
        : await addUnits(context, { adServer: query.ad_server, ...wanted }, calendar, add)
    const rows = sums.rows().map(({ values, counts: own }) => {
      const dimensions = Object.fromEntries(by.map((name, index) => [name, values[index] ?? '']))
      return { dimensions, name: names.get(dimensions.placement ?? '') ?? dimensions.placement ?? '', ...withShares(own) }
    })
    return {
      first,
      last,
      time_zone: timeZone,
      by,
      rows,
      totals: withShares(sums.totals),
    }
  },
})

interface Wanted {
  readonly first: string
  readonly last: string
  readonly timeZone: string
  readonly place: string | undefined
  readonly by: readonly PlacementDimension[]
}

type Add = (counted: readonly PlaceHour[]) => Promise<void>

function tooMuch({ first, last, by }: Wanted): AdcpError {
  const message = `${first} to ${last} by ${by.join(', ')} has more than ${MOST_ROWS} rows; choose fewer days, fewer dimensions or one placement`
  return new AdcpError('INVALID_REQUEST', message, { field: 'by' })
}

/** Day after day, since the hours of a year are too many for one turn. */
async function addPlacements(
  { store, tenantId }: ActContext,
  { first, last, timeZone, place, by }: Wanted,
  calendar: LocalCalendar,
  add: Add,
) {
  for (let day = first; day <= last; day = nextDay(day)) {
    const from = calendar.startOf(day).toISOString()
    const until = calendar.startOf(nextDay(day)).toISOString()
    const shape = { byHour: by.includes('hour'), byPlace: by.includes('placement') }
    await add(await listPlaceHours(store.read, tenantId, { from, until, place, ...shape }))
  }
  const named = by.includes('placement') ? await readPlacements(store.read, tenantId) : []
  return { names: new Map(named.map((each) => [each.placement_id, each.name])), timeZone }
}

/** Ad units are counted by the day. */
async function addUnits(
  context: ActContext,
  { by, ...wanted }: Wanted & { readonly adServer: string },
  calendar: LocalCalendar,
  add: Add,
) {
  if (by.includes('hour')) {
    const message = `by: an ad server counts its ad units by the day; choose some of ${PLACEMENT_DIMENSIONS.filter((name) => name !== 'hour').join(', ')}`
    throw new AdcpError('INVALID_REQUEST', message, { field: 'by' })
  }
  const { sums, ...named } = await listUnitDays(context, { ...wanted, most: MOST_UNIT_DAYS }, calendar)
  if (sums.length > MOST_UNIT_DAYS) throw tooMuch({ ...wanted, by })
  await add(sums)
  return named
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
