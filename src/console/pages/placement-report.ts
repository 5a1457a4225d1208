import { listServers } from '../../operator/ad-servers/connection-acts.ts'
import { allPages } from '../../operator/all-pages.ts'
import { listPlacements } from '../../operator/placements/manage-placements.ts'
import { PLACEMENT_DIMENSIONS } from '../../operator/placements/placement-sums.ts'
import { type PlacementReport, placementCsv, reportPlacements } from '../../operator/placements/report-placements.ts'
import { actRoute, doAct } from '../do-act.ts'
import { count, day, percent, rate, words } from '../format.ts'
import { type Html, html, type Part } from '../html.ts'
import { choice, empty, field, figure, heading, table } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, type TenantCall } from '../route.ts'

/** What placements were asked for and showed, as a page and as CSV. */
export const placementReportRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/reports/placements', reportPlacements, reportPage),
  actRoute('GET', '/reports/placements.csv', reportPlacements, csvFile),
]

/** More rows than a person reads; the CSV has all. */
const SHOWN_ROWS = 200

async function reportPage(call: TenantCall): Promise<Answer> {
  const { base } = call
  const asked = queryOf(call)
  const report = await doAct(call, reportPlacements, asked)
  const { first, last, by, totals } = report
  const servers = await countingServers(call)
  const isThere = asked.ad_server !== undefined
  const isOneDay = first === last && !isThere
  const course = await doAct(call, reportPlacements, { ...asked, first, last, by: [isOneDay ? 'hour' : 'day'] })
  const dimensions = PLACEMENT_DIMENSIONS.map((each) => [each, words(each)] as const)
  const placements = isThere ? [] : await allPages((cursor) => doAct(call, listPlacements, { cursor, limit: 200 }))
  const places = [['', 'all'], ...placements.map(({ placement_id: id, name }) => [id, name] as const)] as const
  const form = html`<form class="filters" method="get" action="${base}/reports/placements">${field('first', 'From', { type: 'date', value: first })}${field('last', 'To', { type: 'date', value: last })}${choice('by', 'By', dimensions, by[0] ?? 'placement')}${choice('by2', 'and by', [['', '–'], ...dimensions], by[1] ?? '')}${servers.length > 0 && choice('ad_server', 'Of', [['', 'the ad server of this program'], ...servers.map((name) => [name, name] as const)], asked.ad_server ?? '')}${!isThere && choice('placement', 'Placement', places, asked.placement ?? '')}<button>Show</button></form>`
  const csv = new URLSearchParams({
    first,
    last,
    by: by.join(','),
    ...(asked.placement !== undefined && { placement: asked.placement }),
    ...(asked.ad_server !== undefined && { ad_server: asked.ad_server }),
  })
  const lead = isThere
    ? `Days in ${report.time_zone}, of the ad units of ${asked.ad_server}, as it reports them now: whoever sold what they showed.`
    : `Days in ${report.time_zone}, of the ad server of this program, with the ads of all orders. Requests are in the report within ten seconds.`
  const body = html`${heading('Requests and fill', html`<a class="button" href="${base}/reports">Reports</a><a class="button" href="${base}/reports/placements.csv?${csv.toString()}">As CSV</a>`, lead)}
${form}
<div class="figures">${figure('Requests', count(totals.requests), 'by people')}${figure('Fill', totals.fill === null ? '–' : percent(totals.fill), `${count(totals.filled)} with an ad`)}${figure('Unsold', count(totals.unsold), 'requests without an ad')}${figure('Impressions', count(totals.impressions), totals.click_rate === null ? 'none clicked' : `${rate(totals.click_rate)} clicked`)}</div>
${courseOf(course, isOneDay)}
<section class="panel"><h2>By ${words(by.join(', ')).toLowerCase()}</h2>
${report.rows.length === 0 ? empty('No placement was asked for an ad in these days', 'Requests are counted of placements that are set up, or that a line may be shown in.') : rowsTable(report)}
${report.rows.length > SHOWN_ROWS && html`<p class="hint">The first ${SHOWN_ROWS} of ${count(report.rows.length)} rows; the CSV has all.</p>`}</section>`
  return page('Requests and fill', body, { charts: course.rows.length > 0 })
}

/** Ad servers that count what their ad units were asked for. */
async function countingServers(call: TenantCall): Promise<readonly string[]> {
  const { items } = await doAct(call, listServers, {})
  return items.filter(({ counts_requests: counts }) => counts === true).map(({ name }) => name)
}

const NUMBERS = ['Requests', 'With an ad', 'Unsold', 'Fill', 'Impressions', 'Viewable', 'Clicks', 'Click rate', 'Completed'].map(
  (title) => ({ title, numeric: true }),
)

function rowsTable({ by, rows }: PlacementReport): Html {
  const shown = rows.slice(0, SHOWN_ROWS).map((row): Part[] => {
    const share = (events: number) => (row.impressions > 0 && events > 0 ? percent(events / row.impressions) : '–')
    const isCounted = row.fill !== null
    return [
      ...by.map((name) => shownValue(row, name)),
      ...[row.requests, row.filled, row.unsold].map((value) => (isCounted ? count(value) : '–')),
      row.fill === null ? '–' : percent(row.fill),
      count(row.impressions),
      share(row.viewable_impressions),
      count(row.clicks),
      row.click_rate === null ? '–' : rate(row.click_rate),
      share(row.completed_views),
    ]
  })
  return table('Requests and fill', [...by.map(words), ...NUMBERS], shown)
}

function shownValue({ dimensions, name }: PlacementReport['rows'][number], dimension: string): Part {
  const value = dimensions[dimension] ?? ''
  if (dimension === 'day') return day(value)
  if (dimension === 'hour') return value.replace('T', ' ')
  return dimension === 'placement' && name !== value ? html`${name}<small class="id" title="${value}">${value}</small>` : value
}

/** Requests over time as bars: of hours where the report is of one day. */
function courseOf({ rows }: PlacementReport, isOneDay: boolean): Html | false {
  if (rows.length === 0) return false
  const title = isOneDay ? 'Requests by hour' : 'Requests by day'
  const body = rows.map(({ dimensions, requests, unsold }) => {
    const time = dimensions.hour ?? dimensions.day ?? ''
    return html`<tr><td data-value="${isOneDay ? `${time}Z` : time}">${isOneDay ? time.slice(11) : day(time)}</td><td class="number" data-value="${requests}">${count(requests)}</td><td class="number">${count(unsold)}</td></tr>`
  })
  return html`<section class="panel"><h2>${title}</h2><div class="chart" data-table="course" data-column="1" data-form="bars"${isOneDay && html` data-step="hour"`}></div><details><summary>Numbers</summary><div class="scroll" role="region" aria-label="${title}" tabindex="0"><table id="course"><thead><tr><th scope="col">${isOneDay ? 'Hour' : 'Day'}</th><th scope="col" class="number">Requests</th><th scope="col" class="number">Unsold</th></tr></thead><tbody>${body}</tbody></table></div></details></section>`
}

async function csvFile(call: TenantCall): Promise<Answer> {
  const report = await doAct(call, reportPlacements, queryOf(call))
  const name = `placements-${report.first}-${report.last}.csv`
  return { kind: 'file', type: 'text/csv; charset=utf-8', name, body: placementCsv(report) }
}

function queryOf({ query }: TenantCall) {
  const chosen = `${query.get('by') ?? ''},${query.get('by2') ?? ''}`.split(',').filter((name) => name !== '')
  return {
    by: chosen.length > 0 ? [...new Set(chosen)] : ['placement'],
    first: query.get('first') || undefined,
    last: query.get('last') || undefined,
    placement: query.get('placement') || undefined,
    ad_server: query.get('ad_server') || undefined,
  }
}
