import type { FlightDay, FlightDays } from '../domain/calendar/flight-days.ts'
import { type Html, html } from './html.ts'

/** An amount with its ISO 4217 currency, as `€1,200.50`; in words when the currency is none. */
export function money(amount: number, currency: string): string {
  try {
    return new Intl.NumberFormat('en', { style: 'currency', currency }).format(amount)
  } catch {
    return `${amount} ${currency}`
  }
}

/** The price of one unit with its currency, to the micro: `$0.008`, never rounded as an amount is. */
export function unitPrice(amount: number, currency: string): string {
  try {
    return new Intl.NumberFormat('en', { style: 'currency', currency, maximumFractionDigits: 6 }).format(amount)
  } catch {
    return `${amount} ${currency}`
  }
}

/** A whole number with thousands separators. */
export function count(value: number): string {
  return new Intl.NumberFormat('en', { maximumFractionDigits: 0 }).format(value)
}

/** A number as exact as it is, with thousands separators. */
export function exactCount(value: number): string {
  return new Intl.NumberFormat('en', { maximumFractionDigits: 6 }).format(value)
}

/** A fraction as `0.12 %`: rates of clicks are small. */
export function rate(fraction: number): string {
  return `${new Intl.NumberFormat('en', { maximumFractionDigits: 2 }).format(fraction * 100)} %`
}

/** A fraction as `12.5 %`. */
export function percent(fraction: number): string {
  return `${new Intl.NumberFormat('en', { maximumFractionDigits: 1 }).format(fraction * 100)} %`
}

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })

/** A day `YYYY-MM-DD`, or the day of an ISO time in the time zone of the page. */
export function day(iso: string | undefined | null): Html | string {
  if (iso?.length === 10 && !Number.isNaN(Date.parse(iso)))
    return html`<time datetime="${iso}">${DAY.format(new Date(iso))}</time>`
  return timeIn('day', iso)
}

/** A day of a flight, with its time when the flight has not all of it: `24 Nov 2026, 09:30`. */
export function flightDay({ day: text, time }: FlightDay): Html {
  return html`${day(text)}${time !== null && html`, ${time}`}`
}

/** The days of a flight, from first to last. */
export function flightDays({ first, last }: FlightDays): Html {
  const isOne = first.day === last.day && first.time === null && last.time === null
  return isOne ? flightDay(first) : html`${flightDay(first)} – ${flightDay(last)}`
}

/** An ISO time to the minute, in the time zone of the page, with its name. */
export function moment(iso: string | undefined | null): Html | string {
  return timeIn('moment', iso)
}

/** The text is written with the page: see local-times.ts. */
function timeIn(form: 'day' | 'moment', iso: string | undefined | null): Html | string {
  const at = new Date(iso ?? '')
  return Number.isNaN(at.getTime()) ? '–' : html`<time datetime="${at.toISOString()}" data-shown="${form}"></time>`
}

const UNITS = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
] as const

/** A span as its largest unit: `3 hours`. */
export function span(ms: number): string {
  for (const [size, unit] of UNITS) {
    const n = Math.floor(Math.abs(ms) / size)
    if (n >= 1) return `${n} ${unit}${n === 1 ? '' : 's'}`
  }
  return 'less than a minute'
}

/** `media_buy` as `media buy`, first letter large. */
export function words(name: string): string {
  if (name === 'non_guaranteed') return 'Non-guaranteed'
  const text = name.replaceAll(/[_.-]+/g, ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}
