import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ConsoleRoute } from '../../src/console/route.ts'
import { ADMIN_ROLES } from '../../src/domain/identity/admin-role.ts'
import { ACTS } from '../../src/operator/acts.ts'
import { READERS } from '../../src/operator/roles.ts'
import { ConsoleClient, signedIn } from '../support/console-client.ts'
import { consoleRouteTable } from '../support/console-routes.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

const routes = consoleRouteTable()
const guarded = routes.filter(({ access }) => access !== 'anyone')
const ofTenant = routes.filter(({ access }) => typeof access !== 'string')

let agent: TestAgent
let visitor: ConsoleClient
let stranger: ConsoleClient
const people = new Map<string, ConsoleClient>()

beforeAll(async () => {
  agent = await startAgent()
  await agent.addBuyer({ principal: 'other', tenant: 'other' })
  visitor = new ConsoleClient(new URL(agent.url).origin)
  stranger = await signedIn(agent, 'stranger', 'administrator', 'other')
  for (const role of ADMIN_ROLES) people.set(role, await signedIn(agent, role, role, agent.tenant))
})
afterAll(() => agent.stop())

/** Asks a route with ids that do not exist. Streams are not read. */
async function ask(client: ConsoleClient, { method, path }: ConsoleRoute) {
  const address = `/console${path.replace('{tenant}', agent.tenant).replaceAll(/\{\w+\}/g, 'no-such-id')}`
  if (method === 'POST') return client.post(address)
  if (!path.endsWith('/live')) return client.get(address)
  const response = await fetch(client.origin + address, { headers: { Cookie: client.cookie ?? '' }, redirect: 'manual' })
  await response.body?.cancel()
  return { status: response.status, location: response.headers.get('location') }
}

describe('every route of the console, by role', () => {
  it('only the pages that lead to a sign-in, also at an identity provider, ask for none', () => {
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

  it.each(guarded.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s asks for sign-in',
    async (_name, route) => {
      const { status, location } = await ask(visitor, route)
      expect([status, location?.split('?', 1)[0]]).toEqual([303, '/console/sign-in'])
    },
  )

  it.each(ofTenant.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s is for its roles, and of no publisher but their own',
    async (_name, route) => {
      expect((await ask(stranger, route)).status).toBe(404)
      for (const [role, client] of people) {
        const isAllowed = Array.isArray(route.access) && route.access.some((each) => each === role)
        const { status, location } = await ask(client, route)
        expect([role, status === 403], role).toEqual([role, !isAllowed])
        expect(location ?? '').not.toMatch(/sign-in/)
      }
    },
  )

  it('who may only read changes nothing but where they are notified', () => {
    const acts = ofTenant.filter(({ method }) => method === 'POST')
    expect(acts.length).toBeGreaterThan(20)
    const own = (path: string) => path.startsWith('/t/{tenant}/notifications/')
    const tries = (act?: string) => ACTS.some(({ name, changes }) => name === act && !changes)
    expect(
      acts.filter(({ access, path, act }) => access.includes('viewer') && !own(path) && !tries(act)).map(({ path }) => path),
    ).toEqual([])
    const pages = ofTenant.filter(({ method, access }) => method === 'GET' && access !== READERS)
    expect(pages.map(({ path }) => path.replace('/t/{tenant}', ''))).toEqual([
      '/orders/{id}/pause',
      '/orders/{id}/resume',
      '/orders/{id}/extend',
      '/orders/{id}/cancel',
      '/direct-orders/~enter',
      '/direct-orders/{order}/edit',
      '/settings/ad-servers/{name}/orders/{there}/adopt',
      '/creatives/files',
      '/placements/new',
      '/placements/{id}/edit',
      '/products/import',
      '/products/new',
      '/products/{id}/edit',
      '/products/{id}/archive',
      '/products/{id}/restore',
      '/settings/connect-network',
    ])
  })
})
