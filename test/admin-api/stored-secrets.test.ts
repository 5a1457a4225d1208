import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { storePath } from '../../src/store/open.ts'
import { sqliteDriver } from '../../src/store/sqlite/choose-sqlite-driver.ts'
import { type AdminCall, adminClient } from '../support/admin-client.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { createAdminKey, operatorBeside } from '../support/operator.ts'
import { startAgent } from '../support/start-agent.ts'
import { storedTexts, tablesWith } from '../support/stored-texts.ts'

const now = new Date('2026-03-01T12:00:00.000Z')
let agent: MediaBuyAgent
let call: AdminCall

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')], { clock: () => now })
  const operator = operatorBeside(agent, () => now)
  const order = { tenantId: agent.tenant, name: 'robin', role: 'administrator' as const, deployment: true }
  call = adminClient(agent.url, (await createAdminKey(operator, order)).token)
})
afterAll(() => agent.stop())

/** Operations whose answers hold a secret that was made for them: by id, their path, body, and where the secret is. */
const MAKE_SECRETS: Readonly<
  Record<string, readonly [path: string, body: object, secretOf: (data: Record<string, string>) => string]>
> = {
  createKey: ['/keys', { buyer: 'buyer' }, ({ token = '' }) => token],
  addUser: ['/users', { username: 'ann', buyer: 'buyer' }, ({ password = '' }) => password],
  invitePerson: ['/invitations', { role: 'viewer' }, ({ link = '' }) => link.split('/').at(-1) ?? ''],
  inviteEverywhere: ['/deployment/invitations', { role: 'viewer' }, ({ link = '' }) => link.split('/').at(-1) ?? ''],
  createAdminKey: ['/admin-keys', { name: 'export', role: 'viewer' }, ({ token = '' }) => token],
  createPublisherAdminKey: ['/deployment/publishers/acme/admin-keys', { name: 'a', role: 'viewer' }, ({ token = '' }) => token],
}

describe('a secret that an operation makes', () => {
  it.each(Object.entries(MAKE_SECRETS))(
    'is in its answer, and in that of a repeated request, and in no table: %s',
    async (_id, [path, body, secretOf]) => {
      const once = randomUUID()
      const first = await call('POST', path, { body, once })
      const secret = secretOf(first.data)
      expect([first.status, secret.length >= 16], JSON.stringify(first.data)).toEqual([200, true])
      expect(await call('POST', path, { body, once })).toMatchObject({ status: 200, replayed: true, data: first.data })
      expect(await tablesWith(agent.server.store, secret)).toEqual([])
    },
  )

  it('is looked for after every operation that answers with a token, a password or a link', () => {
    const { paths, components } = JSON.parse(readFileSync('schemas/admin-openapi.json', 'utf8'))
    const textOf = (schema: unknown): string =>
      JSON.stringify(schema).replaceAll(/\{"\$ref":"#\/components\/schemas\/(\w+)"\}/g, (_all, name) =>
        JSON.stringify(components.schemas[name]),
      )
    const operations = Object.values<Record<string, { operationId: string; responses: Record<string, unknown> }>>(paths)
    const found = operations.flatMap((methods) =>
      Object.entries(methods).flatMap(([method, { operationId, responses }]) =>
        method !== 'get' && /"(?:token|password|link)":/.test(textOf(responses['200'])) ? [operationId] : [],
      ),
    )
    // A rotated key answers as a new one does.
    expect(found.filter((id) => id !== 'rotateKey').sort()).toEqual(Object.keys(MAKE_SECRETS).sort())
  })

  it('would be found in a table', async () => {
    const rows = await storedTexts(agent.server.store)
    expect(rows.some(({ table, text }) => table === 'admin_requests' && text.includes('"answered"'))).toBe(true)
    expect(await tablesWith(agent.server.store, 'robin')).toContain('admin_keys')
  })
})

it('answers from before they were sealed are forgotten with an upgrade: a repeated request is told that it was carried out', async () => {
  const data = mkdtempSync(join(tmpdir(), 'plain-answers-'))
  const flags = { data }
  const before = await startMediaBuyAgent([], { flags })
  const { clock } = before.server
  const { token } = await createAdminKey(operatorBeside(before, clock), {
    tenantId: 'acme',
    name: 'robin',
    role: 'administrator',
  })
  const [once, body] = [randomUUID(), { name: 'older', role: 'viewer' }]
  const made = await adminClient(before.url, token)('POST', '/admin-keys', { body, once })
  await before.stop()
  const file = sqliteDriver().open(storePath(data))
  file.exec(`update admin_requests set answer = '${JSON.stringify(made.data)}', lease_until = '2026-01-01T00:00:00.000Z'`)
  file.exec("delete from kysely_migration where name = '0660-admin-answers'")
  file.close()

  const after = await startAgent({ flags, clock, empty: true })
  try {
    expect(await tablesWith(after.server.store, made.data.token)).toEqual([])
    expect(await adminClient(after.url, token)('POST', '/admin-keys', { body, once })).toMatchObject({
      status: 409,
      data: { detail: expect.stringContaining('its answer was lost') },
    })
  } finally {
    await after.stop()
    rmSync(data, { recursive: true, force: true })
  }
})
