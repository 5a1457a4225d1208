import { endOfLastDay, firstDayOf, lastDayOf } from '../domain/calendar/flight-days.ts'
import { isDay } from '../domain/calendar/instant.ts'
import { localCalendar } from '../domain/calendar/local-time.ts'
import { readNumber, twoReadings } from '../platform/decode/read-number.ts'
import type { AdcpError } from '../protocol/errors.ts'
import { type Draft, type DraftCreative, type DraftLine, fieldsOfKind } from './direct-order-draft.ts'
import { targetingOfTexts } from './direct-targeting.ts'

/** A fault of the form: where, as a person finds it, and what to write instead. */
export interface DraftProblem {
  readonly where: string
  readonly message: string
}

/** What the form says, as a document of schemas/direct-order.json, and what cannot be read of it. */
export interface ReadDraft {
  readonly order: object
  readonly problems: readonly DraftProblem[]
}

/** Turns a draft into a direct order. Days are of `zone` (IANA). `taken`: ids of lines that new ones must not have, beside those of the draft. */
export function orderOfDraft({ values, lines }: Draft, zone: string, taken: readonly string[] = []): ReadDraft {
  const problems: DraftProblem[] = []
  const ids = [...taken, ...lines.map((line) => line.values.line_id ?? '')]
  const { order_id = '', name = '', advertiser = '', currency = '' } = values
  const read = lines.map((line, index) =>
    lineOf(line, { index, lineId: idOf(line.values.line_id, 'line', index, ids), zone, problems }),
  )
  const order = { order_id, name, ...(advertiser !== '' && { advertiser }), ...(currency !== '' && { currency }), lines: read }
  return { order, problems }
}

/** The id that it has, or the next one of its kind; that is taken then. */
function idOf(own: string | undefined, kind: string, index: number, taken: string[]): string {
  if (own) return own
  let number = index + 1
  while (taken.includes(`${kind}-${number}`)) number++
  taken.push(`${kind}-${number}`)
  return `${kind}-${number}`
}

interface LineContext {
  readonly index: number
  readonly lineId: string
  readonly zone: string
  readonly problems: DraftProblem[]
}

function lineOf({ values, choices, creatives }: DraftLine, { index, lineId, zone, problems }: LineContext): object {
  const { product_id = '', priority = '', pacing = '', price_model: model = '' } = values
  const report = (name: string, message: string) => problems.push({ where: `Line ${index + 1}, ${name}`, message })
  const number = (name: string) => numberIn(values[name] ?? '', name === 'impressions', (message) => report(name, message))
  const calendar = localCalendar(zone)
  const day = (name: 'first' | 'last') => {
    const text = values[name] ?? ''
    const before = values[EXACT[name]] ?? ''
    if (dayOf(name, before, zone) === text) return before
    if (isDay(text)) return (name === 'first' ? calendar.startOf(text) : endOfLastDay(text, calendar)).toISOString()
    report(name, `"${text}" is no day; write one as YYYY-MM-DD`)
    return ''
  }
  const [impressions, price, budget] = [number('impressions'), number('cpm'), number('budget')]
  const targeting = targetingOfTexts({ values, choices }, report)
  const ids = creatives.map((creative) => creative.values.creative_id ?? '')
  return {
    line_id: lineId,
    product_id,
    priority,
    starts_at: day('first'),
    ends_at: day('last'),
    ...(impressions !== undefined && { impressions }),
    ...(price !== undefined && (model === '' ? { cpm: price } : { price_model: model, rate: price })),
    ...(budget !== undefined && { budget }),
    ...(pacing !== '' && { pacing }),
    ...(Object.keys(targeting).length > 0 && { targeting }),
    creatives: creatives.map((creative, at) =>
      creativeOf(creative, idOf(creative.values.creative_id, creative.kind, at, ids), (name, message) =>
        report(`creative ${at + 1}, ${name}`, message),
      ),
    ),
  }
}

/** What the form was filled with beside a day: the moment of an order that begins or ends within one. It stays as long as its day does. */
export const EXACT = { first: 'starts_at', last: 'ends_at' } as const

/** The first or the last day of a flight that begins, or ends, at a moment; undefined for what is none. */
export function dayOf(name: keyof typeof EXACT, moment: string, zone: string): string | undefined {
  if (Number.isNaN(Date.parse(moment))) return undefined
  return (name === 'first' ? firstDayOf : lastDayOf)(moment, localCalendar(zone)).day
}

function creativeOf(
  { kind, values }: DraftCreative,
  creativeId: string,
  report: (name: string, message: string) => void,
): object {
  const text = (name: string) => values[name] ?? ''
  for (const { name, label, required } of fieldsOfKind(kind))
    if (required && text(name) === '') report(label.toLowerCase(), 'is needed')
  const number = (name: string) => {
    const value = numberIn(text(name), name !== 'duration_seconds', (message) => report(name, message))
    return value === undefined ? {} : { [name]: value }
  }
  const members = (...names: readonly string[]) =>
    Object.fromEntries(names.filter((name) => text(name) !== '').map((name) => [name, text(name)]))
  const own = { creative_id: creativeId, ...number('weight'), ...members('click_url') }
  const head = { ...own, ...number('width'), ...number('height') }
  switch (kind) {
    case 'picture':
      return { ...head, image: members('url', 'alt') }
    case 'html5':
      return { ...head, html5: members('url') }
    case 'tag':
      return { ...head, ...members('html') }
    case 'native':
      return { ...head, native: members('title', 'body', 'cta', 'sponsor', 'image') }
    case 'video':
      return {
        ...head,
        video: { ...members('url'), ...number('duration_seconds'), mime_type: text('mime_type') || videoType(text('url')) },
      }
    case 'vast':
      return { ...own, vast: text('url') }
  }
}

/** By the ending of the address; most are MP4. */
export function videoType(url: string): string {
  const [, ending] = /\.(webm|mov)(?:[?#]|$)/i.exec(url) ?? []
  return ending === undefined ? 'video/mp4' : ending.toLowerCase() === 'webm' ? 'video/webm' : 'video/quicktime'
}

function numberIn(text: string, whole: boolean, report: (message: string) => void): number | undefined {
  if (text === '') return undefined
  const value = readNumber(text, { whole })
  if (typeof value === 'number') return value
  const shown = text.slice(0, 80)
  report(value === 'ambiguous' ? twoReadings(shown) : `"${shown}" is no ${whole ? 'whole ' : ''}number; write one such as 250`)
  return undefined
}

/** Where a member of the order is in the form: `/lines/0/creatives/1/image/url` or `lines[0].creatives[1]…`. */
function placeInForm(pointer: string): string {
  const path = pointer
    .replaceAll('[', '/')
    .replaceAll(']', '')
    .split(/[/.]/)
    .filter((part) => part !== '')
  const [top, line, part, creative, ...rest] = path
  if (top !== 'lines' || line === undefined) return path.join(' ')
  const at = `Line ${Number(line) + 1}`
  if (part !== 'creatives' || creative === undefined)
    return [at, path.slice(2).join(' ')].filter((each) => each !== '').join(', ')
  return [at, `creative ${Number(creative) + 1}`, rest.join(' ')].filter((each) => each !== '').join(', ')
}

/** What an error says of the form: issues of the schema one by one; any other error by its field. */
export function problemsOf({ message, field: at = '', issues = [] }: AdcpError): readonly DraftProblem[] {
  if (issues.length === 0) return [{ where: placeInForm(at), message }]
  return issues.map((issue) => ({ where: placeInForm(issue.pointer), message: issue.message }))
}
