import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { loadContracts } from '../../src/protocol/contracts.ts'
import { a2aClient } from '../support/a2a-client.ts'
import { LINES, type ReleaseAgent, SUITE_ACCOUNT, startReleaseAgent } from '../support/release-agent.ts'

const contracts = loadContracts()
let agent: ReleaseAgent
beforeAll(async () => {
  agent = await startReleaseAgent()
  const product = { delivery_type: 'non_guaranteed', channels: ['display'] }
  await agent.control('seed_product', { product_id: 'p', fixture: product })
  await agent.control('seed_pricing_option', {
    product_id: 'p',
    pricing_option_id: 'cpm',
    fixture: { pricing_model: 'cpm', currency: 'USD', fixed_price: 10 },
  })
})
afterAll(() => agent?.stop())

const order = (idempotency_key: string) => ({
  idempotency_key,
  account: SUITE_ACCOUNT,
  brand: SUITE_ACCOUNT.brand,
  start_time: 'asap',
  end_time: '2026-06-30T00:00:00Z',
  packages: [{ product_id: 'p', pricing_option_id: 'cpm', budget: 5000 }],
})
const faultsOf = (line: string, task: string, data: object) => contracts.find(line)?.schemas.response(task)(data)

describe.each(LINES)('an order that was placed under AdCP %s', (first) => {
  test.each(LINES)('is given again under %s, over both transports, in the shape of that release', async (line) => {
    const request = order(`release-replay-${first}-${line}`)
    const placed = await agent.buyer.call('create_media_buy', { ...request, adcp_version: first })
    expect(faultsOf(first, 'create_media_buy', placed.data)).toEqual([])
    const { media_buy_id } = placed.data
    expect(media_buy_id, JSON.stringify(placed.data)).toMatch(/\S/)
    const again = { ...request, adcp_version: line }
    const overMcp = (await agent.buyer.call('create_media_buy', again)).data
    const overA2a = (await a2aClient(agent.url, agent.key).call('create_media_buy', again)).data
    for (const data of [overMcp, overA2a]) {
      expect(data).toMatchObject({ media_buy_id, replayed: true })
      expect(faultsOf(line, 'create_media_buy', data)).toEqual([])
      expect(data.adcp_version).toBe(line === '3.0' ? undefined : line)
      expect(data.media_buy_status === undefined).toBe(line === '3.0')
    }
    const { data } = await agent.ask(line, 'get_media_buys', { account: SUITE_ACCOUNT, media_buy_ids: [media_buy_id] })
    expect(data.media_buys).toHaveLength(1)
  })
})

describe('what a publisher offers', () => {
  const offer = (releases: readonly string[] | undefined) =>
    agent.server.store.transaction((tx) =>
      tx
        .updateTable('tenants')
        .set({ settings: JSON.stringify(releases ? { releases } : {}) })
        .where('tenant_id', '=', agent.tenant)
        .execute(),
    )
  const listed = async () => {
    const reply = await agent.buyer.send({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
    const { result } = JSON.parse(await reply.text())
    return result.tools.map(({ name }: { name: string }) => name)
  }
  const card = async () =>
    (await fetch(`${new URL(agent.url).origin}/.well-known/agent-card.json`, {
      headers: { Authorization: `Bearer ${agent.key}` },
    }).then((reply) => reply.json())) as { description: string; skills: { id: string }[] }
  beforeEach(() => offer(undefined))
  afterAll(() => offer(undefined))

  test('is named in the card, and tasks of later releases are listed where such a release is offered', async () => {
    expect((await card()).description).toContain('AdCP 3.0, 3.1, 3.2')
    expect(await listed()).toContain('search_brands')
    await offer(['3.0'])
    expect((await card()).description).toContain('AdCP 3.0)')
    expect((await card()).skills.map(({ id }) => id)).not.toContain('search_brands')
    expect(await listed()).not.toContain('search_brands')
  })

  test('is what versions are matched with: exactly, else the highest below', async () => {
    await offer(['3.0', '3.1'])
    const ask = async (adcp_version: string) => (await agent.buyer.call('list_accounts', { adcp_version })).data
    expect(await ask('3.2')).toMatchObject({ adcp_version: '3.1' })
    expect(await ask('3.1')).toMatchObject({ adcp_version: '3.1' })
    expect(await ask('4.0')).toMatchObject({
      adcp_error: { code: 'VERSION_UNSUPPORTED', details: { supported_versions: ['3.0', '3.1'] } },
    })
    await offer(['3.1'])
    expect((await ask('3.0')).adcp_error).toMatchObject({ code: 'VERSION_UNSUPPORTED' })
  })
})
