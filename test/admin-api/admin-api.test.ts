import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OPERATIONS } from '../../src/admin-api/operations.ts'
import { createAdminKey, endAdminKey } from '../../src/operator/admin-keys/admin-keys.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { listAudit } from '../../src/store/audit/audit.ts'
import { addTenant } from '../../src/store/identity/principals.ts'
import { agentClient } from '../support/client.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { operatorBeside } from '../support/operator.ts'

const now = new Date('2026-03-01T12:00:00.000Z')
let agent: MediaBuyAgent
let operator: OperatorContext
let origin: string
const keys: Record<string, string> = {}

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')], { clock: () => now })
  operator = operatorBeside(agent, () => now)
  origin = new URL(agent.url).origin
  for (const role of ['viewer', 'finance', 'ad_operations', 'administrator'])
    keys[role] = (await createAdminKey(operator, { tenantId: agent.tenant, name: `robin ${role}`, role })).token
})
afterAll(() => agent.stop())

async function call(
  method: string,
  path: string,
  { key = keys.administrator, body, type = 'application/json' }: { key?: string | undefined; body?: unknown; type?: string } = {},
) {
  const response = await fetch(`${origin}/admin/v1${path}`, {
    method,
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': type }),
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  return { status: response.status, type: response.headers.get('content-type'), data: JSON.parse(await response.text()) }
}

describe('orders over HTTP', () => {
  it('lists by pages, shows, and changes as the named key; the buyer sees the change', async () => {
    const ids = [(await agent.create()).data.media_buy_id, (await agent.create()).data.media_buy_id]
    const first = await call('GET', '/orders?limit=1&status=pending_creatives,active')
    const second = await call('GET', `/orders?limit=1&status=pending_creatives,active&cursor=${first.data.next_cursor}`)
    const listed = [...first.data.orders, ...second.data.orders].map(({ media_buy_id: id }: { media_buy_id: string }) => id)
    expect(listed.sort()).toEqual(ids.sort())
    const [id] = ids
    const canceled = await call('POST', `/orders/${id}/cancel`, { key: keys.ad_operations, body: { reason: 'double booking' } })
    expect([canceled.status, canceled.data.order.status]).toEqual([200, 'canceled'])
    const seen = await agent.buyer.call('get_media_buys', { account: ACCOUNT, media_buy_ids: [id] })
    expect(seen.data.media_buys[0]).toMatchObject({
      status: 'canceled',
      cancellation: { canceled_by: 'seller', reason: 'double booking' },
    })
    const { data } = await call('GET', `/orders/${id}/history`)
    expect(data.history[0].person).toMatch(/^admin:robin ad_operations \(/)
    await agent.server.audit.settled()
    const entries = await listAudit(agent.server.store.read, agent.tenant, { limit: 50 })
    expect(entries.find(({ task }) => task === 'orders.cancel')).toMatchObject({ subject: id, transport: 'admin' })
    expect(await call('POST', `/orders/${id}/pause`, { body: {} })).toMatchObject({
      status: 409,
      type: 'application/problem+json',
      data: { type: 'about:blank', title: 'INVALID_STATE', status: 409 },
    })
  })

  it('changes a product with the checks of an import', async () => {
    const changed = await call('PATCH', '/products/news', { body: { cells: { price: '12.5' } } })
    expect(changed.data.product.pricing_options[0].fixed_price).toBe(12.5)
    expect((await call('PATCH', '/products/news', { body: { cells: { prize: '1' } } })).data.detail).toContain(
      'did you mean "price"?',
    )
  })
})

describe('refusals', () => {
  it.each([
    ['an unknown member', 'POST', '/orders/x/pause', { body: { why: 'x' } }, 400, 'why is not known here'],
    ['a member of another kind', 'POST', '/orders/x/pause', { body: { revision: '1' } }, 400, 'revision must be a whole number'],
    ['an unknown parameter', 'GET', '/orders?colour=red', {}, 400, 'colour is not known here'],
    ['a parameter given twice', 'GET', '/orders?buyer=a&buyer=b', {}, 400, 'given twice'],
    ['no JSON', 'POST', '/orders/x/pause', { body: '{' }, 400, ''],
    ['another content type', 'POST', '/orders/x/pause', { body: 'a=b', type: 'text/plain' }, 415, 'application/json'],
    [
      'a body that is too large',
      'POST',
      '/orders/x/pause',
      { body: JSON.stringify({ reason: 'x'.repeat(300_000) }) },
      413,
      'more than',
    ],
    ['another method', 'PATCH', '/orders', { body: {} }, 405, 'only GET'],
    ['an order that there is not', 'GET', '/orders/mb_none', {}, 404, 'there is no order'],
    ['a path that is no text', 'GET', '/orders/%E0', {}, 400, 'percent-encoded'],
    ['a missing reason', 'POST', '/orders/x/cancel', { body: {} }, 400, 'reason is required'],
  ])('%s', async (_name, method, path, options, status, detail) => {
    const answer = await call(method, path, options)
    expect([answer.status, answer.type]).toEqual([status, 'application/problem+json'])
    expect(answer.data.detail).toContain(detail)
  })
})

describe('keys', () => {
  it('of buyers mean nothing here, and keys of this API mean nothing to /mcp', async () => {
    expect((await call('GET', '/orders', { key: agent.key })).status).toBe(401)
    expect((await call('GET', '/orders', { key: '' })).status).toBe(401)
    for (const key of Object.values(keys)) {
      const refused = await agentClient(agent.url, key)
        .call('get_media_buys', {})
        .catch((error: unknown) => ({ isError: true, data: String(error) }))
      expect(refused.isError).toBe(true)
    }
  })

  it.each(OPERATIONS.map((operation) => [operation.id, operation] as const))(
    '%s asks for its roles',
    async (_id, { method, path, roles }) => {
      for (const [role, key] of Object.entries(keys)) {
        const { status } = await call(method, path.replace('{id}', 'none'), {
          key,
          ...(method !== 'GET' && { body: { unknown: 1 } }),
        })
        if (roles.some((each) => each === role)) expect(status).not.toBe(403)
        else expect(status).toBe(403)
      }
    },
  )

  it('see their own publisher alone, and end when they are revoked', async () => {
    await agent.server.store.transaction((tx) =>
      addTenant(tx, { tenantId: 'other', name: 'Other', domain: 'other.example' }, now),
    )
    const other = await createAdminKey(operator, { tenantId: 'other', name: 'theirs', role: 'administrator' })
    expect((await call('GET', '/orders', { key: other.token })).data.orders).toEqual([])
    const [order] = (await call('GET', '/orders')).data.orders
    expect((await call('GET', `/orders/${order.media_buy_id}`, { key: other.token })).status).toBe(404)
    await endAdminKey(operator, 'other', other.key_id)
    expect((await call('GET', '/orders', { key: other.token })).status).toBe(401)
  })

  it('end at their time', async () => {
    const { token } = await createAdminKey(operator, { tenantId: agent.tenant, name: 'short', role: 'viewer', expires: '1h' })
    expect((await call('GET', '/orders', { key: token })).status).toBe(200)
    const late = new Date(now.getTime() + 3_600_000)
    const { identifyAdminKey } = await import('../../src/operator/admin-keys/admin-keys.ts')
    expect(await identifyAdminKey({ ...operator, clock: () => late }, token)).toBeUndefined()
  })
})

it('the description names every operation with its members, and nothing else', async () => {
  const { data } = await call('GET', '/openapi.json', {})
  const described = Object.entries<
    Record<
      string,
      {
        operationId: string
        parameters?: { name: string; in: string }[]
        requestBody?: { content: { 'application/json': { schema: { properties: object } } } }
      }
    >
  >(data.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, parameters = [], requestBody }]) => [
      operationId,
      `${method.toUpperCase()} ${path}`,
      [
        ...parameters.filter((each) => each.in === 'query').map(({ name }) => name),
        ...Object.keys(requestBody?.content['application/json'].schema.properties ?? {}),
      ],
    ]),
  )
  expect(described).toEqual(
    OPERATIONS.map(({ id, method, path, fields }) => [id, `${method} /admin/v1${path}`, Object.keys(fields)]),
  )
})
