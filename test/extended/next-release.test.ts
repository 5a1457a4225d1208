import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { issueKey } from '../../src/operator/keys/issue-key.ts'
import { contractFolder } from '../../src/protocol/contract-source.ts'
import { loadContracts } from '../../src/protocol/contracts.ts'
import type { Json } from '../../src/protocol/converters/line-converter.ts'
import { RELEASES } from '../../src/protocol/releases.ts'
import { addAgentKeySource } from '../../src/store/identity/agent-key-sources.ts'
import { addPrincipal } from '../../src/store/identity/principals.ts'
import { callText, post, signed, signingKey } from '../support/credentials.ts'
import { MadeUpRelease } from '../support/made-up-release.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

/** What the release takes away: the established tools, and every member that names formats by their ids. */
const OLD_TOOLS = ['get_products', 'create_media_buy', 'update_media_buy']

/** A copy without a member, at whatever depth. */
function without(member: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => without(member, each))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => (name === member ? [] : [[name, without(member, each)]])),
  )
}

const renamed = (from: string, to: string, value: Json): Json => {
  const { [from]: kept, ...rest } = value
  return kept === undefined ? value : { ...rest, [to]: kept }
}

const release = new MadeUpRelease('4.0', contractFolder('3.2'))
release.change('manifest.json', (manifest) => {
  manifest.adcp_version = '4.0.0'
  for (const name of OLD_TOOLS) delete manifest.tools[name]
})
release.changeAll((document) => {
  Object.assign(document, without('format_ids', document))
})
release.change('media-buy/get-media-buys-response.json', (schema) => {
  const row = schema.properties.media_buys.items
  row.properties.media_buy_status = row.properties.status
  delete row.properties.status
  row.required = row.required.map((name: string) => (name === 'status' ? 'media_buy_status' : name))
})

const source = release.source({
  requests: {},
  answers: {
    get_media_buys: ({ media_buys: rows, ...answer }) => ({
      ...answer,
      media_buys: Array.isArray(rows) ? rows.map((row: Json) => renamed('status', 'media_buy_status', row)) : rows,
    }),
  },
  everyAnswer: (answer) =>
    Object.fromEntries(Object.entries(answer).map(([name, value]) => [name, without('format_ids', value)])),
  rules: { signedSpend: true },
})

let agent: TestAgent
let token: string
const key = signingKey('buyer-4')
beforeAll(async () => {
  agent = await startAgent({ demo: true, contracts: loadContracts([...RELEASES, source]) })
  const owner = { tenantId: agent.tenant, principalId: 'next' }
  const now = new Date()
  const issued = await agent.server.store.transaction(async (tx) => {
    await addPrincipal(
      tx,
      { ...owner, name: 'next', agentUrl: 'https://next.example/mcp', sandbox: false, scopes: ['adcp:*'] },
      now,
    )
    await addAgentKeySource(tx, { ...owner, kind: 'jwks', value: JSON.stringify({ keys: [key.jwk] }) }, now)
    return issueKey(tx, { tenantId: agent.tenant, buyer: 'next', scopes: ['adcp:*'], expiresAt: undefined }, now)
  })
  token = issued.token
}, 120_000)
afterAll(async () => {
  await agent.stop()
  release.remove()
})

const ACCEPTED = ['Accept', 'application/json, text/event-stream']

/** The answer to a call by key, or to a signed one. */
async function call(tool: string, args: object, { isSigned = false } = {}) {
  const body = callText(tool, { adcp_version: '4.0', ...args })
  const credentials = isSigned
    ? await signed(agent.url, body, key.signer)
    : ['Authorization', `Bearer ${token}`, 'Content-Type', 'application/json']
  const { status, body: reply } = await post(agent.url, body, [...credentials, ...ACCEPTED])
  return { status, data: reply?.result?.structuredContent ?? reply }
}

describe('the next release is a folder and a row', () => {
  test('it has none of the tools that it dropped; earlier ones keep them', async () => {
    for (const tool of OLD_TOOLS) {
      const { data } = await call(tool, {})
      expect(data.adcp_error).toMatchObject({ code: 'UNSUPPORTED_FEATURE', field: 'adcp_version' })
    }
    const { data } = await call('get_products', { adcp_version: '3.0', buying_mode: 'wholesale' })
    expect(data.products[0].format_ids.length).toBeGreaterThan(0)
  })

  test('a buy is discovered, signed and read back in its words; the same buy keeps those of earlier releases', async () => {
    const { data: listed } = await call('list_products', {})
    expect(listed).toMatchObject({ outcome: 'listed' })
    expect(JSON.stringify(listed)).not.toContain('"format_ids"')
    const product = listed.products.find(
      ({ pricing_options: [price] }: { pricing_options: { fixed_price?: number }[] }) => price?.fixed_price,
    )
    const [option] = product.pricing_options
    const account = { brand: { domain: 'brand.example' }, operator: 'brand.example' }
    await call('sync_accounts', { accounts: [{ ...account, billing: 'operator' }], idempotency_key: randomUUID() })
    const order = () => ({
      feed_version: listed.feed_version,
      account,
      purchases: [
        {
          product_id: product.product_id,
          pricing_option_id: option.pricing_option_id,
          budget: Math.max(20_000, option.min_spend_per_package ?? 0),
        },
      ],
      start_time: 'asap',
      end_time: new Date(Date.now() + 20 * 86_400_000).toISOString(),
      idempotency_key: randomUUID(),
    })
    const unsigned = await call('buy_products', order())
    expect(unsigned.status).toBe(401)
    expect(JSON.stringify(unsigned.data)).toContain('buy_products spends')
    const bought = await call('buy_products', order(), { isSigned: true })
    expect(bought.data, JSON.stringify(bought)).toMatchObject({ media_buy_id: expect.any(String) })
    const ids = { media_buy_ids: [bought.data.media_buy_id] }
    const { data: read } = await call('get_media_buys', ids)
    expect(read.media_buys[0]).toMatchObject({ media_buy_status: expect.any(String) })
    expect(read.media_buys[0]).not.toHaveProperty('status')
    expect(JSON.stringify(read)).not.toContain('"format_ids"')
    const earlier = await call('get_media_buys', { adcp_version: '3.2', ...ids })
    expect(earlier.data.media_buys[0]).toMatchObject({ status: read.media_buys[0].media_buy_status })
  })

  test('what spends nothing needs no signature', async () => {
    expect((await call('list_accounts', {})).data).toMatchObject({ adcp_version: '4.0' })
  })
})
