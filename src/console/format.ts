import type { FlightDay, FlightDays } from '../domain/calendar/flight-days.ts'
import { type Html, html } from './html.ts'

/** Formats of amounts by currency. Making one takes a hundred times as long as using it. */
class AmountFormats {
  readonly #made = new Map<string, Intl.NumberFormat | undefined>()
  readonly #digits: Intl.NumberFormatOptions

  constructor(digits: Intl.NumberFormatOptions) {
    this.#digits = digits
  }

  /** An amount as `€1,200.50`; with the words of a currency that is none behind it. */
  format(amount: number, currency: string): string {
    const made = this.#made.has(currency) ? this.#made.get(currency) : this.#make(currency)
    return made ? made.format(amount) : `${amount} ${currency}`
  }

  #make(currency: string): Intl.NumberFormat | undefined {
    // There are fewer currencies than that; what is none may be any text.
    if (this.#made.size >= MOST_CURRENCIES) this.#made.clear()
    const made = isCurrency(currency) ? new Intl.NumberFormat('en', { style: 'currency', currency, ...this.#digits }) : undefined
    this.#made.set(currency, made)
    return made
  }
}

const MOST_CURRENCIES = 400
/** What Intl takes as the code of a currency (ISO 4217). */
const isCurrency = (code: string) => /^[a-z]{3}$/i.test(code)

const AMOUNTS = new AmountFormats({})
const PRICES = new AmountFormats({ maximumFractionDigits: 6 })
const numbers = (maximumFractionDigits: number) => new Intl.NumberFormat('en', { maximumFractionDigits })
const [WHOLE, TENTHS, HUNDREDTHS, EXACT] = [numbers(0), numbers(1), numbers(2), numbers(6)]

/** An amount with its ISO 4217 currency, as `€1,200.50`; in words when the currency is none. */
export function money(amount: number, currency: string): string {
  return AMOUNTS.format(amount, currency)
}

/** The price of one unit with its currency, to the micro: `$0.008`, never rounded as an amount is. */
export function unitPrice(amount: number, currency: string): string {
  return PRICES.format(amount, currency)
}

/** A whole number with thousands separators. */
export function count(value: number): string {
  return WHOLE.format(value)
}

/** A number as exact as it is, with thousands separators. */
export function exactCount(value: number): string {
  return EXACT.format(value)
}

/** A fraction as `0.12 %`: rates of clicks are small. */
export function rate(fraction: number): string {
  return `${HUNDREDTHS.format(fraction * 100)} %`
}

/** A fraction as `12.5 %`. */
export function percent(fraction: number): string {
  return `${TENTHS.format(fraction * 100)} %`
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
