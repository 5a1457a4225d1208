import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ESTABLISHED_LIFECYCLE } from '../../../src/domain/identity/lifecycle.ts'
import { removeAccountGrant, saveAccountGrant } from '../../../src/store/account/account-grants.ts'
import { TASKS } from '../../../src/tasks/index.ts'
import { listPrompts, readPrompt } from '../../../src/transports/mcp/prompts.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

const INFO = { name: 'host', version: '1' }
const BRIEF = 'Running shoes for women in Norway'

let agent: MediaBuyAgent
const open: { close(): Promise<void> }[] = []
beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')])
})
afterAll(async () => {
  for (const client of open) await client.close()
  await agent.stop()
})

async function connect(key: string | undefined, path = ''): Promise<Client> {
  const client = new Client(INFO)
  const requestInit = { headers: { ...(key !== undefined && { Authorization: `Bearer ${key}` }) } }
  await client.connect(new StreamableHTTPClientTransport(new URL(agent.url + path), { requestInit }) as never)
  open.push(client)
  return client
}

async function connectModern(key: string): Promise<ModernClient> {
  const client = new ModernClient(INFO, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
  await client.connect(new ModernTransport(new URL(agent.url), { requestInit: { headers: { Authorization: `Bearer ${key}` } } }))
  open.push(client)
  return client
}

const textOf = ({ messages }: { messages: { content: unknown }[] }) => (messages[0]!.content as { text: string }).text
const order = async (name: string, client = agent.buyer): Promise<string> => {
  const { data, isError } = await agent.create({}, client)
  if (isError) throw new Error(`${name}: ${JSON.stringify(data)}`)
  return data.media_buy_id as string
}

describe('prompts', () => {
  it('are listed with their arguments, by both official clients', async () => {
    const names = ['plan_campaign', 'check_pacing', 'compare_proposals']
    const old = await connect(agent.key)
    expect(old.getServerCapabilities()).toMatchObject({ prompts: {}, completions: {} })
    const { prompts } = await old.listPrompts()
    expect(prompts.map(({ name }) => name)).toEqual(names)
    for (const { title, description } of prompts) expect([title, description]).toEqual([expect.any(String), expect.any(String)])
    expect(prompts[0]?.arguments?.map(({ name, required }) => [name, required ?? false])).toEqual([
      ['brief', true],
      ['budget', false],
      ['flight', false],
      ['account_id', false],
    ])
    const modern = await connectModern(agent.key)
    expect((await modern.listPrompts()).prompts.map(({ name }) => name)).toEqual(names)
    expect(textOf(await modern.getPrompt({ name: 'check_pacing', arguments: {} }))).toContain('get_media_buy_delivery')
  })

  it('are filled in with what a person typed; what was left empty is left out', async () => {
    const client = await connect(agent.key)
    const text = textOf(
      await client.getPrompt({ name: 'plan_campaign', arguments: { brief: BRIEF, budget: '9,000 USD', flight: ' ' } }),
    )
    expect(text).toContain(`brief: ${BRIEF}\nbudget: 9,000 USD\n`)
    expect(text).not.toContain('flight:')
    expect(text).toContain('Order nothing yet.')
  })

  it.each([
    ['no such prompt', { name: 'buy_now', arguments: {} }, /no prompt "buy_now"; prompts: plan_campaign, check_pacing/],
    ['a missing argument', { name: 'plan_campaign', arguments: {} }, /plan_campaign needs brief: Product, audience/],
    ['a blank argument', { name: 'compare_proposals', arguments: { brief: '  ' } }, /compare_proposals needs brief/],
    ['an unknown argument', { name: 'check_pacing', arguments: { order: 'x' } }, /"order" is no argument of check_pacing/],
    ['a long brief', { name: 'plan_campaign', arguments: { brief: 'x'.repeat(8001) } }, /up to 8000 characters/],
    ['a long id', { name: 'check_pacing', arguments: { media_buy_id: 'x'.repeat(201) } }, /up to 200 characters/],
  ])('%s is said in words, as -32602', async (_what, params, message) => {
    const client = await connect(agent.key)
    const failed = await client.getPrompt(params as never).then(
      () => undefined,
      (error: { code: number; message: string }) => error,
    )
    expect(failed?.code).toBe(-32602)
    expect(failed?.message).toMatch(message)
  })

  it('hold no credentials, and completions neither', async () => {
    const client = await connect(agent.key)
    const brief = `${BRIEF}, our key is ${agent.key}`
    await expect(client.getPrompt({ name: 'plan_campaign', arguments: { brief } })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('credentials belong in the transport'),
    })
    const ref = { type: 'ref/prompt' as const, name: 'check_pacing' }
    await expect(client.complete({ ref, argument: { name: 'media_buy_id', value: agent.key } })).rejects.toMatchObject({
      code: -32602,
    })
  })

  it('are those that the key can use', async () => {
    const client = await connect(await agent.addBuyer({ principal: 'reader', tenant: agent.tenant, scopes: ['adcp:products'] }))
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['compare_proposals'])
    await expect(client.getPrompt({ name: 'check_pacing', arguments: {} })).rejects.toThrow(/prompts: compare_proposals/)
  })

  it('say how operations are called where a host lists two tools', async () => {
    const client = await connect(agent.key, '/compact')
    expect((await client.listPrompts()).prompts).toHaveLength(3)
    expect(textOf(await client.getPrompt({ name: 'check_pacing', arguments: {} }))).toContain('call_operation')
  })

  it.each(['established', 'compact'] as const)('name tasks that the caller sees: %s', (lifecycle) => {
    const hidden: readonly string[] =
      lifecycle === 'compact' ? ESTABLISHED_LIFECYCLE : TASKS.filter(({ since }) => since === '3.2').map(({ name }) => name)
    const tasks = TASKS.filter(({ name }) => !hidden.includes(name))
    const visible = { tasks, authenticated: true }
    expect(listPrompts(visible)).toHaveLength(3)
    const all = new Set(TASKS.map(({ name }) => name))
    for (const { name, arguments: args = [] } of listPrompts(visible)) {
      const values = Object.fromEntries(args.map((argument) => [argument.name, 'a b']))
      const words = textOf(readPrompt(name, values, visible)).match(/[a-z]+(?:_[a-z]+)+/g) ?? []
      const named = words.filter((word) => all.has(word))
      expect(named.length, name).toBeGreaterThan(0)
      for (const task of named)
        expect(
          tasks.map((each) => each.name),
          name,
        ).toContain(task)
    }
  })
})

describe('completions', () => {
  const media = (value: string) => ({
    ref: { type: 'ref/prompt' as const, name: 'check_pacing' },
    argument: { name: 'media_buy_id', value },
  })

  it('are the orders of the caller alone', async () => {
    const [first, second] = [await order('first'), await order('second')]
    const client = await connect(agent.key)
    const all = (await client.complete(media(''))).completion
    expect(all.values).toEqual(expect.arrayContaining([first, second]))
    expect(all).toMatchObject({ total: all.values.length, hasMore: false })
    expect((await client.complete(media(first.toUpperCase()))).completion.values).toEqual([first])
    expect((await client.complete(media('nothing like it'))).completion).toMatchObject({ values: [], total: 0 })
    expect((await (await connectModern(agent.key)).complete(media(second))).completion.values).toEqual([second])
    const other = await connect(await agent.addBuyer({ principal: 'other', tenant: agent.tenant }))
    expect((await other.complete(media(''))).completion.values).toEqual([])
    const reader = await connect(await agent.addBuyer({ principal: 'reader2', tenant: agent.tenant, scopes: ['adcp:products'] }))
    expect((await reader.complete(media(''))).completion.values).toEqual([])
  })

  it('are orders that run or will run, found by the words that their buyer gave them', async () => {
    const { data } = await agent.create({ po_number: 'PO-Lighthouse-7' })
    const id = data.media_buy_id as string
    const client = await connect(agent.key)
    const values = async (value: string) => (await client.complete(media(value))).completion.values
    expect(await values('lighthouse')).toEqual([id])
    expect(await values('BRAND.exa')).toContain(id)
    const { isError } = await agent.run('update_media_buy', { media_buy_id: id, canceled: true })
    expect(isError).toBe(false)
    expect(await values('lighthouse')).toEqual([])
  })

  it('are nothing of another agent, whatever is typed, and nothing where an account may not be read', async () => {
    const [mine, theirs] = [await order('mine'), await agent.addBuyer({ principal: 'stranger', tenant: agent.tenant })]
    const stranger = await connect(theirs)
    const account = (value: string) => ({
      ref: { type: 'ref/prompt' as const, name: 'plan_campaign' },
      argument: { name: 'account_id', value },
    })
    const [owned] = (await (await connect(agent.key)).complete(account(''))).completion.values
    if (owned === undefined) throw new Error('the buyer has no account')
    for (const value of ['', mine, mine.slice(0, 5), 'brand', 'news'])
      expect((await stranger.complete(media(value))).completion).toEqual({ values: [], total: 0, hasMore: false })
    for (const value of ['', owned, 'brand'])
      expect((await stranger.complete(account(value))).completion).toEqual({ values: [], total: 0, hasMore: false })
    const grant = { tenantId: agent.tenant, accountId: owned, principalId: 'stranger', readOnly: false }
    const allow = (allowedTasks: readonly string[] | undefined) =>
      agent.server.store.transaction((tx) => saveAccountGrant(tx, { ...grant, allowedTasks }, new Date()))
    await allow(undefined)
    expect((await stranger.complete(account(''))).completion.values).toEqual([owned])
    expect((await stranger.complete(media(''))).completion.values).toEqual([])
    const own = { ...grant, principalId: 'buyer' }
    await agent.server.store.transaction((tx) => saveAccountGrant(tx, { ...own, allowedTasks: ['get_products'] }, new Date()))
    expect((await (await connect(agent.key)).complete(media(''))).completion.values).toEqual([])
    await agent.server.store.transaction((tx) => removeAccountGrant(tx, agent.tenant, owned, 'buyer'))
    expect((await (await connect(agent.key)).complete(media(mine))).completion.values).toEqual([mine])
  })

  it('are accounts, found by the domain of their brand too', async () => {
    const client = await connect(agent.key)
    const ask = (value: string) =>
      client.complete({ ref: { type: 'ref/prompt', name: 'plan_campaign' }, argument: { name: 'account_id', value } })
    const [account] = (await ask('')).completion.values
    expect(account).toEqual(expect.any(String))
    expect((await ask('BRAND.exa')).completion.values).toEqual([account])
    expect((await ask('other.exa')).completion.values).toEqual([])
  })

  it('are at most 100, and say that there are more', async () => {
    const client = await connect(agent.key)
    const ask = (value: string) =>
      client.complete({
        ref: { type: 'ref/resource', uri: 'adcp://contract/schemas/{+path}' },
        argument: { name: 'path', value },
      })
    const { values, total, hasMore } = (await ask('')).completion
    expect(values).toHaveLength(Math.min(100, total ?? 0))
    expect(hasMore).toBe((total ?? 0) > 100)
    const [path] = (await ask('create-media-buy-request')).completion.values
    expect(path).toMatch(/^3\.0\.\d+\/media-buy\/create-media-buy-request\.json$/)
    const { contents } = await client.readResource({ uri: `adcp://contract/schemas/${path}` })
    expect(contents).toHaveLength(1)
  })

  it.each([
    ['a prompt', { ref: { type: 'ref/prompt', name: 'buy_now' }, argument: { name: 'x', value: '' } }, /ref\.name/],
    ['an argument', { ref: { type: 'ref/prompt', name: 'check_pacing' }, argument: { name: 'x', value: '' } }, /media_buy_id/],
    ['a resource', { ref: { type: 'ref/resource', uri: 'file:///{path}' }, argument: { name: 'path', value: '' } }, /ref\.uri/],
    ['a long value', media('x'.repeat(501)), /up to 500 characters/],
  ])('%s that is not there is -32602', async (_what, params, message) => {
    const client = await connect(agent.key)
    const failed = await client.complete(params as never).then(
      () => undefined,
      (error: { code: number; message: string }) => error,
    )
    expect(failed?.code).toBe(-32602)
    expect(failed?.message).toMatch(message)
  })

  it('of an argument without a list are none', async () => {
    const client = await connect(agent.key)
    const params = {
      ref: { type: 'ref/prompt' as const, name: 'plan_campaign' },
      argument: { name: 'budget', value: '1' },
    }
    expect((await client.complete(params)).completion).toEqual({ values: [], total: 0, hasMore: false })
  })

  it('are refused as calls are: HTTP 401 without credentials or with bad ones', async () => {
    for (const [authorization, params] of [
      [undefined, media('')],
      ['Bearer wrong', media('')],
      ['Bearer wrong', { ...media(''), ref: { type: 'ref/prompt', name: 'no_such' } }],
    ] as const) {
      const response = await fetch(agent.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'completion/complete', params }),
      })
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/)
    }
  })
})
