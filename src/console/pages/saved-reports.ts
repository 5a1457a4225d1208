import type { DeliveryReport } from '../../operator/reports/delivery-report-shape.ts'
import { REPORT_TYPES, reportCsv, reportWorkbook } from '../../operator/reports/report-csv.ts'
import { forgetReport, listSaved, openReport, savedDays, savedFilter, saveReport } from '../../operator/reports/saved-reports.ts'
import { listReportSchedules } from '../../operator/reports/schedule-reports.ts'
import { actRoute, doAct, may } from '../do-act.ts'
import { chosenIn, inputOf, tickedIn, written } from '../form-text.ts'
import { moment, words } from '../format.ts'
import { type Html, html } from '../html.ts'
import { deliveryPanel } from '../parts/delivery-table.ts'
import { act, choice, csrfField, facts, heading, limits, table } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, redirect, type TenantCall } from '../route.ts'
import { mailCell, mailPanel, reportMailRoutes } from './report-mail.ts'

/** Delivery reports under names. */
export const savedReportRoutes: readonly ConsoleRoute[] = [
  actRoute('POST', '/reports/saved', saveReport, save),
  actRoute('GET', '/reports/saved/{report}', openReport, openPage),
  actRoute('GET', '/reports/saved/{report}/delivery.csv', openReport, (call) => fileOf(call, 'csv')),
  actRoute('GET', '/reports/saved/{report}/delivery.xlsx', openReport, (call) => fileOf(call, 'xlsx')),
  actRoute('POST', '/reports/saved/{report}/forget', forgetReport, forget),
  ...reportMailRoutes(openPage),
]

/** A delivery report as a file to download. */
export async function deliveryFile(report: DeliveryReport, form: keyof typeof REPORT_TYPES, name: string): Promise<Answer> {
  const body = form === 'csv' ? reportCsv(report) : await reportWorkbook(report)
  return { kind: 'file', type: REPORT_TYPES[form], name: `${name}-${report.first}-${report.last}.${form}`, body }
}

async function fileOf(call: TenantCall, form: keyof typeof REPORT_TYPES): Promise<Answer> {
  const { report } = await doAct(call, openReport, { report: call.params.report })
  return deliveryFile(report, form, 'delivery')
}

/** The saved reports, and a form that saves the question of the page. */
export async function savedPanel(
  call: TenantCall,
  { first, last, by }: Pick<DeliveryReport, 'first' | 'last' | 'by'>,
): Promise<Html> {
  const { items } = await doAct(call, listSaved, {})
  const mailed = new Map((await doAct(call, listReportSchedules, {})).items.map((each) => [each.report, each]))
  const rows = items.map((saved) => [
    html`<a href="${pathOf(call, saved.name)}">${saved.name}</a>`,
    words(saved.by.join(', ')),
    savedDays(saved),
    savedFilter(saved) || 'all',
    mailCell(mailed.get(saved.name)),
  ])
  const days = Math.round((Date.parse(last) - Date.parse(first)) / 86_400_000) + 1
  const spans = [
    ['moving', `Always the last ${days === 1 ? 'day' : `${days} days`}`],
    ['fixed', `${first} to ${last}`],
  ] as const
  const form = html`<form class="filters" method="post" action="${call.base}/reports/saved">${csrfField(call)}
<input type="hidden" name="by" value="${by.join(',')}"><input type="hidden" name="first" value="${first}"><input type="hidden" name="last" value="${last}"><input type="hidden" name="last_days" value="${String(days)}">
<div class="field"><label for="report">Save this report as</label><input id="report" name="report"${limits(saveReport.fields.report)}></div>${choice('span', 'Days', spans, 'moving')}
<label class="option"><input type="checkbox" name="replace" value="yes"> Replace the report of this name</label><button>Save</button></form>`
  return html`<section class="panel" id="saved"><h2>Saved reports</h2>
${rows.length > 0 && table('Saved reports', ['Report', 'By', 'Days', 'Of', 'By mail'], rows)}
${rows.length === 0 && html`<p class="hint">None yet. A saved report is there for everybody at the publisher.</p>`}
${may(call, saveReport) && form}</section>`
}

function pathOf({ base }: TenantCall, name: string): string {
  return `${base}/reports/saved/${encodeURIComponent(name)}`
}

async function openPage(call: TenantCall): Promise<Answer> {
  const { saved, schedule, report } = await doAct(call, openReport, { report: call.params.report })
  const path = pathOf(call, saved.name)
  const actions = html`<a class="button" href="${call.base}/reports">Reports</a><a class="button" href="#mail">By mail</a><a class="button" href="${path}/delivery.csv">As CSV</a><a class="button" href="${path}/delivery.xlsx">As a workbook</a>`
  const body = html`${heading(saved.name, actions, `${report.first} to ${report.last}, in ${report.time_zone}`)}
${deliveryPanel(report)}
${await mailPanel(call, saved.name, schedule, savedDays(saved))}
<section class="panel"><h2>What is saved</h2>${facts([
    ['By', words(saved.by.join(', '))],
    ['Days', savedDays(saved)],
    ['Of', savedFilter(saved)],
    ['Saved by', saved.saved_by],
    ['Saved', moment(saved.saved_at)],
  ])}${may(call, forgetReport) && act(call, `${path}/forget`, 'Forget this report', { kind: 'danger' })}</section>`
  return page(saved.name, body)
}

async function save(call: TenantCall): Promise<Answer> {
  const { form } = call
  const report = written(form, 'report') ?? ''
  const replace = tickedIn(form, 'replace')
  const days =
    chosenIn(form, 'span', ['moving', 'fixed']) === 'fixed'
      ? { first: form.get('first'), last: form.get('last') }
      : { last_days: inputOf(form, 'last_days', saveReport.fields.last_days) }
  await doAct(call, saveReport, { report, replace, by: (form.get('by') ?? '').split(','), ...days })
  return redirect(pathOf(call, report), 'changed')
}

async function forget(call: TenantCall): Promise<Answer> {
  await doAct(call, forgetReport, { report: call.params.report })
  return redirect(`${call.base}/reports`, 'removed')
}
