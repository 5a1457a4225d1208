import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { ADMIN_ROLES } from '../../src/domain/identity/admin-role.ts'
import { endAdminKey, showAdminKeys } from '../../src/operator/admin-keys/admin-keys.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { listAudit } from '../../src/store/audit/audit.ts'
import { addTenant } from '../../src/store/identity/tenants.ts'
import { type AdminCall, adminClient } from '../support/admin-client.ts'
import { agentClient } from '../support/client.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { createAdminKey, operatorBeside, performAs } from '../support/operator.ts'

const now = new Date('2026-03-01T12:00:00.000Z')
let agent: MediaBuyAgent
let operator: OperatorContext
let call: AdminCall
const keys: Record<string, string> = {}

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')], { clock: () => now })
  operator = operatorBeside(agent, () => now)
  for (const role of ADMIN_ROLES)
    keys[role] = (await createAdminKey(operator, { tenantId: agent.tenant, name: `robin ${role}`, role })).token
  call = adminClient(agent.url, keys.administrator ?? '')
})
afterAll(() => agent.stop())

describe('orders over HTTP', () => {
  it('lists by pages, shows, and changes as the named key; the buyer sees the change', async () => {
    const ids = [(await agent.create()).data.media_buy_id, (await agent.create()).data.media_buy_id]
    const first = await call('GET', '/orders?limit=1&status=pending_creatives,active')
    const second = await call('GET', `/orders?limit=1&status=pending_creatives,active&cursor=${first.data.next_cursor}`)
    const listed = [...first.data.items, ...second.data.items].map(({ media_buy_id: id }: { media_buy_id: string }) => id)
    expect(listed.sort()).toEqual(ids.sort())
    expect((await call('GET', '/orders?cursor=made-up')).data).toMatchObject({ status: 400, field: 'cursor' })
    const [id] = ids
    const canceled = await call('POST', `/orders/${id}/cancel`, { key: keys.ad_operations, body: { reason: 'double booking' } })
    expect([canceled.status, canceled.data.order.status]).toEqual([200, 'canceled'])
    const seen = await agent.buyer.call('get_media_buys', { account: ACCOUNT, media_buy_ids: [id] })
    expect(seen.data.media_buys[0]).toMatchObject({
      status: 'canceled',
      cancellation: { canceled_by: 'seller', reason: 'double booking' },
    })
    const { data } = await call('GET', `/orders/${id}/history`)
    expect(data.items[0].person).toMatch(/^admin:robin ad_operations \(/)
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

/** A promise that the test resolves. */
function gate() {
  let resolve = () => {}
  const promise = new Promise<void>((open) => {
    resolve = open
  })
  return { promise, resolve: () => resolve() }
}

describe('idempotency keys', () => {
  const order = async () => String((await agent.create()).data.media_buy_id)
  const revisionOf = async (id: string) => (await call('GET', `/orders/${id}`)).data.revision

  it('a repeated request gets the stored answer and changes nothing; several at once are carried out once', async () => {
    const id = await order()
    const before = await revisionOf(id)
    const cancel = () => call('POST', `/orders/${id}/cancel`, { body: { reason: 'double booking' }, once: 'cancel-1' })
    const answers = await Promise.all([cancel(), cancel(), cancel()])
    expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([])
    expect(answers.filter(({ status, replayed }) => status === 200 && !replayed)).toHaveLength(1)
    const [first] = answers.filter(({ status }) => status === 200)
    expect(await cancel()).toMatchObject({ status: 200, replayed: true, data: first?.data })
    expect(await revisionOf(id)).toBe(before + 1)
  })

  it('belong to one request and one key of the API; a refused request may be repeated', async () => {
    const id = await order()
    const other = await call('POST', `/orders/${id}/cancel`, { body: { reason: 'other' }, once: 'cancel-1' })
    expect([other.status, other.data.detail]).toEqual([422, expect.stringContaining('used for another request')])
    const archived = await call('POST', '/products/news/archive', { body: {}, once: 'two-acts' })
    const restored = await call('POST', '/products/news/restore', { body: {}, once: 'two-acts' })
    expect([archived.status, restored.status]).toEqual([200, 422])
    expect((await call('POST', '/products/news/restore', { body: {}, once: 'another' })).status).toBe(200)
    const mine = { body: { reason: 'mine' }, once: 'cancel-1', key: keys.ad_operations }
    expect((await call('POST', `/orders/${id}/cancel`, { ...mine, body: { reason: 'mine', revision: 999 } })).status).toBe(409)
    expect(await call('POST', `/orders/${id}/cancel`, mine)).toMatchObject({ status: 200, replayed: false })
    const wrong = await call('POST', `/orders/${id}/cancel`, { body: { reason: 'x' }, once: 'x'.repeat(256) })
    expect([wrong.status, wrong.data.field]).toEqual([400, 'Idempotency-Key'])
  })

  it('a change whose answer was lost with its process is not made again, and says so', async () => {
    const { runOnce } = await import('../../src/operator/admin-keys/run-once.ts')
    const keyId = (await performAs(operator, agent.tenant, showAdminKeys, {})).items[0]?.key_id ?? ''
    const request = { keyId, idempotencyKey: 'lost', hash: 'h' }
    let runs = 0
    const run = async (own: OperatorContext) => {
      runs++
      await own.store.transaction(async () => undefined)
      throw new Error('the process dies')
    }
    await expect(runOnce(operator, request, run)).rejects.toThrow('the process dies')
    await expect(runOnce(operator, request, run)).rejects.toThrow('still running')
    const later = { ...operator, clock: () => new Date(now.getTime() + 16_000) }
    await expect(runOnce(later, request, run)).rejects.toThrow('its answer was lost')
    expect(runs).toBe(1)
  })

  it('a request whose process died before it changed anything is carried out by a repeat 15 seconds later', async () => {
    const { runOnce } = await import('../../src/operator/admin-keys/run-once.ts')
    const keyId = (await performAs(operator, agent.tenant, showAdminKeys, {})).items[0]?.key_id ?? ''
    const request = { keyId, idempotencyKey: 'died', hash: 'h' }
    const { promise: begun, resolve: begin } = gate()
    const { promise: end, resolve: finish } = gate()
    // Of a process that died nothing is heard, and no timer renews what it holds.
    vi.useFakeTimers({ toFake: ['setInterval'] })
    const died = runOnce(operator, request, async (own) => {
      begin()
      await end
      await own.store.transaction(async () => undefined)
      return { by: 'first' }
    }).catch(({ message }: Error) => message)
    await begun
    vi.useRealTimers()
    const at = (ms: number) => ({ ...operator, clock: () => new Date(now.getTime() + ms) })
    const again = (ms: number) => runOnce(at(ms), request, async () => ({ by: 'second' }))
    await expect(again(14_000)).rejects.toThrow('still running')
    expect(await again(15_000)).toEqual({ answer: { by: 'second' }, replayed: false })
    // It lives after all: its change is refused, and the answer of the other one stays.
    finish()
    expect(await died).toContain('another process has taken this request over')
    expect(await again(16_000)).toEqual({ answer: { by: 'second' }, replayed: true })
  })

  it('a request that runs long is held for as long as its process renews it', async () => {
    const { runOnce } = await import('../../src/operator/admin-keys/run-once.ts')
    const keyId = (await performAs(operator, agent.tenant, showAdminKeys, {})).items[0]?.key_id ?? ''
    const request = { keyId, idempotencyKey: 'long', hash: 'h' }
    let passed = 0
    const moving = { ...operator, clock: () => new Date(now.getTime() + passed) }
    const { promise: begun, resolve: begin } = gate()
    const { promise: end, resolve: finish } = gate()
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const running = runOnce(moving, request, async () => {
      begin()
      await end
      return { by: 'first' }
    })
    await begun
    for (passed = 5_000; passed <= 60_000; passed += 5_000) {
      vi.advanceTimersByTime(5_000)
      // The renewal is before this in the queue of the store.
      await operator.store.transaction(async () => undefined)
    }
    await expect(runOnce(moving, request, async () => ({ by: 'second' }))).rejects.toThrow('still running')
    finish()
    expect(await running).toEqual({ answer: { by: 'first' }, replayed: false })
    vi.useRealTimers()
    expect(await runOnce(moving, request, async () => ({ by: 'third' }))).toEqual({ answer: { by: 'first' }, replayed: true })
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
      { body: JSON.stringify({ reason: 'x'.repeat(5_000_000) }) },
      413,
      'more than',
    ],
    ['another method', 'PATCH', '/orders', { body: {} }, 405, 'only GET'],
    ['an order that there is not', 'GET', '/orders/mb_none', {}, 404, 'there is no order'],
    ['a path that is no text', 'GET', '/orders/%E0', {}, 400, 'percent-encoded'],
    ['an id that is too long', 'GET', `/orders/${'x'.repeat(513)}`, {}, 400, 'must be a text of at most 512 characters'],
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

  it('see their own publisher alone, and end when they are revoked', async () => {
    await agent.server.store.transaction((tx) =>
      addTenant(tx, { tenantId: 'other', name: 'Other', domain: 'other.example' }, now),
    )
    const other = await createAdminKey(operator, { tenantId: 'other', name: 'theirs', role: 'administrator' })
    expect((await call('GET', '/orders', { key: other.token })).data.items).toEqual([])
    const [order] = (await call('GET', '/orders')).data.items
    expect((await call('GET', `/orders/${order.media_buy_id}`, { key: other.token })).status).toBe(404)
    await performAs(operator, 'other', endAdminKey, { key: other.key_id })
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
