import type { MeasuredAgent } from '../stalls/agent.ts'
import { send } from '../stalls/stall.ts'
import type { Door } from './cases.ts'
import { askOf, type Exchange, HEAD_BYTES } from './exchange.ts'
import { filePlaces } from './file-places.ts'
import type { Place } from './places.ts'
import { isRecord } from './schema-node.ts'

/** An address, with what is known of the requests that it takes. */
export interface Target {
  readonly title: string
  readonly base: Exchange
  /** Places of its JSON body, where a schema describes it. */
  readonly jsonPlaces?: readonly Place[]
  /** Bytes of a body that it may take. */
  readonly bodyBytes: number
  /** Whether its form has a file. */
  readonly hasFile?: boolean
}

/** Bytes of a form without a file. */
const FORM_BYTES = 64_000
/** Characters of one text among others; a body that is nothing but a text is as long as bodies may be. */
const TEXT = 200_000
const WHOLE: ReadonlySet<string> = new Set(['json', 'body', 'file a.csv', 'file a.json', 'file a.zip'])

type Part = 'query' | 'headers' | 'form'
/** The names that a route looks for. */
interface Names {
  readonly query: readonly string[]
  readonly headers: readonly string[]
  /** Of the answer to the request without any of them. */
  readonly status: number
}

/** Who calls, and what makes a request that Node sends. */
const NOT_TRIED: ReadonlySet<string> = new Set(['host', 'content-length', 'authorization', 'cookie', 'csrf', 'namespace'])

/**
 * The door of a target: asks it, learns the names that it looks for in query, form and headers, and has a place for each. Undefined for a method that the
 * address does not take. Headers in `seen` are left out; the address `/livez` first has those that every route looks for.
 */
export async function exchangeDoor(agent: MeasuredAgent, target: Target, seen: Set<string>): Promise<Door | undefined> {
  const { title, bodyBytes, jsonPlaces = [], hasFile } = target
  const names = await namesOf(agent, target.base)
  if (names.status === 405) return undefined
  const base = names.status < 400 ? target.base : await improved(agent, target.base, names)
  const part = base.method === 'GET' ? 'query' : 'form'
  const fields = new Set([...names.query, ...Object.keys(recordOf(base[part]))].filter((name) => !NOT_TRIED.has(name)))
  const headers = names.headers.filter((name) => !NOT_TRIED.has(name) && !seen.has(name))
  if (/livez/.test(title)) for (const name of headers) seen.add(name)
  const places = [
    ...Object.keys(base.params).map((name) => placeIn('params', name)),
    ...(part === 'form' && base.form === undefined ? [] : [...fields].map((name) => placeIn(part, name))),
    ...headers.map((name) => placeIn('headers', name)),
    ...(seen.has('(any)') ? [] : [wholePlace('headers', 'map')]),
    wholePlace('query', 'map'),
    wholePlace('query', 'text'),
    ...(base.method === 'GET' ? [] : bodyPlaces(base)),
    ...jsonPlaces,
    ...(hasFile ? filePlaces(base) : []),
  ]
  seen.add('(any)')
  return {
    title,
    limits: { bytes: bodyBytes, items: 100_000, values: 90_000, text: (name) => (WHOLE.has(name) ? bodyBytes : TEXT), ofPlace },
    places,
    ask: ({ put }, value) => askOf(asExchange(put(base, value), base)),
  }
}

/** What a part of a request may have, whatever its body may. */
function ofPlace({ path }: Place): number | undefined {
  if (/^(params|query|headers)\b/.test(path)) return HEAD_BYTES
  return /^form\b/.test(path) ? FORM_BYTES : undefined
}

/** The names that a route looks for: without them, and with those that it looked for first, since what is there may lead further. */
async function namesOf(agent: MeasuredAgent, base: Exchange): Promise<Names> {
  const first = await lookedFor(agent, base)
  const part = base.method === 'GET' ? 'query' : 'form'
  const filled = Object.fromEntries(first.query.filter((name) => !NOT_TRIED.has(name)).map((name) => [name, '1']))
  if (Object.keys(filled).length === 0 || base[part] === undefined) return first
  const then = await lookedFor(agent, { ...base, [part]: { ...filled, ...recordOf(base[part]) } })
  return {
    query: [...new Set([...first.query, ...then.query])],
    headers: [...new Set([...first.headers, ...then.headers])],
    status: first.status,
  }
}

async function lookedFor(agent: MeasuredAgent, base: Exchange): Promise<Names> {
  agent.begin()
  const { status } = await send(agent.port, askOf(base))
  return { ...(await agent.end()), status }
}

/** The request with those of the names without which it is refused. */
async function improved(agent: MeasuredAgent, base: Exchange, { query, status: refused }: Names): Promise<Exchange> {
  if (base.method !== 'GET') return base
  let best = { request: base, status: refused }
  for (const name of query) {
    if (best.status < 400) break
    const request = { ...best.request, query: { ...recordOf(best.request.query), [name]: 'a.example' } }
    const { status } = await send(agent.port, askOf(request))
    if (status < best.status) best = { request, status }
  }
  return best.request
}

function placeIn(part: Part | 'params', name: string): Place {
  const put: Place['put'] = (request, value) => {
    const whole = recordOf(request)
    return { ...whole, [part]: { ...recordOf(whole[part]), [name]: value } }
  }
  return { path: `${part}.${name}`, at: '', kind: 'text', schema: {}, name, item: (index) => index, put }
}

function wholePlace(part: keyof Exchange, kind: Place['kind']): Place {
  const put: Place['put'] = (request, value) => {
    const whole = recordOf(request)
    const { [part]: given } = whole
    return { ...whole, [part]: isRecord(given) && isRecord(value) ? { ...given, ...value } : value }
  }
  return { path: part, at: '', kind, schema: {}, name: part, item: (index) => `v${index}`, put }
}

/** Bodies of any form: whatever the address takes. */
function bodyPlaces({ form }: Exchange): Place[] {
  if (form !== undefined) return [wholePlace('form', 'map'), wholePlace('form', 'text')]
  return [...(['list', 'map', 'text', 'number'] as const).map((kind) => wholePlace('json', kind)), wholePlace('body', 'text')]
}

function asExchange(value: unknown, base: Exchange): Exchange {
  return { ...base, ...recordOf(value) }
}

function recordOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {}
}
