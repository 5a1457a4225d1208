import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FRESHNESS } from '../../../src/domain/directory/freshness.ts'
import { addDomains } from '../../../src/features/directory/crawl-list.ts'
import { crawl } from '../../../src/features/directory/crawler.ts'
import type { FakeWeb } from '../../support/fake-web/fake-web.ts'
import { AGENT, BRAND, PUBLISHER, startRegistryWorld } from '../../support/registry-world.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

interface ParameterObject {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly schema: SchemaObject
}
interface SchemaObject {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly maximum?: number
  readonly maxItems?: number
  readonly items?: SchemaObject
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, SchemaObject>>
}
interface OperationObject {
  readonly operationId: string
  readonly parameters?: readonly ParameterObject[]
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: SchemaObject } } }
  readonly security?: readonly unknown[]
  readonly responses: Readonly<Record<string, { readonly $ref?: string; readonly content?: object }>>
}
interface Described {
  readonly path: string
  readonly method: string
  readonly operation: OperationObject
}
interface Request {
  readonly path: string
  readonly method: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

let web: FakeWeb
let agent: TestAgent
let origin: string
let key: string
let document: { paths: Record<string, Record<string, OperationObject>> }
let ajv: Ajv2020
let operations: readonly Described[]

beforeAll(async () => {
  web = await startRegistryWorld()
  agent = await startAgent({
    safeFetch: web.fetch(),
    flags: { directory: { requests: 1000, requestsPerAddress: 1000, windowSeconds: 1 } },
  })
  origin = agent.url.replace('/mcp', '')
  key = await agent.addBuyer({ principal: 'org', scopes: ['registry'] })
  const deps = {
    store: agent.server.store,
    fetch: web.fetch(),
    clock: () => new Date(),
    random: () => 0.5,
    limits: FRESHNESS,
    worker: 'test',
    warn: () => undefined,
  }
  await addDomains(deps, [PUBLISHER])
  await crawl(deps, { concurrency: 1 })
  document = JSON.parse(await (await fetch(`${origin}/openapi.json`)).text())
  ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv)
  ajv.addSchema(document, 'api')
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
})
afterAll(async () => {
  await agent?.stop()
  await web?.close()
})

/** Values of this test's small world, by the names under which the description asks for them. */
const WORLD: Readonly<Record<string, unknown>> = {
  agent_url: AGENT,
  agent: AGENT,
  evidence: 'adagents_json',
  url: AGENT,
  publisher_domain: PUBLISHER,
  identifier_value: PUBLISHER,
  brand_id: 'nova',
  capability: 'get_products',
  channel: 'ctv',
  channels: 'ctv',
  type: 'sales',
  types: 'agent.*',
  since: '2026-01-01T00:00:00Z',
}

/** Of the request that the world has made. */
let crawlRequestId = 'none'

function sample(name: string, schema: SchemaObject, operation: OperationObject): unknown {
  if (name === 'domain') return operation.operationId.includes('Brand') ? BRAND : PUBLISHER
  if (name === 'domains') return [operation.operationId.includes('Brand') ? BRAND : PUBLISHER]
  if (name === 'crawl_request_id') return crawlRequestId
  if (WORLD[name] !== undefined) return WORLD[name]
  if (schema.enum) return schema.enum[0]
  if (schema.type === 'array' && schema.items) return [sample(`${name}[]`, schema.items, operation)]
  if (schema.type === 'object') return objectOf(schema, operation)
  if (schema.type === 'integer') return 2
  if (schema.type === 'boolean') return true
  return 'Nova'
}

function objectOf(schema: SchemaObject, operation: OperationObject): object {
  return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, each]) => [name, sample(name, each, operation)]))
}

/** A request with every parameter of the description that has a value of its own; cursors come from answers. */
function requestOf({ path, method, operation }: Described, leave: readonly string[] = ['cursor', 'If-None-Match']): Request {
  const query = new URLSearchParams()
  let target = path
  for (const parameter of operation.parameters ?? []) {
    if (leave.includes(parameter.name)) continue
    const value = sample(parameter.name, parameter.schema, operation)
    if (parameter.in === 'path') target = target.replace(`{${parameter.name}}`, encodeURIComponent(String(value)))
    else if (parameter.in === 'query') for (const each of [value].flat()) query.append(parameter.name, String(each))
  }
  const schema = operation.requestBody?.content['application/json'].schema
  return {
    path: target + (query.size > 0 ? `?${query}` : ''),
    method,
    ...(schema && { body: objectOf(schema, operation) }),
    ...(operation.security && { headers: { authorization: `Bearer ${key}` } }),
  }
}

/** Sends a request and holds the answer against the description: a status that it names, a body of that status's schema. */
async function send({ path, operation }: Described, request: Request) {
  const response = await fetch(origin + request.path, {
    method: request.method,
    headers: { ...(request.body !== undefined && { 'content-type': 'application/json' }), ...request.headers },
    ...(request.body !== undefined && { body: typeof request.body === 'string' ? request.body : JSON.stringify(request.body) }),
  })
  const text = await response.text()
  const described = operation.responses[String(response.status)]
  const what = `${request.method} ${request.path} → ${response.status} ${text.slice(0, 300)}`
  expect(described, what).toBeDefined()
  if (text !== '') {
    const escaped = path.replaceAll('~', '~0').replaceAll('/', '~1')
    const pointer = described?.$ref
      ? `${described.$ref.slice(1)}/content/application~1json/schema`
      : `/paths/${escaped}/${Object.keys(document.paths[path] ?? {}).find((name) => document.paths[path]?.[name] === operation)}/responses/${response.status}/content/application~1json/schema`
    const validate = ajv.compile({ $ref: `api#${encodeURI(pointer)}` })
    expect(validate(JSON.parse(text)), `${what} ${JSON.stringify(validate.errors)}`).toBe(true)
  }
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
}

describe('the description at /openapi.json', () => {
  it('names every operation once, and covers directory and registry', () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    expect(operations.length).toBe(31)
    expect(agent.server.registry.registry.operations.map(({ id }) => id).every((id) => ids.includes(id))).toBe(true)
  })

  it('every operation answers a request made from it, as described', async () => {
    // First, since others look up what these make.
    const makesSomething = ({ operation: { operationId: id } }: Described) =>
      Number(['registerAgent', 'requestCrawl'].includes(id))
    const ordered = operations.toSorted((a, b) => makesSomething(b) - makesSomething(a))
    for (const described of ordered) {
      const reply = await send(described, requestOf(described))
      expect(reply.status, `${described.operation.operationId} ${JSON.stringify(reply.body)}`).toBeLessThan(300)
      if (described.operation.operationId === 'requestCrawl') crawlRequestId = reply.body.crawl_request_id
      if (described.method !== 'GET') continue
      const etag = reply.headers.get('etag') ?? ''
      const again = await send(described, { ...requestOf(described), headers: { 'if-none-match': etag } })
      // These say when they were worked out.
      const dated = ['discoverAgent', 'validatePropertyAuthorization', 'getRegistryFeed']
      if (!dated.includes(described.operation.operationId)) expect(again.status, described.operation.operationId).toBe(304)
    }
  })

  it('every operation refuses another method, as described', async () => {
    for (const described of operations) {
      const reply = await send(described, { ...requestOf(described), method: 'PUT' })
      expect(reply.status, described.operation.operationId).toBe(405)
      expect(reply.headers.get('allow'), described.operation.operationId).toContain(described.method)
    }
  })

  it('every required member is required, and every bound holds', async () => {
    for (const described of operations) {
      const { operation } = described
      const schema = operation.requestBody?.content['application/json'].schema
      for (const { name, in: place, required, schema: bounds } of operation.parameters ?? []) {
        if (required && place === 'query') {
          expect((await send(described, requestOf(described, ['cursor', 'If-None-Match', name]))).status, name).toBe(400)
        }
        if (bounds.type === 'integer') {
          const request = requestOf(described, ['cursor', 'If-None-Match', name])
          for (const wrong of ['0', String((bounds.maximum ?? 0) + 1), 'many', '1.5']) {
            const path = `${request.path}${request.path.includes('?') ? '&' : '?'}${name}=${wrong}`
            expect((await send(described, { ...request, path })).status, `${operation.operationId} ${name}=${wrong}`).toBe(400)
          }
        }
      }
      for (const name of schema?.required ?? []) {
        const request = requestOf(described)
        const body = Object.fromEntries(Object.entries(request.body as object).filter(([each]) => each !== name))
        const reply = await send(described, { ...request, body })
        expect(reply, `${operation.operationId} without ${name}`).toMatchObject({
          status: 400,
          body: { code: `invalid_${name}` },
        })
      }
      if (schema) {
        const request = requestOf(described)
        expect((await send(described, { ...request, body: '{"a":1,' })).status).toBe(400)
        expect((await send(described, { ...request, body: '[]' })).status).toBe(400)
        expect(
          (await send(described, { ...request, headers: { ...request.headers, 'content-type': 'text/plain' } })).status,
        ).toBe(415)
      }
    }
  })

  it('what needs an identity refuses everybody else, as described', async () => {
    const guarded = operations.filter(({ operation }) => operation.security)
    expect(guarded.map(({ operation }) => operation.operationId).sort()).toEqual([
      'registerAgent',
      'requestCrawl',
      'saveBrand',
      'saveProperty',
    ])
    for (const described of guarded) {
      const request = requestOf(described)
      const { headers, status } = await send(described, { ...request, headers: {} })
      expect(status).toBe(401)
      expect(headers.get('www-authenticate')).toMatch(/^Bearer realm="/)
      expect((await send(described, { ...request, headers: { authorization: `Bearer ${agent.key}` } })).status).toBe(403)
    }
  })
})
