import { randomUUID } from 'node:crypto'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

const MOST_TOKENS = 1_500

let agent: MediaBuyAgent
let client: Client
beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')])
  client = await connect({ Authorization: `Bearer ${agent.key}` })
})
afterAll(async () => {
  await client.close()
  await agent.stop()
})

async function connect(headers: Record<string, string>): Promise<Client> {
  const connected = new Client({ name: 'host', version: '1' })
  const transport = new StreamableHTTPClientTransport(new URL(`${agent.url}/compact`), { requestInit: { headers } })
  await connected.connect(transport)
  return connected
}

// biome-ignore lint/suspicious/noExplicitAny: answers are judged by assertions
const call = async (name: string, args: Record<string, unknown> = {}): Promise<any> => client.callTool({ name, arguments: args })
const find = async (query: string) => (await call('find_operations', { query })).structuredContent
const run = (operation: string, args: object) => call('call_operation', { operation, arguments: args })

describe('the compact profile of /mcp', () => {
  it('lists two tools, in few tokens', async () => {
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['find_operations', 'call_operation'])
    expect(encode(JSON.stringify(tools)).length).toBeLessThan(MOST_TOKENS)
  })

  it.each([
    ['what can this seller do', 'get_adcp_capabilities'],
    ['find products for a brief', 'get_products'],
    ['buy: create a media buy', 'create_media_buy'],
    ['change or pause a media buy', 'update_media_buy'],
    ['list my media buys', 'get_media_buys'],
    ['delivery of my order', 'get_media_buy_delivery'],
    ['upload creatives', 'sync_creatives'],
    ['which creative formats', 'list_creative_formats'],
    ['declare an account', 'sync_accounts'],
    ['status of a task', 'get_task_status'],
  ])('finds what is meant by "%s"', async (query, operation) => {
    const { operations, others = [] } = await find(query)
    expect(operations.length).toBeLessThanOrEqual(4)
    expect([...operations.map(({ name }: { name: string }) => name), '|', ...others].join(' ').split(' | ')[0]).toContain(
      operation,
    )
  })

  it('names everything that the caller may use, and describes one by its name as the whole list does', async () => {
    const whole = new Client({ name: 'host', version: '1' })
    const headers = { Authorization: `Bearer ${agent.key}` }
    await whole.connect(new StreamableHTTPClientTransport(new URL(agent.url), { requestInit: { headers } }))
    const { tools } = await whole.listTools()
    const { operations } = (await call('find_operations')).structuredContent
    expect(operations.map(({ name }: { name: string }) => name)).toEqual(tools.map(({ name }) => name))
    const [found] = (await find('create_media_buy')).operations
    const listed = tools.find(({ name }) => name === 'create_media_buy')
    expect(found).toEqual({ name: 'create_media_buy', description: listed?.description, arguments: listed?.inputSchema })
    await whole.close()
  })

  it('buys, with the checks and answers of the task itself', async () => {
    const { structuredContent: offered } = await run('get_products', { buying_mode: 'wholesale' })
    const [{ product_id, pricing_options }] = offered.products
    const { budget: _, ...pkg } = { product_id, pricing_option_id: pricing_options[0].pricing_option_id, budget: 0 }
    const order = {
      account: ACCOUNT,
      brand: ACCOUNT.brand,
      start_time: 'asap',
      end_time: '2099-01-01T00:00:00Z',
      idempotency_key: randomUUID(),
    }
    const refused = await run('create_media_buy', { ...order, packages: [pkg] })
    expect(refused).toMatchObject({ isError: true, structuredContent: { adcp_error: { field: 'packages[0].budget' } } })
    const bought = await run('create_media_buy', { ...order, packages: [{ ...pkg, budget: 5000 }] })
    expect(bought.structuredContent.media_buy_id, JSON.stringify(bought)).toEqual(expect.any(String))
    const again = await run('create_media_buy', { ...order, packages: [{ ...pkg, budget: 5000 }] })
    expect(again.structuredContent).toMatchObject({ media_buy_id: bought.structuredContent.media_buy_id, replayed: true })
  })

  it('says what is wrong with a call that names no operation', async () => {
    await expect(call('call_operation', { arguments: {} })).rejects.toThrow(/operation of call_operation is the name of one/)
    await expect(call('call_operation', { operation: 'get_products', arguments: 'all' })).rejects.toThrow(/is an object/)
    await expect(call('find_operations', { query: 'x'.repeat(201) })).rejects.toThrow(/up to 200 characters/)
    expect((await run('no_such_thing', {})).isError).toBe(true)
  })

  it('gives nobody more than the whole list does', async () => {
    const stranger = await connect({})
    const found = await stranger.callTool({ name: 'find_operations', arguments: { query: 'create_media_buy' } })
    expect(JSON.stringify(found)).toContain('Needs credentials.')
    const args = { operation: 'list_accounts', arguments: {} }
    await expect(stranger.callTool({ name: 'call_operation', arguments: args })).rejects.toThrow()
    await stranger.close()
    await expect(connect({ Authorization: 'Bearer wrong' })).rejects.toThrow()
  })
})
