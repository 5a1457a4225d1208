import fc from 'fast-check'
import { matchSchemas } from '../../src/protocol/match-schemas.ts'
import type { Schema, Schemas } from '../../src/protocol/schemas.ts'
import type { MeasuredAgent } from '../stalls/agent.ts'
import type { Exchange } from './exchange.ts'
import type { Target } from './exchange-door.ts'
import { type Place, placesOf } from './places.ts'
import { isRecord } from './schema-node.ts'
import { type Known, Smallest } from './smallest.ts'

/** A route takes at most as much as the largest body of any of them. */
const BODY_BYTES = 3_900_000
/** Addresses whose body has a schema that no description of an API names. */
const BODY_SCHEMAS: readonly (readonly [path: RegExp, schema: string])[] = [
  [/^\/ads\/.*\/decide$/, 'own:ad-decision-request.json'],
  [/^\/trusted-match\/.*\/context$/, 'trusted-match/context-match-request.json'],
  [/^\/trusted-match\/.*\/identity$/, 'trusted-match/identity-match-request.json'],
]
/** These have doors of their own: one for each operation and page. */
const BY_TABLE = /^\/(console|admin\/v1)\//

/** Every route of the server by its pattern, asked with GET and POST. A new route is among them without a line here. */
export function routeTargets(
  agent: Pick<MeasuredAgent, 'routes' | 'tenant' | 'port' | 'sandboxKey'>,
  schemas: Schemas,
  known: Known,
): Target[] {
  const described = descriptions(schemas)
  return agent.routes.flatMap(eachWord).flatMap((source) => {
    const { path, params } = addressOf(source, [agent.tenant, `http://127.0.0.1:${agent.port}/mcp`])
    if (BY_TABLE.test(path)) return []
    const filled = Object.entries(params).reduce((text, [name, value]) => text.replace(`{${name}}`, value), path)
    return ['GET', 'POST'].map((method): Target => {
      const operation = described.find((each) => each.method === method && each.pattern.test(filled))
      const own = BODY_SCHEMAS.find(([pattern]) => method === 'POST' && pattern.test(filled))?.[1]
      const body = own === undefined ? operation?.body : { $ref: own }
      const home = own?.startsWith('trusted-match/') ? matchSchemas() : schemas
      const smallest = new Smallest(home, known)
      const json = body && smallest.of({ schema: body, document: body, at: `${path}#` }, '')
      const base: Exchange = {
        ...{ method, path, params, query: operation?.query ?? {}, headers: headersOf(agent, path) },
        ...(method === 'POST' && { json: json ?? {} }),
      }
      return {
        title: `route ${method} ${source}`,
        base,
        bodyBytes: BODY_BYTES,
        ...(body && {
          jsonPlaces: placesOf(home, smallest, { schema: body, document: body, at: `${path}#` }, { seen: new Set() }).map(inBody),
        }),
      }
    })
  })
}

/** A pattern that chooses among words, once for each of them. */
function eachWord(source: string): string[] {
  const [choice = '', words = ''] = /\(([a-z_]+(?:\|[a-z_]+)+)\)/.exec(source) ?? []
  return choice === '' ? [source] : words.split('|').map((word) => source.replace(choice, word))
}

/** What a route is asked with beside what it looks for: the key of a buyer where it may be needed. */
function headersOf({ sandboxKey }: Pick<MeasuredAgent, 'sandboxKey'>, path: string): Record<string, string> {
  const isCall = /\/(mcp|a2a)$|^\/api\//.test(path)
  return isCall
    ? { authorization: `Bearer ${sandboxKey}`, accept: 'application/json, text/event-stream' }
    : { accept: 'text/html' }
}

function inBody(place: Place): Place {
  const put: Place['put'] = (request, value) => {
    const whole = isRecord(request) ? request : {}
    return { ...whole, json: place.put(whole.json, value) }
  }
  return { ...place, path: `json ${place.path}`, put }
}

/** An address that a pattern matches, its captures as parameters: known values where they fit. */
export function addressOf(
  source: string,
  candidates: readonly string[],
): { readonly path: string; readonly params: Readonly<Record<string, string>> } {
  const pattern = new RegExp(source, 'd')
  const [sample = ''] = fc.sample(fc.stringMatching(new RegExp(source)), { numRuns: 1, seed: 1 })
  let address = decoded(sample)
  const params: Record<string, string> = {}
  const captures = pattern.exec(address)?.length ?? 1
  for (let at = captures - 1; at >= 1; at--) {
    const [from, to] = pattern.exec(address)?.indices?.[at] ?? []
    if (from === undefined || to === undefined) continue
    const withValue = (value: string) => address.slice(0, from) + encodeURIComponent(value) + address.slice(to)
    const fitting = candidates.find((value) => pattern.test(withValue(value))) ?? address.slice(from, to)
    params[`p${at}`] = fitting
    address = `${address.slice(0, from)}{p${at}}${address.slice(to)}`
  }
  return { path: address, params }
}

/** Without what no address can have. */
const decoded = (text: string) => text.replaceAll(/[^\x21-\x7e]|[?#{}]/g, 'x')

interface Described {
  readonly method: string
  readonly pattern: RegExp
  readonly query: Readonly<Record<string, string>>
  readonly body: Schema | undefined
}

/** The operations of our OpenAPI documents: names of their queries, and schemas of their bodies. */
function descriptions(schemas: Schemas): Described[] {
  return ['own:registry-openapi.json', 'own:directory-openapi.json'].flatMap((file) => {
    const { paths, components } = schemas.document(file)
    return Object.entries(isRecord(paths) ? paths : {}).flatMap(([path, methods]) =>
      Object.entries(isRecord(methods) ? methods : {}).map(([method, operation]) => {
        const { parameters, requestBody } = isRecord(operation) ? operation : {}
        const named = (Array.isArray(parameters) ? parameters : []).filter((each) => isRecord(each) && each.in === 'query')
        const body = at(requestBody, 'content', 'application/json', 'schema')
        return {
          method: method.toUpperCase(),
          pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
          query: Object.fromEntries(named.map((each) => [String(each.name), 'a.example'])),
          body: isRecord(body) ? { ...body, components } : undefined,
        }
      }),
    )
  })
}

function at(value: unknown, ...steps: readonly string[]): unknown {
  return steps.reduce<unknown>((inner, step) => (isRecord(inner) ? inner[step] : undefined), value)
}
