import { nextDay, startOfLocalDay } from '../domain/calendar/local-time.ts'
import { type Draft, type DraftCreative, type DraftLine, fieldsOfKind } from './direct-order-draft.ts'

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

/** Turns a draft into a direct order. Days are of `zone` (IANA). */
export function orderOfDraft({ values, lines }: Draft, zone: string): ReadDraft {
  const problems: DraftProblem[] = []
  const { order_id = '', name = '', advertiser = '', currency = '' } = values
  const read = lines.map((line, index) => lineOf(line, { index, zone, problems }))
  const order = { order_id, name, ...(advertiser !== '' && { advertiser }), ...(currency !== '' && { currency }), lines: read }
  return { order, problems }
}

interface LineContext {
  readonly index: number
  readonly zone: string
  readonly problems: DraftProblem[]
}

function lineOf({ values, devices, creatives }: DraftLine, { index, zone, problems }: LineContext): object {
  const { product_id = '', priority = '' } = values
  const report = (name: string, message: string) => problems.push({ where: `Line ${index + 1}, ${name}`, message })
  const number = (name: string) => numberIn(values[name] ?? '', (message) => report(name, message))
  const day = (name: string, shift: (day: string) => string) => {
    const text = values[name] ?? ''
    if (/^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)))
      return startOfLocalDay(shift(text), zone).toISOString()
    report(name, `"${text}" is no day; write one as YYYY-MM-DD`)
    return ''
  }
  const [impressions, cpm] = [number('impressions'), number('cpm')]
  const targeting = targetingOf(values, devices, (message) => report('key_values', message))
  return {
    line_id: `line-${index + 1}`,
    product_id,
    priority,
    starts_at: day('first', (text) => text),
    ends_at: day('last', nextDay),
    ...(impressions !== undefined && { impressions }),
    ...(cpm !== undefined && { cpm }),
    ...(Object.keys(targeting).length > 0 && { targeting }),
    creatives: creatives.map((creative, at) =>
      creativeOf(creative, at, (name, message) => report(`creative ${at + 1}, ${name}`, message)),
    ),
  }
}

function targetingOf(values: DraftLine['values'], devices: readonly string[], report: (message: string) => void): object {
  const countries = (values.countries ?? '').split(/[\s,;|]+/).filter((each) => each !== '')
  const keyValues: [string, string[]][] = []
  for (const line of (values.key_values ?? '').split(/\r?\n/).filter((each) => each.trim() !== '')) {
    const [key = '', ...rest] = line.split('=').map((each) => each.trim())
    const found = rest
      .join('=')
      .split('|')
      .map((each) => each.trim())
    if (key === '' || found.includes('')) report(`"${line.slice(0, 80)}" is not of the form key=value|value`)
    else keyValues.push([key, found])
  }
  return {
    ...(countries.length > 0 && { countries: countries.map((each) => each.toUpperCase()) }),
    ...(devices.length > 0 && { devices }),
    ...(keyValues.length > 0 && { key_values: Object.fromEntries(keyValues) }),
  }
}

function creativeOf({ kind, values }: DraftCreative, at: number, report: (name: string, message: string) => void): object {
  const text = (name: string) => values[name] ?? ''
  for (const { name, label, required } of fieldsOfKind(kind))
    if (required && text(name) === '') report(label.toLowerCase(), 'is needed')
  const number = (name: string) => {
    const value = numberIn(text(name), (message) => report(name, message))
    return value === undefined ? {} : { [name]: value }
  }
  const members = (...names: readonly string[]) =>
    Object.fromEntries(names.filter((name) => text(name) !== '').map((name) => [name, text(name)]))
  const head = { creative_id: `${kind}-${at + 1}`, ...number('width'), ...number('height'), ...members('click_url') }
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
      return { ...head, video: { ...members('url'), ...number('duration_seconds'), mime_type: videoType(text('url')) } }
    case 'vast':
      return { creative_id: head.creative_id, vast: text('url') }
  }
}

/** By the ending of the address; most are MP4. */
function videoType(url: string): string {
  const [, ending] = /\.(webm|mov)(?:[?#]|$)/i.exec(url) ?? []
  return ending === undefined ? 'video/mp4' : ending.toLowerCase() === 'webm' ? 'video/webm' : 'video/quicktime'
}

function numberIn(text: string, report: (message: string) => void): number | undefined {
  if (text === '') return undefined
  const value = Number(text.replace(',', '.'))
  if (Number.isFinite(value)) return value
  report(`"${text.slice(0, 80)}" is no number; write one such as 250`)
  return undefined
}

/** Where a member of the order is in the form: `/lines/0/creatives/1/image/url` or `lines[0].creatives[1]…`. */
export function placeInForm(pointer: string): string {
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
