import { deliveryReport, MAX_DIMENSIONS } from '../../operator/reports/delivery-report.ts'
import { REPORT_DIMENSIONS } from '../../operator/reports/delivery-report-shape.ts'
import { showReportPage } from '../../operator/reports/report-page.ts'
import type { Revenue } from '../../operator/reports/revenue.ts'
import { actRoute, doAct } from '../do-act.ts'
import { count, day, money, words } from '../format.ts'
import { type Html, html } from '../html.ts'
import { deliveryPanel } from '../parts/delivery-table.ts'
import { choice, field, figure, heading } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, type TenantCall } from '../route.ts'
import { placementReportRoutes } from './placement-report.ts'
import { reportStatementRoutes } from './report-statements.ts'
import { deliveryFile, savedPanel, savedReportRoutes } from './saved-reports.ts'
import { shortfallRoutes } from './shortfalls.ts'

/** Revenue and delivery of a range of days, as pages and as CSV. */
export const reportRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/reports', showReportPage, reportsPage),
  actRoute('GET', '/reports/delivery.csv', deliveryReport, (call) => fileOf(call, 'csv')),
  actRoute('GET', '/reports/delivery.xlsx', deliveryReport, (call) => fileOf(call, 'xlsx')),
  ...savedReportRoutes,
  ...reportStatementRoutes,
  ...placementReportRoutes,
  ...shortfallRoutes,
]

async function reportsPage(call: TenantCall): Promise<Answer> {
  const { base } = call
  const asked = queryOf(call)
  const { revenue, report } = await doAct(call, showReportPage, asked)
  const dimensions = REPORT_DIMENSIONS.map((each) => [each, words(each)] as const)
  const more = Array.from({ length: MAX_DIMENSIONS - 1 }, (_, index) =>
    choice(`by${index + 2}`, 'and by', [['', '–'], ...dimensions], asked.by[index + 1] ?? ''),
  )
  const form = html`<form class="filters" method="get" action="${base}/reports">${field('first', 'From', { type: 'date', value: revenue.first })}${field('last', 'To', { type: 'date', value: revenue.last })}${choice('by', 'Delivery by', dimensions, asked.by[0] ?? 'product')}${more}<button>Show</button></form>`
  const csv = new URLSearchParams({ first: revenue.first, last: revenue.last, by: asked.by.join(',') })
  const body = html`${heading('Reports', html`<a class="button" href="#saved">Saved reports</a><a class="button" href="${base}/reports/statements">What buyers say</a><a class="button" href="${base}/reports/shortfalls">Delivered too little</a><a class="button" href="${base}/reports/placements">Requests and fill</a><a class="button" href="${base}/reports/delivery.csv?${csv.toString()}">Delivery as CSV</a><a class="button" href="${base}/reports/delivery.xlsx?${csv.toString()}">As a workbook</a>`, `Days in ${report.time_zone}. Sandbox orders are left out.`)}
${form}
${figures(revenue)}
${revenueByDay(revenue)}
${deliveryPanel(report)}
${await savedPanel(call, { ...revenue, by: report.by })}`
  return page('Reports', body, { charts: revenue.days.length > 0 })
}

async function fileOf(call: TenantCall, form: 'csv' | 'xlsx'): Promise<Answer> {
  const report = await doAct(call, deliveryReport, queryOf(call))
  return deliveryFile(report, form, 'delivery')
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
      html`before discount and commission; ${money(earlier, currency)} from ${day(before.first)} to ${day(before.last)}`,
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
