import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { consoleOf } from '../../../src/compose/console.ts'
import { routesOf } from '../../../src/compose/routes.ts'
import { peerOf } from '../../../src/platform/net/peer.ts'
import { consoleRouteTable } from '../../support/console-routes.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

/** Paths that answer without credentials, each with the reason. A new path has to be entered here or among the guarded ones. */
const OPEN: Readonly<Record<string, string>> = {
  ...because('the publisher’s face: a landing page, files of the console, health', [
    String.raw`^\/$`,
    String.raw`^\/console\/assets\/([a-z0-9.-]{1,80})$`,
    String.raw`^\/livez$`,
    String.raw`^\/readyz$`,
  ]),
  ...because('documents that others find this agent by', [
    String.raw`^(?:\/t\/([a-z0-9-]{1,64}))?(?:\/a2a|\/mcp)?\/\.well-known\/agent(?:-card)?\.json$`,
    String.raw`^\/(?:t\/[a-z0-9-]{1,64}\/)?\.well-known\/jwks\.json$`,
    String.raw`^\/\.well-known\/governance-revocations\.json$`,
    String.raw`^\/\.well-known\/brand\.json$`,
    String.raw`^\/t\/([a-z0-9-]{1,64})\/\.well-known\/brand\.json$`,
    String.raw`^\/(?:t\/([a-z0-9-]{1,64})\/)?\.well-known\/adagents\.json$`,
    String.raw`^(?:\/t\/([a-z0-9-]{1,64}))?\/mcp\/server-card$`,
    String.raw`^(?:\/t\/([a-z0-9-]{1,64}))?\/mcp\/server\.json$`,
    String.raw`^\/openapi\.json$`,
    String.raw`^\/admin\/v1\/openapi\.json$`,
    String.raw`^\/checks(?:\/(latest|\d{4}-\d{2}-\d{2})\.(html|json\.jws|key\.json|json))?$`,
  ]),
  ...because('the public directory and the reading half of the registry', [
    String.raw`^\/(?:api\/)?v1\/agents\/([^/]*)\/publishers$`,
    String.raw`^\/(?:api\/)?v1\/agents\/(?:https?:\/.*|.+\/publishers\/?)$`,
    String.raw`^\/directory(?:\/([a-z-]{1,30}))?$`,
    String.raw`^\/api\/registry\/agents$`,
    String.raw`^\/api\/brands\/resolve$`,
    String.raw`^\/api\/brands\/resolve\/bulk$`,
    String.raw`^\/api\/properties\/resolve$`,
    String.raw`^\/api\/properties\/resolve\/bulk$`,
    String.raw`^\/api\/registry\/lookup\/domain\/([^/]+)$`,
    String.raw`^\/api\/registry\/lookup\/agent\/([^/]+)\/domains$`,
    String.raw`^\/api\/registry\/lookup\/property$`,
    String.raw`^\/api\/registry\/publishers$`,
    String.raw`^\/api\/registry\/agent$`,
    String.raw`^\/api\/registry\/mirrors$`,
    String.raw`^\/api\/registry\/publisher$`,
    String.raw`^\/api\/registry\/agents\/search$`,
    String.raw`^\/api\/registry\/stats$`,
    String.raw`^\/api\/adagents\/validate$`,
    String.raw`^\/api\/public\/validate-publisher$`,
    String.raw`^\/api\/public\/discover-agent$`,
    String.raw`^\/api\/registry\/validate\/property-authorization$`,
    String.raw`^\/api\/registry\/feed$`,
    String.raw`^\/api\/registry\/feed\/stream$`,
    String.raw`^\/api\/registry\/verify\/supply-path$`,
    String.raw`^\/api\/adagents\/validate-document$`,
    String.raw`^\/api\/registry\/authorizations\/snapshot$`,
    String.raw`^\/api\/registry\/authorizations$`,
    String.raw`^\/api\/registry\/publisher\/authorization$`,
    String.raw`^\/api\/registry\/operator$`,
    String.raw`^\/api\/registry\/crawl-request\/([^/]+)$`,
  ]),
  ...because('browsers of visitors: ads that are served, and what they report', [
    String.raw`^\/ads\/tag\.js$`,
    String.raw`^\/ads\/e\/([A-Za-z]{1,20})$`,
    String.raw`^\/ads\/click$`,
    String.raw`^\/ads\/frame$`,
    String.raw`^\/ads\/files\/([a-z0-9-]{1,64})\/([0-9a-f]{32})\.[a-z0-9]{2,5}$`,
    String.raw`^\/ads\/files\/([a-z0-9-]{1,64})\/([0-9a-f]{32})\/(.{1,600})$`,
    String.raw`^\/ads\/([a-z0-9-]{1,64})\/decide$`,
    String.raw`^\/ads\/([a-z0-9-]{1,64})\/vast$`,
    String.raw`^\/ads\/demo-player\.js$`,
    String.raw`^\/ads\/([a-z0-9-]{1,64})\/demo$`,
    String.raw`^\/pixel$`,
  ]),
  ...because('routers sign what they ask, where the publisher asks for it (Trusted Match)', [
    String.raw`^\/trusted-match\/([a-z0-9-]{1,64})\/(context|identity|impression|health)$`,
  ]),
  ...because('who has the random id of a link may read what it leads to', [
    String.raw`^\/rights\/(rgt_[0-9a-f-]{36})$`,
    String.raw`^\/rights\/(rgt_[0-9a-f-]{36})\/status$`,
    String.raw`^\/rights\/creatives\/(rcs_[0-9a-f-]{36})$`,
    String.raw`^\/previews\/([A-Za-z0-9_-]{1,64})$`,
  ]),
  ...because('documents of reports, which are the same for everybody and pinned by digests (AdCP 3.2, `report_definition_uri`)', [
    String.raw`^(\/reporting\/[A-Za-z0-9_./-]{1,120})$`,
  ]),
  ...because('OAuth: where credentials come from', [
    String.raw`^\/\.well-known\/oauth-protected-resource(\/api|(?:\/t\/[a-z0-9-]{1,64}(?:\/rights)?)?\/mcp)?$`,
    String.raw`^\/\.well-known\/(?:oauth-authorization-server|openid-configuration)$`,
    String.raw`^\/oauth\/interaction\/([\w-]{1,64})(?:\/(login|confirm|abort|external|switch))?$`,
    String.raw`^\/(?:oauth\/)?register$`,
    String.raw`^\/oauth\/(?:authorize(?:\/[\w-]+)?|token|jwks|revoke)$`,
  ]),
}

function because(reason: string, patterns: readonly string[]): Record<string, string> {
  return Object.fromEntries(patterns.map((pattern) => [pattern, reason]))
}

const CALL = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_media_buys', arguments: {} } }
const PARTS = [{ kind: 'data', data: { skill: 'get_media_buys', input: {} } }]
const MESSAGE = { kind: 'message', messageId: 'm', role: 'user', parts: PARTS }

/** Paths that need credentials, each with a request that is refused without them. */
const GUARDED: Readonly<Record<string, { readonly path: string; readonly body?: object; readonly status?: number }>> = {
  [String.raw`^\/mcp$`]: { path: '/mcp', body: CALL },
  [String.raw`^\/mcp\/compact$`]: { path: '/mcp/compact', body: CALL },
  [String.raw`^\/t\/([a-z0-9-]{1,64})\/(?:rights\/)?mcp(\/compact)?$`]: { path: '/t/acme/mcp', body: CALL },
  [String.raw`^\/api\/mcp$`]: { path: '/api/mcp', body: CALL },
  [String.raw`^(?:\/t\/([a-z0-9-]{1,64}))?\/a2a$`]: {
    path: '/a2a',
    body: { ...CALL, method: 'message/send', params: { message: MESSAGE } },
  },
  [String.raw`^\/api\/registry\/crawl-request$`]: { path: '/api/registry/crawl-request', body: { domain: 'news.example' } },
  [String.raw`^\/api\/brands\/save$`]: { path: '/api/brands/save', body: {} },
  [String.raw`^\/api\/properties\/save$`]: { path: '/api/properties/save', body: {} },
  [String.raw`^\/admin\/v1(?:\/.*)?$`]: { path: '/admin/v1/orders' },
  [String.raw`^\/reporting\/files\/(reporting-resource\.[0-9a-f]{24})\/([a-z0-9.-]{1,40})$`]: {
    path: '/reporting/files/reporting-resource.0123456789abcdef01234567/manifest.json',
  },
  [String.raw`^\/metrics$`]: { path: '/metrics' },
  // The routes of the console are compared below, and asked one by one in test/console/authorisation.test.ts.
  [String.raw`^\/console(?:\/.*)?$`]: { path: '/console', status: 303 },
}

let agent: TestAgent
let patterns: readonly string[]
beforeAll(async () => {
  const flags = {
    'oauth.enabled': true,
    'metrics.token': 'm'.repeat(32),
    'directory.feed': true,
    'directory.export': true,
    'selfCheck.publish': true,
  }
  agent = await startAgent({ flags: { ...flags, 'adServer.type': 'embedded' } })
  const peer = peerOf(agent.config)
  const routes = [...consoleOf(agent.server, peer), ...(await routesOf(agent.server, peer))]
  patterns = routes.map(([pattern]) => pattern.source)
})
afterAll(() => agent.stop())

describe('every path of a server that has all parts', () => {
  it('is open for a reason, or guarded', () => {
    expect(patterns.filter((pattern) => !(pattern in OPEN) && !(pattern in GUARDED))).toEqual([])
    const listed = [...Object.keys(OPEN), ...Object.keys(GUARDED)]
    expect(listed.filter((pattern) => !patterns.includes(pattern))).toEqual([])
    expect(Object.keys(OPEN).filter((pattern) => pattern in GUARDED)).toEqual([])
  })

  it.each(Object.entries(GUARDED))('%s refuses who brings nothing', async (pattern, { path, body, status = 401 }) => {
    expect(path).toMatch(new RegExp(pattern))
    const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }
    const request = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) }
    const response = await fetch(new URL(path, agent.url), { ...request, redirect: 'manual' })
    await response.body?.cancel()
    expect(response.status).toBe(status)
  })
})

it('the console is open where people sign in and join, and nowhere else', () => {
  const open = consoleRouteTable({ elsewhere: true }).filter(({ access }) => access === 'anyone')
  expect(open.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
    'GET /join/{token}',
    'GET /sign-in',
    'GET /sign-in/callback',
    'GET /sign-in/provider',
    'POST /join/{token}',
    'POST /sign-in',
  ])
})
