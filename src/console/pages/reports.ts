import { type DeliveryReport, deliveryReport, MAX_DIMENSIONS, REPORT_DIMENSIONS } from '../../operator/reports/delivery-report.ts'
import { reportCsv, reportWorkbook } from '../../operator/reports/report-csv.ts'
import { showReportPage } from '../../operator/reports/report-page.ts'
import type { Revenue } from '../../operator/reports/revenue.ts'
import { actRoute, doAct } from '../do-act.ts'
import { count, day, money, percent, rate, words } from '../format.ts'
import { type Html, html, type Part } from '../html.ts'
import { choice, empty, field, figure, heading, table } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, type TenantCall } from '../route.ts'
import { placementReportRoutes } from './placement-report.ts'
import { shortfallRoutes } from './shortfalls.ts'

/** Revenue and delivery of a range of days, as pages and as CSV. */
export const reportRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/reports', showReportPage, reportsPage),
  actRoute('GET', '/reports/delivery.csv', deliveryReport, csvFile),
  actRoute('GET', '/reports/delivery.xlsx', deliveryReport, workbookFile),
  ...placementReportRoutes,
  ...shortfallRoutes,
]

/** More rows than a person reads; the CSV has all. */
const SHOWN_ROWS = 200

async function reportsPage(call: TenantCall): Promise<Answer> {
  const { base } = call
  const asked = queryOf(call)
  const { revenue, report } = await doAct(call, showReportPage, asked)
  const rows = report.rows
    .slice(0, SHOWN_ROWS)
    .map((row) => [...report.by.map((dimension) => shownValue(row, dimension)), ...numbersOf(row)])
  const dimensions = REPORT_DIMENSIONS.map((each) => [each, words(each)] as const)
  const more = Array.from({ length: MAX_DIMENSIONS - 1 }, (_, index) =>
    choice(`by${index + 2}`, 'and by', [['', '–'], ...dimensions], asked.by[index + 1] ?? ''),
  )
  const form = html`<form class="filters" method="get" action="${base}/reports">${field('first', 'From', { type: 'date', value: revenue.first })}${field('last', 'To', { type: 'date', value: revenue.last })}${choice('by', 'Delivery by', dimensions, asked.by[0] ?? 'product')}${more}<button>Show</button></form>`
  const csv = new URLSearchParams({ first: revenue.first, last: revenue.last, by: asked.by.join(',') })
  const body = html`${heading('Reports', html`<a class="button" href="${base}/reports/shortfalls">Delivered too little</a><a class="button" href="${base}/reports/placements">Requests and fill</a><a class="button" href="${base}/reports/delivery.csv?${csv.toString()}">Delivery as CSV</a><a class="button" href="${base}/reports/delivery.xlsx?${csv.toString()}">As a workbook</a>`, `Days in ${report.time_zone}. Sandbox orders are left out.`)}
${form}
${figures(revenue)}
${revenueByDay(revenue)}
<section class="panel"><h2>Delivery by ${words(asked.by.join(', ')).toLowerCase()}</h2>
${rows.length === 0 ? empty('Nothing was delivered in these days') : table('Delivery', [...report.by.map(words), ...NUMBERS], rows)}
${report.rows.length > SHOWN_ROWS && html`<p class="hint">The first ${SHOWN_ROWS} of ${count(report.rows.length)} rows; the CSV has all.</p>`}</section>`
  return page('Reports', body, { charts: revenue.days.length > 0 })
}

async function csvFile(call: TenantCall): Promise<Answer> {
  const report = await doAct(call, deliveryReport, queryOf(call))
  const name = `delivery-${report.first}-${report.last}.csv`
  return { kind: 'file', type: 'text/csv; charset=utf-8', name, body: reportCsv(report) }
}

async function workbookFile(call: TenantCall): Promise<Answer> {
  const report = await doAct(call, deliveryReport, queryOf(call))
  const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
  return { kind: 'file', type, name: `delivery-${report.first}-${report.last}.xlsx`, body: await reportWorkbook(report) }
}

type Row = DeliveryReport['rows'][number]

const NUMBERS = ['Impressions', 'Viewable', 'Clicks', 'Click rate', 'Completed', 'Spent', 'eCPM'].map((title) => ({
  title,
  numeric: true,
}))

/** What a dimension is called, with its id below. */
function shownValue({ dimensions, names }: Row, dimension: string): Part {
  const [id = '', name] = [dimensions[dimension], names[dimension]]
  return name === undefined ? id : html`${name}<small class="id" title="${id}">${id}</small>`
}

/** The figures of a row; rates are of its impressions. */
function numbersOf(row: Row): Part[] {
  const { currency, click_rate: clicked, ecpm } = row
  const share = (fraction: number | null) => (fraction !== null && fraction > 0 ? percent(fraction) : '–')
  return [
    count(row.impressions),
    share(row.viewable_rate),
    count(row.clicks),
    clicked === null ? '–' : rate(clicked),
    share(row.completion_rate),
    money(row.spent, currency),
    ecpm === null ? '–' : money(ecpm, currency),
  ]
}

function queryOf({ query }: TenantCall) {
  const chosen = [query.get('by') || 'product', ...[2, 3, 4].map((index) => query.get(`by${index}`) ?? '')]
  const by = [...new Set(chosen.flatMap((text) => text.split(',')).filter((name) => name !== ''))]
  return { by, first: query.get('first') || undefined, last: query.get('last') || undefined }
}

function figures({ currencies, before }: Revenue): Html | false {
  if (currencies.length === 0) return false
  const cards = currencies.flatMap(({ currency, revenue, revenue_before: earlier, impressions }) => [
    figure(
      `Revenue in ${currency}`,
      money(revenue, currency),
      html`${money(earlier, currency)} from ${day(before.first)} to ${day(before.last)}`,
    ),
    figure(`Impressions in ${currency}`, count(impressions)),
  ])
  return html`<div class="figures">${cards}</div>`
}

/** A chart for the first currency; the table has all. */
function revenueByDay({ days }: Revenue): Html | false {
  if (days.length === 0) return false
  const rows = days.map(
    ({ id, currency, revenue }) =>
      html`<tr><td data-value="${id}">${day(id)}</td><td class="number" data-value="${revenue}">${money(revenue, currency)}</td></tr>`,
  )
  const chart =
    new Set(days.map(({ currency }) => currency)).size === 1 &&
    html`<div class="chart" data-table="days" data-column="1" data-form="bars"></div>`
  return html`<section class="panel"><h2>Revenue by day</h2>${chart}<details><summary>Numbers</summary><div class="scroll" role="region" aria-label="Revenue by day" tabindex="0"><table id="days"><thead><tr><th scope="col">Day</th><th scope="col" class="number">Revenue</th></tr></thead><tbody>${rows}</tbody></table></div></details></section>`
}
