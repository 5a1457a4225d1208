import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type AdminOperation, isQueried } from '../../src/admin-api/operation.ts'
import { OPERATIONS } from '../../src/admin-api/operations.ts'
import { paramNames } from '../../src/operator/act.ts'
import { addTenant } from '../../src/store/identity/tenants.ts'
import { type AdminCall, adminClient } from '../support/admin-client.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { createAdminKey, operatorBeside } from '../support/operator.ts'
import { storedTexts } from '../support/stored-texts.ts'

const now = new Date('2026-03-01T12:00:00.000Z')
/** In texts of the publisher that no id holds. */
const MARK = 'of the victim alone'

let agent: MediaBuyAgent
let theirs: AdminCall
/** Texts that name things of the publisher. */
let ids: readonly string[]

/** Rows of the publisher, without those that a background job sends webhooks from. */
async function rowsOfVictim() {
  const rows = await storedTexts(agent.server.store)
  return rows
    .filter(({ table, text }) => table !== 'feed_subscribers' && JSON.parse(text).tenant_id === agent.tenant)
    .map(({ table, text }) => `${table} ${text}`)
}

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news', { name: `News ${MARK}` })], {
    clock: () => now,
    flags: { 'limits.adminRequests': 1_000_000 },
  })
  const operator = operatorBeside(agent, () => now)
  const order = { tenantId: agent.tenant, name: 'own', role: 'administrator' as const }
  const own = adminClient(agent.url, (await createAdminKey(operator, order)).token)
  const bought = await agent.create()
  const mediaBuyId: string = bought.data.media_buy_id
  await agent.run('sync_event_sources', { account: ACCOUNT, event_sources: [{ event_source_id: 'site', name: MARK }] })
  await agent.run('create_property_list', { name: `list ${MARK}`, idempotency_key: randomUUID() })
  for (const [path, body] of [
    [`/orders/${mediaBuyId}/notes`, { text: `note ${MARK}` }],
    ['/invitations', { role: 'viewer' }],
    ['/users', { username: 'victims', buyer: 'buyer' }],
    ['/change-subscribers', { url: 'https://receiver.example/victims-hook' }],
    ['/ad-servers', { name: 'victims', type: 'manual', options: { name: MARK } }],
  ] as const)
    await own('POST', path, { body })
  await agent.server.store.transaction((tx) => addTenant(tx, { tenantId: 'other', name: 'Other', domain: 'other.example' }, now))
  theirs = adminClient(agent.url, (await createAdminKey(operator, { ...order, tenantId: 'other', name: 'theirs' })).token)
  // Entries of the audit move to the log a moment later.
  await agent.server.audit.settled()
  // So do changes of accounts.
  const unordered = () => agent.server.store.read.selectFrom('account_change_entries').select('entry_id').execute()
  await vi.waitUntil(async () => (await unordered()).length === 0, { timeout: 30_000 })
  // One of each column of each table.
  const named = new Map<string, string>()
  for (const { table, text } of await storedTexts(agent.server.store)) {
    const row: Record<string, unknown> = JSON.parse(text)
    if (row.tenant_id !== agent.tenant) continue
    for (const [name, value] of Object.entries(row))
      if (/(?:_id|^name|^username|^kid|^anchor)$/.test(name) && typeof value === 'string') named.set(`${table} ${name}`, value)
  }
  ids = [...new Set([agent.tenant, ...named.values()])].filter((id) => id.length < 200 && id !== '')
})
afterAll(() => agent?.stop())

/** The operation with an id in every place for one. */
function requestWith({ path, fields, ...operation }: AdminOperation, id: string) {
  const place = paramNames(path).reduce((text, name) => text.replace(`{${name}}`, () => encodeURIComponent(id)), path)
  const members = Object.entries(fields).flatMap(([name, { required, schema }]): [string, unknown][] => {
    if (Array.isArray(schema.enum)) return required ? [[name, schema.enum[0]]] : []
    if (schema.type === 'string') return [[name, id]]
    if (schema.type === 'array') return required ? [[name, [id]]] : []
    if (schema.type === 'integer') return required ? [[name, 1]] : []
    return required ? [[name, schema.type === 'boolean' ? true : {}]] : []
  })
  if (!isQueried(operation)) return { path: place, body: Object.fromEntries(members) }
  const query = new URLSearchParams(members.map(([name, value]): [string, string] => [name, String(value)]))
  return { path: `${place}?${query}` }
}

describe('an administrator of another publisher', () => {
  it('has something to try', () => {
    expect(ids.length).toBeGreaterThan(12)
    expect(OPERATIONS.filter(({ path }) => paramNames(path).length > 0).length).toBeGreaterThan(40)
  })

  it.each(OPERATIONS.map((operation) => [operation.id, operation] as const))(
    'reads and changes nothing of this one by its ids: %s',
    async (_id, operation) => {
      const before = await rowsOfVictim()
      for (const id of ids)
        for (const bare of [false, true]) {
          const { path, body } = requestWith(operation, id)
          // With nothing but the id in the path, and with the id in every field.
          const sent = bare ? { path: path.split('?', 1)[0] ?? '', body: body && {} } : { path, body }
          const { status, data } = await theirs(operation.method, sent.path, sent.body === undefined ? {} : { body: sent.body })
          expect(status, `${id}: ${JSON.stringify(data).slice(0, 300)}`).not.toBe(500)
          expect(JSON.stringify(data), id).not.toContain(MARK)
        }
      expect(await rowsOfVictim()).toEqual(before)
    },
  )
})
