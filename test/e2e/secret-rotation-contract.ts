import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, it, vi } from 'vitest'
import { createSecretBox } from '../../src/security/secrets/secret-box.ts'
import { openStore } from '../../src/store/open.ts'
import { insertEndpoint, sealPlace } from '../../src/store/webhook/webhook-endpoints.ts'
import type { CommandLine, Served } from '../../tools/agent/command-line.ts'
import { CHROME } from '../support/ad-publisher.ts'
import { agentClient } from '../support/client.ts'
import { pngOf } from '../support/creative-files.ts'

/** Makes a deployment with the given variables; on PostgreSQL each with a database of its own. */
export type MakeDeployment = (
  environment?: Readonly<Record<string, string>>,
) => Promise<CommandLine & { readonly database?: string }>

const PATIENCE = 240_000
const ENDPOINTS = 3_000
const CREDENTIALS = 'a credential that a buyer gave for its webhook'
const EIGHT_DAYS_MS = 8 * 86_400_000

/** Rotation of the deployment's secret, on one engine. */
export function secretRotationContract(make: MakeDeployment): void {
  it(
    'is replaced under a running server, finished after kill -9, and retired: old links work until then, and no longer',
    async () => {
      const line = await make()
      const { key } = await line.json('init', '--demo')
      const server = await line.serve(['--sandbox'])
      const buyer = agentClient(server.mcpUrl, key)
      const bought = await buyer.call('create_media_buy', ORDER)
      expect(bought.isError).toBe(false)
      const secretFile = join(line.data, 'deployment.secret')
      const old = readFileSync(secretFile, 'utf8').trim()
      await addEndpoints(line, old)
      const impression = await soldImpression(line, server)
      const backup = join(line.folder, 'before.sqlite')
      await line.json('backup', '--to', backup)

      // Killed while it seals: some texts are under the new secret, some under the old one, and the server reads both.
      const [before] = await sealedUnder(line, old)
      await killedRotation(line, old, before ?? 0)
      const [left = 0] = await sealedUnder(line, old)
      expect(left).toBeGreaterThan(0)
      expect(left).toBeLessThan(before ?? 0)
      expect(await line.json('secrets', 'status')).toMatchObject({ rotation: { resealed_at: null } })
      expect((await buyer.call('create_media_buy', ORDER)).data).toMatchObject({ replayed: true })

      const { resumed, resealed, secret, previous } = await line.json('secrets', 'rotate')
      expect([resumed, resealed > 0]).toEqual([true, true])
      expect(await sealedUnder(line, old)).toEqual([0, []])
      expect(await line.json('secrets', 'status')).toMatchObject({
        current: secret,
        others: [previous],
        texts: { earlier: 0, unreadable: 0 },
        processes: [{ seals: secret, opens: [secret, previous] }],
      })
      expect((await buyer.call('create_media_buy', ORDER)).data).toMatchObject({ replayed: true })
      expect((await buyer.call('create_media_buy', { ...ORDER, idempotency_key: randomUUID() })).isError).toBe(false)
      expect((await get(impression)).status).toBe(200)
      const endpoint = await oneEndpoint(line)
      const now = readFileSync(secretFile, 'utf8').split('\n')[0] ?? ''
      expect(createSecretBox(now, 'webhook-credentials').open(endpoint.credentials, sealPlace(endpoint.id, 'credentials'))).toBe(
        CREDENTIALS,
      )
      expect(JSON.stringify(await line.json('audit', 'list', '--unknown'))).toContain('secrets.rotate')

      // Early it is refused, with the day; then old links end, and nothing else does.
      const early = await line.run(['secrets', 'retire', '--data', line.data])
      expect([early.code, early.stderr]).toEqual([1, expect.stringMatching(/until \d{4}-\d\d-\d\dT/)])
      const again = await line.run(['secrets', 'rotate', '--data', line.data])
      expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('retire it first')])
      await shiftRotation(line, -EIGHT_DAYS_MS)
      const fresh = await soldImpression(line, server)
      expect(await line.json('secrets', 'retire')).toMatchObject({ retired: previous })
      expect(readFileSync(secretFile, 'utf8').trim()).toBe(now)
      await vi.waitFor(async () => expect((await get(impression)).status).not.toBe(200), { timeout: 60_000, interval: 200 })
      expect((await get(fresh)).status).toBe(200)
      expect((await buyer.call('create_media_buy', ORDER)).data).toMatchObject({ replayed: true })
      await server.end()

      // A server starts with the new secret alone; the backup needs the one of its time.
      const next = await line.serve(['--sandbox'])
      expect((await agentClient(next.mcpUrl, key).call('create_media_buy', ORDER)).data).toMatchObject({ replayed: true })
      await next.end()
      await restoresWithItsSecret(await make(), { backup, old, now, key })
      await line.close()
    },
    PATIENCE,
  )

  it(
    'where the environment gives it, processes get the new one first, and one that they could not read does not start',
    async () => {
      const [old, next] = ['o'.repeat(43), 'n'.repeat(43)]
      const line = await make({ SALES_AGENT_SECRET: old })
      const { key } = await line.json('init', '--demo')
      const running = await line.serve(['--sandbox'])
      await agentClient(running.mcpUrl, key).call('create_media_buy', ORDER)
      const switched = { SALES_AGENT_SECRET: next, SALES_AGENT_SECRET_PREVIOUS: old }
      const rotate = ['secrets', 'rotate', '--wait', '0', '--data', line.data]

      expect((await line.run(rotate)).stderr).toContain('SALES_AGENT_SECRET_NEXT')
      const early = await line.run(['serve', '--data', line.data, '--port', '0'], switched)
      expect([early.code, early.stderr]).toEqual([1, expect.stringContaining('SALES_AGENT_SECRET_NEXT')])
      await running.end()
      const prepared = await line.serve(['--sandbox'], { SALES_AGENT_SECRET_NEXT: next })
      expect((await line.run(rotate, switched)).stderr).toContain('still encrypts with the earlier secret')
      const server = await line.serve(['--sandbox'], switched)
      expect((await agentClient(prepared.mcpUrl, key).call('create_media_buy', ORDER)).data).toMatchObject({ replayed: true })
      await prepared.end()
      expect((await line.run(rotate, switched)).code).toBe(0)
      expect(await sealedUnder(line, old)).toEqual([0, []])
      const retire = ['secrets', 'retire', '--now', '--data', line.data]
      expect((await line.run(retire, switched)).stderr).toContain('remove SALES_AGENT_SECRET_PREVIOUS')
      expect((await line.run(retire, { SALES_AGENT_SECRET: next })).stderr).toContain('still has the earlier secret')
      await server.end()
      expect((await line.run(retire, { SALES_AGENT_SECRET: next })).code).toBe(0)
      const last = await line.serve(['--sandbox'], { SALES_AGENT_SECRET: next })
      expect((await agentClient(last.mcpUrl, key).call('create_media_buy', ORDER)).data).toMatchObject({ replayed: true })
      await last.end()
      await line.close()
    },
    PATIENCE,
  )
}

const ORDER = {
  idempotency_key: 'secret-rotation-order-0001',
  account: { brand: { domain: 'demo-brand.example' }, operator: 'demo-agency.example', sandbox: true },
  brand: { domain: 'demo-brand.example' },
  start_time: 'asap',
  end_time: new Date(Date.now() + 60 * 86_400_000).toISOString(),
  packages: [
    {
      buyer_ref: 'p1',
      product_id: 'outdoor_lifestyle_display',
      pricing_option_id: 'cpm_usd_fixed',
      budget: 5000,
      targeting_overlay: {
        property_list: {
          agent_url: 'https://lists.buyer.example/mcp',
          list_id: 'ours',
          auth_token: 'token-of-a-list-that-is-long-enough',
        },
      },
    },
  ],
  push_notification_config: {
    url: 'https://buyer.example/hook',
    authentication: { schemes: ['Bearer'], credentials: 'credentials-of-a-buyer-0123456789abcdef' },
  },
}

/** The store of a deployment. */
export function storeOf(line: CommandLine & { readonly database?: string }) {
  const { data, database } = line
  return openStore({ data, databaseConnections: 2, ...(database !== undefined && { database }) }, { create: false })
}

/** Many rows, so that a rotation takes long enough to be interrupted. */
async function addEndpoints(line: CommandLine, secret: string): Promise<void> {
  const store = await storeOf(line)
  const box = createSecretBox(secret, 'webhook-credentials')
  const owner = await store.read.selectFrom('principals').selectAll().executeTakeFirstOrThrow()
  await store.transaction(async (tx) => {
    for (let n = 0; n < ENDPOINTS; n++) {
      const endpointId = `whe_test_${String(n).padStart(5, '0')}`
      await insertEndpoint(
        tx,
        {
          tenantId: owner.tenant_id,
          principalId: owner.principal_id,
          endpointId,
          kind: 'push',
          taskId: 'none',
          taskType: 'create_media_buy',
          mediaBuyId: undefined,
          url: 'https://buyer.example/hook',
          query: undefined,
          loopback: false,
          scheme: 'Bearer',
          credentials: box.seal(CREDENTIALS, sealPlace(endpointId, 'credentials')),
          token: undefined,
          settings: {},
        },
        new Date(),
      )
    }
  })
  await store.close()
}

async function oneEndpoint(line: CommandLine): Promise<{ id: string; credentials: string }> {
  const store = await storeOf(line)
  const found = await store.read
    .selectFrom('webhook_endpoints')
    .select(['endpoint_id as id', 'credentials'])
    .where('endpoint_id', 'like', 'whe_test_%')
    .executeTakeFirstOrThrow()
  await store.close()
  return { id: found.id, credentials: found.credentials ?? '' }
}

/** How many texts of the whole store are sealed under a secret, and where the last of them are. */
async function sealedUnder(line: CommandLine, secret: string): Promise<[number, string[]]> {
  const store = await storeOf(line)
  const prefixes = PURPOSES.map((purpose) => createSecretBox(secret, purpose).prefix())
  let count = 0
  const places = new Set<string>()
  for (const { name } of await store.read.introspection.getTables()) {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(store.read)
    for (const [column, value] of rows.flatMap((row) => Object.entries(row)))
      if (typeof value === 'string' && prefixes.some((prefix) => value.includes(prefix))) {
        count += 1
        places.add(`${name}.${column}`)
      }
  }
  await store.close()
  return [count, [...places]]
}

/** The purposes of every seal of the program; `test/security/secrets/rotation.test.ts` compares them with the source. */
const PURPOSES = [
  'ad-server-credentials',
  'conversations',
  'governance-credentials',
  'lasting-keys',
  'list-tokens',
  'notification-addresses',
  'oauth',
  'signing-keys',
  'stored-answers',
  'trusted-match',
  'webhook-credentials',
]

/** Runs a rotation and kills it when it has sealed some texts, but not all. */
async function killedRotation(line: CommandLine, old: string, before: number): Promise<void> {
  const child = line.start(['secrets', 'rotate', '--data', line.data])
  const store = await storeOf(line)
  const prefix = createSecretBox(old, 'webhook-credentials').prefix()
  const left = async () => {
    const { count } = await store.read
      .selectFrom('webhook_endpoints')
      .select((all) => all.fn.countAll<number>().as('count'))
      .where('credentials', 'like', `${prefix}%`)
      .executeTakeFirstOrThrow()
    return Number(count)
  }
  expect(before).toBeGreaterThan(ENDPOINTS)
  while ((await left()) >= ENDPOINTS && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 2))
  child.kill('SIGKILL')
  await new Promise((resolve) => child.once('close', resolve))
  await store.close()
}

/** Makes the rotation look older. */
export async function shiftRotation(line: CommandLine, ms: number): Promise<void> {
  const store = await storeOf(line)
  const switched = new Date(Date.now() + ms).toISOString()
  await store.transaction((tx) => tx.updateTable('secret_rotations').set({ switched_at: switched }).execute())
  await store.close()
}

const get = (url: string) => fetch(url, { headers: { 'User-Agent': CHROME }, signal: AbortSignal.timeout(60_000) })

/** The address at which an impression of an ad of the publisher is counted. */
async function soldImpression(line: CommandLine, server: Served): Promise<string> {
  const path = join(line.folder, 'banner.png')
  writeFileSync(path, pngOf(300, 250))
  const uploaded = await line.json('creatives', 'upload', path)
  const creative = { creative_id: 'banner', width: 300, height: 250, image: { url: uploaded.url } }
  const [starts_at, ends_at] = [-1, 30].map((days) => new Date(Date.now() + days * 86_400_000).toISOString())
  const lines = [{ line_id: 'a', product_id: 'ros_display', priority: 'standard', starts_at, ends_at, creatives: [creative] }]
  const order = join(line.folder, 'order.json')
  writeFileSync(order, JSON.stringify({ order_id: 'own', name: 'Own', lines }))
  await line.json('direct-orders', 'put', order)
  const decided = () => get(`${server.origin}/ads/demo/decide?place=ros_display&sizes=300x250`).then((answer) => answer.text())
  await vi.waitFor(async () => expect(await decided()).toContain('"impression"'), { timeout: 30_000, interval: 200 })
  return /"impression":"([^"]+)"/.exec(await decided())?.[1] ?? ''
}

/** A store from before the rotation says what it needs, and works with it. */
async function restoresWithItsSecret(
  line: CommandLine,
  { backup, old, now, key }: { readonly backup: string; readonly old: string; readonly now: string; readonly key: string },
): Promise<void> {
  await line.json('restore', '--from', backup)
  const refused = await line.run(['serve', '--data', line.data, '--port', '0'], { SALES_AGENT_SECRET: now })
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining('a store from before a rotation also needs the secret of that time'),
  ])
  const both = { SALES_AGENT_SECRET: now, SALES_AGENT_SECRET_PREVIOUS: old }
  const server = await line.serve(['--sandbox'], both)
  expect((await agentClient(server.mcpUrl, key).call('create_media_buy', ORDER)).data).toMatchObject({ replayed: true })
  expect((await line.run(['secrets', 'rotate', '--data', line.data], both)).code).toBe(0)
  expect(await sealedUnder(line, old)).toEqual([0, []])
  await server.end()
  await line.close()
}
