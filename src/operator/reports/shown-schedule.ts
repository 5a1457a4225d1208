import { WEEKDAYS } from '../../domain/calendar/time-units.ts'
import { COVERED_DAYS, REPEATS, type Repetition } from '../../domain/notification/report-schedule.ts'
import { mayBeTold } from '../../domain/people/person.ts'
import type { Db } from '../../store/database.ts'
import { channelsOf } from '../../store/notification/notification-channels.ts'
import { listPeople } from '../../store/people/people.ts'
import { findSchedule, type ReportSchedule } from '../../store/saved-report/report-schedules.ts'
import type { Watching } from '../act.ts'
import { publisherCalendar } from '../flight.ts'
import type { OperatorContext } from '../operator-context.ts'
import { about, boolean, integer, listOf, moment, named, type Of, object, orNull, string, word } from '../shape.ts'

/** Somebody of the publisher. The address is shown to administrators alone, with the channels of people. */
export const recipientShape = object({
  username: string,
  name: string,
  has_mail: about('false: no mail channel, so that no report reaches them', boolean),
})
type Recipient = Of<typeof recipientShape>

export const scheduleShape = named(
  'ReportSchedule',
  object({
    report: string,
    every: word(...REPEATS),
    weekday: about('of a weekly report', orNull(word(...WEEKDAYS))),
    month_day: about('of a monthly report', orNull(integer)),
    hour: about('0 to 23, in `time_zone`', integer),
    time_zone: about('of the publisher, IANA name', string),
    days: about('`saved`: those of the saved report; `period`: the day, week or month before the sending', word(...COVERED_DAYS)),
    to: listOf(recipientShape),
    sends_mail: about('false: the deployment has no mail server, so that nothing is sent', boolean),
    set_by: about('the person, as in the audit log', string),
    set_at: moment,
    next_at: moment,
    last_sent_at: orNull(moment),
    last_error: about('why the last sending failed; null: it did not', orNull(string)),
    failed_at: about('the moment of the sending that failed', orNull(moment)),
  }),
)
export type ShownSchedule = Of<typeof scheduleShape>

/** When a report is sent, in words: "weekly on monday at 07:00". */
export function repetitionText({
  every,
  weekday,
  month_day: day,
  hour,
}: Pick<ShownSchedule, 'every' | 'weekday' | 'month_day' | 'hour'>) {
  const on = every === 'weekly' ? ` on ${weekday}` : every === 'monthly' ? ` on day ${day}` : ''
  return `${every}${on} at ${String(hour).padStart(2, '0')}:00`
}

/** The people of a publisher by id, in the order of their user names, each with whether mail reaches them. */
export async function recipientsOf(db: Db, tenantId: string): Promise<ReadonlyMap<string, Recipient>> {
  const mailed = new Set(
    (await channelsOf(db, tenantId)).flatMap(({ channel, personId }) => (channel === 'mail' ? personId : [])),
  )
  const people = (await listPeople(db)).filter((person) => mayBeTold(person, tenantId))
  const sorted = people.toSorted((a, b) => (a.username < b.username ? -1 : 1))
  return new Map(sorted.map(({ personId, username, name }) => [personId, { username, name, has_mail: mailed.has(personId) }]))
}

/** Schedules as people see them. Those who have left the publisher are not named. */
export async function presentSchedules(
  context: OperatorContext,
  tenantId: string,
  schedules: readonly ReportSchedule[],
): Promise<readonly ShownSchedule[]> {
  const recipients = await recipientsOf(context.store.read, tenantId)
  const { timeZone } = await publisherCalendar(context, tenantId)
  return schedules.map((schedule) => ({
    report: schedule.report,
    ...repetitionMembers(schedule),
    hour: schedule.hour,
    time_zone: timeZone,
    days: schedule.covers,
    to: schedule.personIds.flatMap((id) => recipients.get(id) ?? []),
    sends_mail: context.config.notifications.smtp !== undefined,
    set_by: schedule.setBy,
    set_at: schedule.setAt,
    next_at: schedule.nextAt,
    last_sent_at: schedule.lastSentAt ?? null,
    last_error: schedule.failure?.error ?? null,
    failed_at: schedule.failure?.at ?? null,
  }))
}

/** When and to whom a saved report is sent, for the audit log; undefined: it is not. */
export async function watchedSchedule(tx: Db, { tenantId }: Watching, { report }: { readonly report: string }) {
  const found = await findSchedule(tx, tenantId, report)
  if (!found) return undefined
  const people = await recipientsOf(tx, tenantId)
  const to = found.personIds.map((id) => people.get(id)?.username ?? 'somebody who left')
  return { ...repetitionMembers(found), hour: found.hour, days: found.covers, to }
}

/** The day of sending: only what says something of this repetition. */
function repetitionMembers({ every, weekday, monthDay }: Repetition) {
  return { every, weekday: every === 'weekly' ? weekday : null, month_day: every === 'monthly' ? monthDay : null }
}
