import { WEEKDAYS } from '../../domain/calendar/time-units.ts'
import { COVERED_DAYS, LAST_MONTH_DAY, nextSending, REPEATS, type Repetition } from '../../domain/notification/report-schedule.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../../store/database.ts'
import {
  deleteSchedule,
  findSchedule,
  listSchedules,
  putSchedule,
  type ReportSchedule,
} from '../../store/saved-report/report-schedules.ts'
import { type ActContext, defineAct } from '../act.ts'
import { between, count, oneOf, required, several, type Values } from '../fields.ts'
import { publisherCalendar } from '../flight.ts'
import { missingPerson } from '../missing-person.ts'
import { EDITORS, READERS } from '../roles.ts'
import { list, object, pageOf, string } from '../shape.ts'
import { getSaved, REPORT } from './saved-question.ts'
import {
  presentSchedules,
  recipientShape,
  recipientsOf,
  repetitionText,
  scheduleShape,
  watchedSchedule,
} from './shown-schedule.ts'

// Several acts in one file: they list, change and remove the same thing.

/** More people than a mail of figures is for. */
const MOST_PEOPLE = 50

const SCHEDULE_FIELDS = {
  report: REPORT,
  every: required(oneOf(REPEATS, `one of ${REPEATS.join(', ')}`)),
  weekday: oneOf(WEEKDAYS, 'day of a weekly report; default: monday'),
  month_day: between(
    1,
    LAST_MONTH_DAY,
    count(`day of a monthly report, 1 to ${LAST_MONTH_DAY}, which every month has; default: 1`),
  ),
  hour: between(0, 23, count('hour of the day, 0 to 23, in the time zone of the publisher; default: 7')),
  days: oneOf(
    COVERED_DAYS,
    'saved: the days of the saved report, moving ones up to the day before; period: the day, week or month before; default: saved',
  ),
  to: several(MOST_PEOPLE, 'user names', `user names of people of the publisher with a mail channel, at most ${MOST_PEOPLE}`),
}

/** Throws REFERENCE_NOT_FOUND for an unknown report or person, INVALID_REQUEST for somebody without a mail channel and a day of another repetition. */
export const scheduleReport = defineAct({
  name: 'reports.schedule',
  route: 'PUT /reports/saved/{report}/schedule',
  id: 'scheduleReport',
  roles: EDITORS,
  summary: 'Sends a saved report by mail, as CSV and as a workbook, every day, week or month to people of the publisher.',
  fields: SCHEDULE_FIELDS,
  answer: scheduleShape,
  command: {
    text: (shown) => [
      `${shown.report} goes ${repetitionText(shown)} (${shown.time_zone}) to ${shown.to.map(({ username }) => username).join(', ')}, next ${shown.next_at}`,
      ...(shown.sends_mail ? [] : ['nothing is sent before notifications.smtp of the configuration names a mail server']),
    ],
  },
  watch: watchedSchedule,
  async run(context, values) {
    const { store, tenantId, actor, clock } = context
    const { name: report } = await getSaved(context, values.report)
    const repetition = repetitionOf(values)
    const personIds = await personIdsOf(store.read, tenantId, values.to)
    const { timeZone } = await publisherCalendar(context, tenantId)
    const now = clock()
    await store.transaction(async (tx) => {
      const before = await findSchedule(tx, tenantId, report)
      // A sending that is due is not skipped because somebody is added to it.
      const isSame = before !== undefined && sameRepetition(before, repetition)
      await putSchedule(tx, {
        ...{ tenantId, report, ...repetition, covers: values.days ?? 'saved', personIds },
        ...{ setBy: actor.credential, setAt: now.toISOString(), attempts: 0 },
        nextAt: isSame ? before.nextAt : nextSending(now, repetition, timeZone).toISOString(),
        lastSentAt: before?.lastSentAt,
        failure: isSame ? before.failure : undefined,
      })
    })
    return shownSchedule(context, report)
  },
})

/** Throws REFERENCE_NOT_FOUND. */
export const unscheduleReport = defineAct({
  name: 'reports.unschedule',
  route: 'DELETE /reports/saved/{report}/schedule',
  id: 'unscheduleReport',
  roles: EDITORS,
  summary: 'Ends the mails of a saved report; the report stays saved.',
  fields: { report: REPORT },
  answer: object({ report: string }),
  command: { text: ({ report }) => [`${report} is not sent by mail any more`] },
  watch: watchedSchedule,
  async run({ store, tenantId }, { report }) {
    await store.transaction(async (tx) => {
      if (await deleteSchedule(tx, tenantId, report)) return
      const message = `${report} is not sent by mail; sales-agent reports schedules lists the reports that are`
      throw new AdcpError('REFERENCE_NOT_FOUND', message, { field: 'report' })
    })
    return { report }
  },
})

export const listReportSchedules = defineAct({
  name: 'reports.schedules',
  route: 'GET /reports/schedules',
  id: 'listReportSchedules',
  roles: READERS,
  summary: 'Saved reports that are sent by mail: when, to whom, and whether the last sending failed.',
  fields: {},
  answer: pageOf(scheduleShape),
  command: {
    columns: [
      ['REPORT', ({ report }) => report],
      ['WHEN', (shown) => repetitionText(shown)],
      ['TO', ({ to }) => to.map(({ username }) => username).join(',')],
      ['NEXT', (shown) => shown.next_at],
      ['LAST SENT', (shown) => shown.last_sent_at ?? ''],
      ['FAILED', (shown) => shown.last_error ?? ''],
    ],
  },
  run: async (context) => {
    const { store, tenantId } = context
    return list(await presentSchedules(context, tenantId, await listSchedules(store.read, tenantId)))
  },
})

export const listReportRecipients = defineAct({
  name: 'reports.recipients',
  route: 'GET /reports/recipients',
  id: 'listReportRecipients',
  roles: EDITORS,
  summary: 'People of the publisher whom a report can be sent to, and whether they have a mail channel.',
  fields: {},
  answer: pageOf(recipientShape),
  command: {
    columns: [
      ['PERSON', ({ username }) => username],
      ['NAME', ({ name }) => name],
      ['MAIL', (shown) => (shown.has_mail ? 'yes' : 'no mail channel')],
    ],
  },
  run: async ({ store, tenantId }) => list([...(await recipientsOf(store.read, tenantId)).values()]),
})

function repetitionOf({ every, weekday, month_day: monthDay, hour = 7 }: Values<typeof SCHEDULE_FIELDS>): Repetition {
  const refuse = (field: string, message: string) => new AdcpError('INVALID_REQUEST', message, { field })
  if (weekday !== undefined && every !== 'weekly')
    throw refuse('weekday', `weekday is for every weekly; a ${every} report has none, leave it out`)
  if (monthDay !== undefined && every !== 'monthly')
    throw refuse('month_day', `month_day is for every monthly; a ${every} report has none, leave it out`)
  return { every, weekday: weekday ?? 'monday', monthDay: monthDay ?? 1, hour }
}

function sameRepetition(one: Repetition, other: Repetition): boolean {
  return one.every === other.every && one.weekday === other.weekday && one.monthDay === other.monthDay && one.hour === other.hour
}

async function personIdsOf(db: Db, tenantId: string, usernames: readonly string[]): Promise<ReportSchedule['personIds']> {
  const names = [...new Set(usernames)]
  const refuse = (message: string) => new AdcpError('INVALID_REQUEST', message, { field: 'to' })
  const byName = new Map([...(await recipientsOf(db, tenantId))].map(([id, person]) => [person.username, { id, ...person }]))
  return names.map((name) => {
    const person = byName.get(name)
    if (!person) throw missingPerson(name, 'to')
    if (person.has_mail) return person.id
    throw refuse(`${name} has no mail channel; ${name} sets one under Notifications in the console, or an administrator does`)
  })
}

async function shownSchedule(context: ActContext, report: string) {
  const { store, tenantId } = context
  const found = await findSchedule(store.read, tenantId, report)
  const [shown] = found ? await presentSchedules(context, tenantId, [found]) : []
  if (shown) return shown
  throw new AdcpError('CONFLICT', `the schedule of ${report} was removed meanwhile; set it again`, { field: 'report' })
}
