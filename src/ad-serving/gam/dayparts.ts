import { WEEKDAYS } from '../../domain/calendar/time-units.ts'
import type { DaypartTarget, TargetingOverlay } from '../../domain/product/targeting-overlay.ts'
import type { Message } from './client.ts'
import { messageOf, messagesOf, textOf } from './messages.ts'

/** Member of a targeting with its hours. The REST API has none of this name: it is written and read by the SOAP API. */
export const DAYPARTS = 'dayPartTargeting'

/**
 * DayPartTargeting of the SOAP API, in the order of its schema; undefined: the line runs at all hours. Hours are those of the network's time zone (AdCP core/daypart-target.json,
 * `inventory_local`). Windows of a day that meet are one: the network refuses those that overlap.
 */
export function dayPartTargeting({ daypart_targets = [] }: TargetingOverlay): Message | undefined {
  if (daypart_targets.length === 0) return undefined
  const dayParts = WEEKDAYS.flatMap((day) => hoursOf(day, daypart_targets).map((hours) => dayPart(day, hours)))
  return { dayParts, timeZone: 'PUBLISHER' }
}

interface Hours {
  readonly start: number
  readonly end: number
}

function hoursOf(day: (typeof WEEKDAYS)[number], targets: readonly DaypartTarget[]): readonly Hours[] {
  const isOn = Array.from({ length: 24 }, () => false)
  for (const { days, start_hour, end_hour } of targets) if (days.includes(day)) isOn.fill(true, start_hour, end_hour)
  const starts = isOn.flatMap((on, hour) => (on && !isOn[hour - 1] ? [hour] : []))
  const ends = isOn.flatMap((on, hour) => (on && !isOn[hour + 1] ? [hour + 1] : []))
  return starts.map((start, at) => ({ start, end: ends[at] ?? 24 }))
}

function dayPart(day: string, { start, end }: Hours): Message {
  const timeOf = (hour: number) => ({ hour, minute: 'ZERO' })
  return { dayOfWeek: day.toUpperCase(), startTime: timeOf(start), endTime: timeOf(end) }
}

/** Hours of a targeting as texts that are equal where they mean the same; undefined: all hours. */
export function comparableDayparts(targeting: Message | undefined): unknown {
  const own = messageOf(targeting, DAYPARTS)
  const parts = messagesOf(own, 'dayParts')
  if (parts.length === 0) return undefined
  const timeOf = (part: Message, name: string) => {
    const time = messageOf(part, name)
    return `${String(time?.hour ?? 0)}:${textOf(time, 'minute') ?? 'ZERO'}`
  }
  const texts = parts.map((part) => `${textOf(part, 'dayOfWeek')} ${timeOf(part, 'startTime')}-${timeOf(part, 'endTime')}`)
  return { zone: textOf(own, 'timeZone') ?? 'PUBLISHER', parts: texts.sort() }
}

/** A line, or the members of one, as the REST API takes it. */
export function withoutDayparts<L extends { readonly targeting?: Message }>(line: L): L {
  if (line.targeting?.[DAYPARTS] === undefined) return line
  const { [DAYPARTS]: _hours, ...targeting } = line.targeting
  return { ...line, targeting }
}
