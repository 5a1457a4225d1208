import { LAST_MONTH_DAY } from '../../domain/notification/report-schedule.ts'
import {
  listReportRecipients,
  listReportSchedules,
  scheduleReport,
  unscheduleReport,
} from '../../operator/reports/schedule-reports.ts'
import { repetitionText, type ShownSchedule } from '../../operator/reports/shown-schedule.ts'
import { actRoute, doAct, may } from '../do-act.ts'
import { storedFormRoute, withRefusal } from '../form-outcome.ts'
import { written } from '../form-text.ts'
import { moment } from '../format.ts'
import { attribute, type Html, html } from '../html.ts'
import { zoneOf } from '../local-times.ts'
import { act, badge, choice, csrfField, facts } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, redirect, type TenantCall } from '../route.ts'
import { filledForm, type Inputs, type SentForm, sentTo, shownField } from '../shown-form.ts'

/** What the form calls the fields of the act. */
const LABELS: ReadonlyMap<string, string> = new Map([
  ['every', 'Send'],
  ['weekday', 'Weekday'],
  ['month_day', 'Day'],
  ['hour', 'Hour'],
  ['days', 'Days in the report'],
  ['to', 'To'],
])
/** Saved reports by mail; `openPage` shows the report that they are of. */
export function reportMailRoutes(openPage: (call: TenantCall) => Promise<Answer>): readonly ConsoleRoute[] {
  const again = withRefusal(openPage)
  return [
    storedFormRoute('/reports/saved/{report}/schedule', scheduleReport, { labels: LABELS, read: readSchedule, save, again }),
    actRoute('POST', '/reports/saved/{report}/unschedule', unscheduleReport, end),
  ]
}

const HOURS = Array.from({ length: 24 }, (_empty, hour): [string, string] => [
  String(hour),
  `${String(hour).padStart(2, '0')}:00`,
])
const EVERY = [
  ['daily', 'Every day'],
  ['weekly', 'Every week'],
  ['monthly', 'Every month'],
] as const
const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'].map((day): [string, string] => [
  day.toLowerCase(),
  day,
])
const MONTH_DAYS = Array.from({ length: LAST_MONTH_DAY }, (_empty, index): [string, string] => [
  String(index + 1),
  String(index + 1),
])

/** When a saved report is sent by mail and to whom, with the form that changes it. */
export async function mailPanel(
  call: TenantCall,
  report: string,
  schedule: ShownSchedule | null,
  savedDays: string,
): Promise<Html> {
  const isFailed = schedule !== null && schedule.last_error !== null
  const state = schedule === null ? badge('off') : isFailed ? badge('failed', 'bad') : badge('on', 'good')
  return html`<section class="panel" id="mail"><h2>By mail ${state}</h2>
${call.operator.config.notifications.smtp === undefined && html`<p class="soft">No mail is sent yet: this deployment has no mail server (<code>notifications.smtp</code> in its configuration).</p>`}
${schedule === null ? html`<p class="hint">Sent as CSV and as a workbook to people of the publisher, when you say so.</p>` : scheduleFacts(schedule)}
${may(call, scheduleReport) && (await scheduleForm(call, report, schedule, savedDays))}</section>`
}

/** Of a list: when a report is sent, and whether that failed. */
export function mailCell(schedule: ShownSchedule | undefined): Html | string {
  if (!schedule) return '–'
  return schedule.last_error === null ? repetitionText(schedule) : html`${repetitionText(schedule)} ${badge('failed', 'bad')}`
}

function scheduleFacts(schedule: ShownSchedule): Html {
  const people = schedule.to.map(({ name, has_mail: hasMail }) => (hasMail ? name : `${name} (no mail channel any more)`))
  return facts([
    ['When', `${repetitionText(schedule)}, in ${schedule.time_zone}`],
    ['To', people.join(', ') || 'nobody: all of them have left'],
    ['Next', moment(schedule.next_at)],
    ['Last sent', schedule.last_sent_at && moment(schedule.last_sent_at)],
    ['Failed', schedule.failed_at && html`${moment(schedule.failed_at)}: ${schedule.last_error}`],
  ])
}

/** What the form offers for a report that is not sent yet. */
const FIRST = {
  every: 'weekly',
  weekday: 'monday',
  month_day: '1',
  hour: '7',
  days: 'saved',
  to: [] as readonly string[],
} as const

/** What the form shows of a schedule as it is stored: people without a mail channel are not among its boxes. */
function inputsOf({ every, weekday, month_day: monthDay, hour, days, to }: ShownSchedule) {
  const named = to.flatMap(({ username, has_mail: hasMail }) => (hasMail ? [username] : []))
  const day = { weekday: weekday ?? FIRST.weekday, month_day: monthDay === null ? FIRST.month_day : String(monthDay) }
  return { every, ...day, hour: String(hour), days, to: named } satisfies Inputs
}

async function scheduleForm(call: TenantCall, report: string, schedule: ShownSchedule | null, savedDays: string): Promise<Html> {
  const { items: people } = await doAct(call, listReportRecipients, {})
  const path = `${call.base}/reports/saved/${encodeURIComponent(report)}`
  const stored = schedule === null ? FIRST : inputsOf(schedule)
  const sent = sentTo(call, `${path}/schedule`)
  const filled = schedule === null && sent.size > 0 ? sent : filledForm(sent, stored)
  const value = (name: keyof typeof FIRST) => filled.get(name) ?? ''
  const named = new Set(filled.getAll('to'))
  const boxes = people
    .filter((each) => each.has_mail)
    .map(
      ({ username, name }) =>
        html`<label class="option"><input type="checkbox" name="to" value="${username}"${attribute('checked', named.has(username))}> ${name}</label>`,
    )
  const unreached = people.filter((each) => !each.has_mail).map(({ name }) => name)
  const spans = [
    ['saved', `Those of the report: ${savedDays}, up to the day before`],
    ['period', 'The day, week or month before'],
  ] as const
  const fixed = [['saved', `Those of the report: ${savedDays}`], spans[1]] as const
  return html`<form method="post" action="${path}/schedule">${csrfField(call)}${schedule !== null && shownField(stored)}<div class="filters">${choice('every', 'Send', EVERY, value('every'))}${choice('weekday', 'Weekday, if weekly', WEEKDAYS, value('weekday'))}${choice('month_day', 'Day, if monthly', MONTH_DAYS, value('month_day'))}${choice('hour', `Hour, in ${zoneOf(call)}`, HOURS, value('hour'))}${choice('days', 'Days in the report', savedDays.includes(' to ') ? fixed : spans, value('days'))}</div>
<fieldset><legend>To</legend>${boxes}${unreached.length > 0 && html`<p class="hint">No mail channel yet: ${unreached.join(', ')}. Each person sets their own under <a href="${call.base}/notifications">Notifications</a>.</p>`}</fieldset>
<button class="primary">Save the schedule</button></form>
${schedule !== null && html`<p></p>${act(call, `${path}/unschedule`, 'Stop sending', { kind: 'danger' })}`}`
}

async function readSchedule(call: TenantCall): Promise<Inputs> {
  const schedule = (await doAct(call, listReportSchedules, {})).items.find(({ report }) => report === call.params.report)
  return schedule ? inputsOf(schedule) : {}
}

/** The act sets everything of a schedule: what the person did not change is sent as it is stored. */
async function save(call: TenantCall, { filled: form }: SentForm): Promise<Answer> {
  const { params, base } = call
  const every = form.get('every')
  const { month_day: monthDay, hour } = scheduleReport.fields
  await doAct(call, scheduleReport, {
    report: params.report,
    every,
    // Every list of the form has a choice; what another repetition needs is not sent.
    ...(every === 'weekly' && { weekday: form.get('weekday') }),
    ...(every === 'monthly' && { month_day: monthDay.parse?.(form.get('month_day') ?? '') }),
    hour: hour.parse?.(form.get('hour') ?? ''),
    days: written(form, 'days'),
    to: form.getAll('to'),
  })
  return redirect(`${base}/reports/saved/${encodeURIComponent(params.report ?? '')}`, 'changed')
}

async function end(call: TenantCall): Promise<Answer> {
  await doAct(call, unscheduleReport, { report: call.params.report })
  return redirect(`${call.base}/reports/saved/${encodeURIComponent(call.params.report ?? '')}`, 'changed')
}
