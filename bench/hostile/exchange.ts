import { jsonOf } from '../../tools/fuzz/hostile-values.ts'
import type { Ask } from '../stalls/stall.ts'
import { isRecord } from './schema-node.ts'

/** What a head of a request may have beside the rest of it: the server takes 16 KiB. */
export const HEAD_BYTES = 15_000

/** A request by its parts, any of which a place may change. */
export interface Exchange {
  readonly method: string
  /** Path with `{names}` of its parameters. */
  readonly path: string
  readonly params: Readonly<Record<string, unknown>>
  /** A map, or a text as it stands. */
  readonly query: unknown
  readonly headers: unknown
  /** Fields of a form; undefined: it sends none. */
  readonly form?: unknown
  /** JSON of the body. */
  readonly json?: unknown
  /** The body as it stands, of the type that the headers name. */
  readonly body?: unknown
}

/** Headers that have to be as they are: else Node would not send the request. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'expect',
  'upgrade',
])

/** The request of its parts, cut where the server would take no more. */
export function askOf({ method, path, params, query, headers, form, json, body }: Exchange): Ask {
  const filled = Object.entries(params).reduce(
    (text, [name, value]) => text.replace(`{${name}}`, () => encodeURIComponent(wellFormed(String(value))).slice(0, HEAD_BYTES)),
    path,
  )
  const search = queryText(query)
  const type =
    form !== undefined
      ? 'application/x-www-form-urlencoded'
      : json !== undefined
        ? 'application/json'
        : 'application/octet-stream'
  return {
    method,
    path: cut(search === '' ? filled : `${filled}?${search}`),
    headers: { ...(method !== 'GET' && { 'content-type': type }), ...headersOf(headers) },
    ...(form !== undefined && { body: queryText(form) }),
    ...(json !== undefined && { body: jsonOf(json) }),
    ...(body !== undefined && { body: body instanceof Uint8Array ? body : String(body) }),
  }
}

/** A text cut where the head would be too long, and not inside a percent-encoding. */
const cut = (text: string) => (text.length <= HEAD_BYTES ? text : text.slice(0, HEAD_BYTES).replace(/%.?$/, ''))

/** A query or form: a map by its names, lists repeated, a text as it stands. */
export function queryText(value: unknown): string {
  if (!isRecord(value)) return value === undefined ? '' : encodeURI(wellFormed(plain(value))).replaceAll('#', '%23')
  const query = new URLSearchParams()
  for (const [name, each] of Object.entries(value))
    for (const one of Array.isArray(each) ? each : [each]) query.append(name, plain(one))
  return query.toString()
}

/** A text, or the JSON of anything else. */
function plain(value: unknown): string {
  return typeof value === 'string' ? value.replace(/^<raw>(.*)<\/raw>$/s, '$1') : jsonOf(value)
}

function headersOf(value: unknown): Record<string, string> {
  if (!isRecord(value)) return {}
  const sent = Object.entries(value).filter(([name]) => /^[\w!#$%&'*+.^`|~-]+$/.test(name) && !OWN_HEADERS.has(name))
  return Object.fromEntries(
    sent.map(([name, each]) => [
      name,
      plain(each)
        .replaceAll(/[^\x20-\x7e]/g, '?')
        .slice(0, HEAD_BYTES),
    ]),
  )
}

/** Without halves of surrogate pairs, which no address can have. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString('utf8')
}
