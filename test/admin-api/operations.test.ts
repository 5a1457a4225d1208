import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OPERATIONS } from '../../src/admin-api/operations.ts'
import { ADMIN_ROLES } from '../../src/domain/identity/admin-role.ts'
import { CHECKS } from '../../src/features/doctor/finding.ts'
import { paramNames } from '../../src/operator/act.ts'
import { addTenant } from '../../src/store/identity/tenants.ts'
import { type AdminCall, adminClient } from '../support/admin-client.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { createAdminKey, operatorBeside } from '../support/operator.ts'

const now = new Date('2026-03-01T12:00:00.000Z')
let agent: MediaBuyAgent
let call: AdminCall
const keys: Record<string, string> = {}

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')], { clock: () => now, flags: { 'limits.adminRequests': 100_000 } })
  const operator = operatorBeside(agent, () => now)
  for (const role of ADMIN_ROLES)
    keys[role] = (await createAdminKey(operator, { tenantId: agent.tenant, name: role, role })).token
  keys.deployment = (
    await createAdminKey(operator, { tenantId: agent.tenant, name: 'all', role: 'administrator', deployment: true })
  ).token
  await agent.server.store.transaction((tx) => addTenant(tx, { tenantId: 'other', name: 'Other', domain: 'other.example' }, now))
  keys.other = (await createAdminKey(operator, { tenantId: 'other', name: 'theirs', role: 'administrator' })).token
  call = adminClient(agent.url, keys.deployment ?? '')
})
afterAll(() => agent.stop())

const placed = (path: string) => paramNames(path).reduce((text, name) => text.replace(`{${name}}`, 'none'), path)

/** What a field may name that is not there. */
function unknown(field: string): string {
  if (field === 'channel') return 'mail'
  if (field === 'domain') return 'none.example'
  if (field === 'name') return 'dns:none.example'
  return /^(?:issuer|source|agent_url)$/.test(field) ? 'https://none.example' : 'none'
}

describe('every operation', () => {
  it.each(OPERATIONS.map((operation) => [operation.id, operation] as const))('%s asks for its role', async (_id, operation) => {
    const { method, path, roles, scope } = operation
    const options = method === 'GET' || method === 'DELETE' ? {} : { body: { unknown: 1 } }
    const target = `${placed(path)}${method === 'GET' || method === 'DELETE' ? '?unknown=1' : ''}`
    expect((await call(method, target, { key: undefined, ...options })).status).toBe(401)
    for (const role of ADMIN_ROLES) {
      const { status, data } = await call(method, target, { key: keys[role] ?? '', ...options })
      const may = scope === 'publisher' && roles.includes(role)
      expect([role, status]).toEqual([role, may ? 400 : 403])
      if (may) expect(data).toMatchObject({ title: 'INVALID_REQUEST', field: 'unknown' })
    }
    const wide = await call(method, target, { key: keys.deployment ?? '', ...options })
    expect(wide.status).toBe(400)
  })

  const removing = OPERATIONS.filter(({ method }) => method === 'DELETE')
  it.each(removing.map((operation) => [operation.id, operation] as const))(
    '%s that removes says when there is nothing to remove',
    async (_id, { path, fields }) => {
      const needed = Object.keys(fields).filter((name) => fields[name]?.required)
      const query = new URLSearchParams(needed.map((name): [string, string] => [name, unknown(name)]))
      const target = paramNames(path).reduce((text, name) => text.replace(`{${name}}`, encodeURIComponent(unknown(name))), path)
      const { status, data } = await call('DELETE', `${target}?${query}`)
      expect({ status, ...data }).toMatchObject({ status: 404, title: 'REFERENCE_NOT_FOUND' })
    },
  )

  it('has a path and a name of its own', () => {
    expect(new Set(OPERATIONS.map(({ id }) => id)).size).toBe(OPERATIONS.length)
    const places = OPERATIONS.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`)
    expect(places.filter((place, index) => places.indexOf(place) !== index)).toEqual([])
  })
})

/** Operations that read and need nothing named: each answers for a publisher that has little. */
const PLAIN = OPERATIONS.filter(
  ({ method, path, fields }) =>
    method === 'GET' && paramNames(path).length === 0 && Object.values(fields).every(({ required }) => !required),
)
/** These ask other machines, or have nothing to show here. */
const NOT_HERE = ['exportBrands', 'compareAdagents', 'examineOwnAgent', 'showOrderSheet']

describe('reading', () => {
  it.each(PLAIN.filter(({ id }) => !NOT_HERE.includes(id)).map(({ id, path }) => [id, path]))('%s', async (id, path) => {
    const { status, data } = await call('GET', path)
    expect([status, data.detail]).toEqual([200, undefined])
    if (/^list[A-Z]/.test(id)) {
      expect(Array.isArray(data.items)).toBe(true)
      expect(data.next_cursor === null || typeof data.next_cursor === 'string').toBe(true)
    }
  })

  it('another publisher sees nothing of it', async () => {
    const words = ['news', 'buyer', agent.tenant]
    for (const { id, path, scope } of PLAIN) {
      if (scope === 'deployment' || NOT_HERE.includes(id) || ['listFormats', 'buildAdagents'].includes(id)) continue
      const { status, data } = await call('GET', path, { key: keys.other ?? '' })
      expect([id, status]).toEqual([id, 200])
      const text = JSON.stringify(data)
      expect([id, words.filter((word) => text.includes(`"${word}"`))]).toEqual([id, []])
    }
  })
})

it('the description has every operation with its members, and is served to everybody', async () => {
  const { data } = await call('GET', '/openapi.json', { key: undefined })
  const described = Object.entries<Record<string, { operationId: string }>>(data.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`),
  )
  expect(described.sort()).toEqual(OPERATIONS.map(({ id, method, path }) => `${id} ${method} /admin/v1${path}`).sort())
  const cancel = data.paths['/admin/v1/orders/{order}/cancel'].post
  expect(cancel.parameters).toContainEqual({ $ref: '#/components/parameters/idempotencyKey' })
  expect(cancel.requestBody.content['application/json'].schema).toMatchObject({
    required: ['reason'],
    additionalProperties: false,
  })
})

it('describes the findings of every check of the doctor', () => {
  const { components } = JSON.parse(readFileSync(new URL('../../schemas/admin-openapi.json', import.meta.url), 'utf8'))
  expect(components.schemas.Finding.properties.check.enum.toSorted()).toEqual([...CHECKS].sort())
})

it('members of answers have names in snake_case, as in the protocol', () => {
  const description = readFileSync(new URL('../../schemas/admin-openapi.json', import.meta.url), 'utf8')
  const names = [...description.matchAll(/^ *"(\w+)": \{/gm)].map(([, name = '']) => name)
  const schemaWords = new Set(['additionalProperties', 'requestBody', 'securitySchemes', 'adminKey', 'idempotencyKey'])
  const others = names.filter((name) => /^[a-z]+[A-Z]/.test(name) && !schemaWords.has(name))
  expect([...new Set(others)]).toEqual([])
})

it('what a domain serves is judged with the members of a file that is sent', async () => {
  const sent = await call('POST', '/adagents/validate', { body: { document: { version: 1 } } })
  const served = await call('POST', '/adagents/validate', { body: { where: 'publisher.invalid' } })
  expect(served.data).toMatchObject({
    where: 'https://publisher.invalid/.well-known/adagents.json',
    valid: false,
    answered: false,
    properties: 0,
  })
  expect(Object.keys(served.data).toSorted()).toEqual(['where', 'answered', ...Object.keys(sent.data)].toSorted())
})

describe('what the command line does too', () => {
  const id = (answer: { data: { key_id?: string } }) => answer.data.key_id ?? ''

  it('a buyer from nothing to a rotated key, and suspended', async () => {
    expect((await call('POST', '/buyers', { body: { buyer: 'acme', name: 'Acme' } })).data).toMatchObject({ principal: 'acme' })
    const key = await call('POST', '/keys', { body: { buyer: 'acme', scopes: 'adcp:products' } })
    expect(key.data.token).toMatch(/^sk_/)
    const next = await call('POST', `/keys/${id(key)}/rotate`, { body: { overlap: '1h' } })
    expect(next.data.token).not.toBe(key.data.token)
    const { items } = (await call('GET', '/keys?buyer=acme')).data
    expect(items.map(({ status }: { status: string }) => status)).toEqual(['active', 'active'])
    expect(JSON.stringify(items)).not.toContain(key.data.token)
    expect((await call('POST', `/keys/${id(key)}/revoke`)).status).toBe(200)
    expect((await call('PUT', '/buyers/acme/status', { body: { status: 'suspended' } })).data.status).toBe('suspended')
    expect((await call('PUT', '/buyers/acme/status', { body: { status: 'gone' } })).data.detail).toContain('active, suspended')
  })

  it('products: exported, changed, imported as JSON and as CSV, tried first', async () => {
    const document = (await call('GET', '/products/export')).data
    const second = { ...document.products[0], product_id: 'sport' }
    const both = { ...document, products: [second] }
    const trial = await call('POST', '/products/import', { body: { document: both, dry_run: true } })
    expect([trial.data.added, trial.data.removed]).toEqual([['sport'], []])
    expect((await call('GET', '/products')).data.total).toBe(1)
    expect((await call('POST', '/products/import', { body: { document: both } })).data.added).toEqual(['sport'])
    const prices = await call('POST', '/products/import', { body: { csv: 'product_id;price\nsport;77,5\n', dry_run: true } })
    expect(prices.data.changed).toMatchObject([{ product_id: 'sport', fields: [{ after: 77.5 }] }])
    const gone = await call('POST', '/products/import', { body: { document, replace: true } })
    expect(gone.data.removed).toEqual(['sport'])
    const wrong = await call('POST', '/products/import', { body: { csv: 'product_id;nam\nx;y\n' } })
    expect([wrong.status, wrong.data.issues.length > 0]).toEqual([400, true])
    expect((await call('POST', '/products/import', { body: {} })).data.detail).toContain('as document or as csv')
  })

  it('settings, and a publisher that comes and goes', async () => {
    await call('PATCH', '/settings', { body: { time_zone: 'Europe/Berlin', currency: 'EUR' } })
    expect(JSON.stringify((await call('GET', '/settings')).data)).toContain('Europe/Berlin')
    const publisher = { publisher: 'third', domain: 'third.example' }
    expect((await call('POST', '/deployment/publishers', { body: publisher })).data.tenant).toBe('third')
    const made = await call('POST', '/deployment/publishers/third/admin-keys', {
      body: { name: 'theirs', role: 'administrator' },
    })
    const theirs = { key: made.data.token, once: 'one', body: { buyer: 'b1' } }
    expect((await call('POST', '/buyers', theirs)).status).toBe(200)
    await agent.server.audit.settled()
    const logged = (await call('GET', '/audit?task=admin-keys.create', { key: made.data.token })).data.items
    expect(logged).toMatchObject([{ task: 'admin-keys.create', subject: made.data.key_id }])
    expect((await call('DELETE', '/deployment/publishers/third')).data.removed).toBe(true)
    expect((await call('GET', '/settings', { key: made.data.token })).status).toBe(401)
    expect((await call('DELETE', `/deployment/publishers/${agent.tenant}`)).status).toBe(409)
  })

  it('people, their channels, and an invitation that is shown once', async () => {
    const { data } = await call('POST', '/invitations', { body: { role: 'viewer' } })
    expect(data.link).toMatch(/\/console\/join\/[\w-]{40,}$/)
    const { items } = (await call('GET', '/invitations')).data
    expect(items).toHaveLength(1)
    expect(JSON.stringify(items)).not.toContain(data.link.split('/').at(-1))
    const channel = await call('PUT', '/notification-channels/nobody/mail', { body: { address: 'a@b.example' } })
    expect([channel.status, channel.data.title]).toEqual([404, 'REFERENCE_NOT_FOUND'])
  })

  it('the audit log by pages, with the name of the key', async () => {
    await agent.server.audit.settled()
    const first = (await call('GET', '/audit?limit=2')).data
    const next = (await call('GET', `/audit?limit=2&cursor=${first.next_cursor}`)).data
    expect(next.items[0].seq).toBe(first.items[1].seq - 1)
    const entries = (await call('GET', '/audit?limit=500&task=keys.rotate')).data.items
    expect(entries[0].credential).toMatch(/^admin:all \(/)
    expect((await call('GET', '/audit?cursor=x')).status).toBe(400)
    expect((await call('GET', '/audit/export')).data.items[0].number).toBe(1)
  })
})
