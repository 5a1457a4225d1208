import type { DirectTargeting } from '../ad-serving/embedded/direct-targeting.ts'
import { WEEKDAYS } from '../domain/calendar/time-units.ts'

type Daypart = NonNullable<DirectTargeting['dayparts']>[number]

type Day = (typeof WEEKDAYS)[number]

/** Hours of some days, as `monday-friday 6-22` or `saturday, sunday 0-24`. Days may be cut to three letters. Undefined, and reported, for anything else. */
export function readDaypart(text: string, report: (message: string) => void): object | undefined {
  const [, dayText = '', start = '', end = ''] = /^([a-z,\s-]{3,120}?)\s+(\d{1,2})\s*-\s*(\d{1,2})$/i.exec(text) ?? []
  const days = dayText
    .split(/[,\s]+/)
    .filter((each) => each !== '')
    .map(daysOf)
  const all = days.flatMap((each) => each ?? [])
  if (all.length > 0 && days.every((each) => each !== undefined) && Number(start) < Number(end) && Number(end) <= 24)
    return { days: all, start_hour: Number(start), end_hour: Number(end) }
  report(
    `"${text.slice(0, 80)}" is not of the form monday-friday 6-22; hours are 0 to 24, and a night over midnight is two lines`,
  )
  return undefined
}

/** `mon`, or `mon-fri`. */
function daysOf(text: string): readonly Day[] | undefined {
  const [first, last = first, ...more] = text
    .split('-')
    .map((each) => WEEKDAYS.findIndex((day) => isDay(each.toLowerCase(), day)))
  if (first === undefined || last === undefined || first < 0 || last < first || more.length > 0) return undefined
  return WEEKDAYS.slice(first, last + 1)
}

function isDay(text: string, day: Day): boolean {
  return text === day || text === day.slice(0, 3)
}

/** As {@link readDaypart} reads it. */
export function daypartText({ days, start_hour: start, end_hour: end }: Daypart): string {
  const indexes = days.map((day) => WEEKDAYS.indexOf(day))
  const isRun = days.length > 2 && indexes.every((each, at) => at === 0 || each === (indexes[at - 1] ?? 0) + 1)
  return `${isRun ? `${days[0]}-${days.at(-1)}` : days.join(', ')} ${start}-${end}`
}
