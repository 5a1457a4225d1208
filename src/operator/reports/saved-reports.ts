import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../../store/database.ts'
import { deleteSchedule, findSchedule } from '../../store/saved-report/report-schedules.ts'
import {
  deleteSavedReport,
  findSavedReport,
  listSavedReports,
  putSavedReport,
  questionIn,
} from '../../store/saved-report/saved-reports.ts'
import { defineAct, type Watching } from '../act.ts'
import { EDITORS, READERS } from '../roles.ts'
import { about, list, object, orNull, pageOf, string } from '../shape.ts'
import { requireAddressable } from '../text-form.ts'
import { deliveryReport, reportLines, reportQuestion } from './delivery-report.ts'
import { reportShape } from './delivery-report-shape.ts'
import { reportCsv } from './report-csv.ts'
import {
  documentOfQuestion,
  getSaved,
  noReport,
  presentSaved,
  questionOfToday,
  REPORT,
  SAVED_FIELDS,
  type SavedReport,
  savedReportShape,
} from './saved-question.ts'
import { presentSchedules, scheduleShape, watchedSchedule } from './shown-schedule.ts'

// Several acts in one file: they list, change and remove the same thing.

/** More than people find their way in. */
const MOST_SAVED = 200

/** Throws INVALID_REQUEST for a question that a report refuses, INVALID_STATE for a name of another question unless it is replaced, and beyond {@link MOST_SAVED}. */
export const saveReport = defineAct({
  name: 'reports.save',
  route: 'PUT /reports/saved/{report}',
  id: 'saveReport',
  roles: EDITORS,
  summary:
    'Saves a delivery report under a name, for everybody at the publisher. Another report of this name is replaced only on request.',
  fields: SAVED_FIELDS,
  answer: savedReportShape,
  command: {
    flags: { first: 'from', last: 'to' },
    text: ({ name }) => [`saved as ${name}; sales-agent reports open shows it`],
  },
  watch: watchedReport,
  async run(context, { report: name, replace = false, ...question }) {
    const { store, tenantId, actor, clock } = context
    requireAddressable(name, 'report')
    const document = documentOfQuestion(question)
    await reportQuestion(context, await questionOfToday(context, questionIn({ document })))
    const row = { tenant_id: tenantId, name, document, saved_by: actor.credential, saved_at: clock().toISOString() }
    await store.transaction(async (tx) => {
      const known = await listSavedReports(tx, tenantId)
      const before = known.find((each) => each.name === name)
      if (before && before.document !== document && !replace)
        throw new AdcpError('INVALID_STATE', `there is a saved report ${name}; choose another name, or say that it is replaced`, {
          field: 'replace',
        })
      if (!before && known.length >= MOST_SAVED)
        throw new AdcpError('INVALID_STATE', `a publisher saves at most ${MOST_SAVED} reports; forget one first`, {
          field: 'report',
        })
      await putSavedReport(tx, row)
    })
    return presentSaved(row)
  },
})

/** What a saved report asks, for the audit log. */
async function watchedReport(tx: Db, { tenantId }: Watching, { report }: { readonly report: string }) {
  const row = await findSavedReport(tx, tenantId, report)
  return row && questionIn(row)
}

export const listSaved = defineAct({
  name: 'reports.saved',
  route: 'GET /reports/saved',
  id: 'listSavedReports',
  roles: READERS,
  summary: 'Saved reports, by name.',
  fields: {},
  answer: pageOf(savedReportShape),
  command: {
    columns: [
      ['NAME', ({ name }) => name],
      ['BY', ({ by }) => by.join(',')],
      ['DAYS', (saved) => savedDays(saved)],
      ['OF', (saved) => savedFilter(saved)],
      ['SAVED BY', ({ saved_by: who }) => who],
    ],
  },
  run: async ({ store, tenantId }) => list((await listSavedReports(store.read, tenantId)).map(presentSaved)),
})

/** The days of a saved report, in words. */
export function savedDays({ first, last, last_days: days }: Pick<SavedReport, 'first' | 'last' | 'last_days'>): string {
  if (days === null) return `${first} to ${last}`
  return days === 1 ? 'today' : `last ${days} days`
}

/** What a saved report is narrowed to, in words; empty: nothing. */
export function savedFilter({ buyer, product, order, sandbox }: SavedReport): string {
  const parts = Object.entries({ buyer, product, order }).flatMap(([name, value]) => (value === null ? [] : [`${name} ${value}`]))
  return [...parts, ...(sandbox ? ['sandbox too'] : [])].join(', ')
}

/** Throws REFERENCE_NOT_FOUND, and what {@link deliveryReport} throws. */
export const openReport = defineAct({
  name: 'reports.open',
  route: 'GET /reports/saved/{report}',
  id: 'openSavedReport',
  roles: READERS,
  summary: 'A saved report with what was delivered up to now.',
  fields: { report: REPORT },
  answer: object({
    saved: savedReportShape,
    schedule: about('null: it is not sent by mail', orNull(scheduleShape)),
    report: reportShape,
  }),
  command: {
    text: ({ saved, report }) => [saved.name, ...reportLines(report, saved)],
    csv: ({ report }) => reportCsv(report),
  },
  async run(context, { report: name }) {
    const row = await getSaved(context, name)
    const report = await deliveryReport.run(context, await questionOfToday(context, questionIn(row)))
    const schedule = await findSchedule(context.store.read, context.tenantId, name)
    const [shown = null] = schedule ? await presentSchedules(context, context.tenantId, [schedule]) : []
    return { saved: presentSaved(row), schedule: shown, report }
  },
})

/** Throws REFERENCE_NOT_FOUND. */
export const forgetReport = defineAct({
  name: 'reports.forget',
  route: 'DELETE /reports/saved/{report}',
  id: 'forgetSavedReport',
  roles: EDITORS,
  summary: 'Deletes a saved report, and ends its mails.',
  fields: { report: REPORT },
  answer: object({ name: string }),
  command: { text: ({ name }) => [`${name} is not saved any more`] },
  async watch(tx, context, named) {
    const question = await watchedReport(tx, context, named)
    return question && { ...question, mails: await watchedSchedule(tx, context, named) }
  },
  async run({ store, tenantId }, { report: name }) {
    await store.transaction(async (tx) => {
      await deleteSchedule(tx, tenantId, name)
      if (!(await deleteSavedReport(tx, tenantId, name))) throw noReport(name)
    })
    return { name }
  },
})
