import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LINES, type ReleaseAgent, SUITE_ACCOUNT, startReleaseAgent } from '../../support/release-agent.ts'

let agent: ReleaseAgent
beforeAll(async () => {
  agent = await startReleaseAgent()
})
afterAll(() => agent.stop())

describe.each(LINES)('discovery under AdCP %s', (line) => {
  test.each([
    ['get_products', { buying_mode: 'wholesale' }, 'products'],
    ['list_creative_formats', {}, 'formats'],
    ['get_signals', { signal_spec: 'buyers' }, 'signals'],
  ])('the pages of %s go on although every call has a key and a context of its own', async (task, request, member) => {
    const { data: first } = await agent.ask(line, task, { ...request, pagination: { max_results: 1 }, context: { page: 1 } })
    const { cursor } = first.pagination
    const { data } = await agent.ask(line, task, { ...request, pagination: { max_results: 1, cursor }, context: { page: 2 } })
    expect(data.adcp_error).toBeUndefined()
    expect(data[member]).toHaveLength(1)
    expect(data[member]).not.toEqual(first[member])
  })

  test('only prices of the wanted kind are shown', async () => {
    const { data } = await agent.ask(line, 'get_products', { buying_mode: 'wholesale', filters: { is_fixed_price: true } })
    const options = data.products.flatMap((product: { pricing_options: object[] }) => product.pricing_options)
    expect(options.length).toBeGreaterThan(10)
    expect(options.every((option: object) => 'fixed_price' in option)).toBe(true)
  })
})

describe.each(LINES.filter((line) => line !== '3.0'))('feeds under AdCP %s', (line) => {
  test.each([
    ['get_products', { buying_mode: 'wholesale' }, 'public'],
    ['get_products', { buying_mode: 'brief', brief: 'sailing' }, 'account'],
    ['get_signals', { discovery_mode: 'wholesale' }, 'public'],
    ['get_signals', { signal_spec: 'buyers' }, 'public'],
  ])('an answer of %s to %j is public, for an account that has nothing of its own %s', async (task, request, scope) => {
    const { data } = await agent.ask(line, task, request)
    expect(data.cache_scope).toBe('public')
    const { data: own } = await agent.ask(line, task, { ...request, account: SUITE_ACCOUNT })
    expect(own.cache_scope).toBe(scope)
    if ('wholesale_feed_version' in data) expect(own.wholesale_feed_version).toBe(data.wholesale_feed_version)
  })

  test('an account that sees other products has a feed of its own', async () => {
    const ask = async (more: object) => (await agent.ask(line, 'get_products', { buying_mode: 'wholesale', ...more })).data
    const blank = await ask({ account: { account_id: 'acct_never_issued' } })
    expect(blank).toMatchObject({ products: [], cache_scope: 'account' })
    expect(blank.wholesale_feed_version).not.toBe((await ask({})).wholesale_feed_version)
  })

  test('text beside a wholesale listing of signals has no effect, and the answer says so', async () => {
    const ask = async (more: object) => (await agent.ask(line, 'get_signals', { discovery_mode: 'wholesale', ...more })).data
    const [plain, told] = [await ask({}), await ask({ signal_spec: 'people who sail' })]
    expect(told.signals).toEqual(plain.signals)
    expect(told.ext.notes).toEqual([expect.stringContaining('signal_spec was not applied')])
    expect(plain.ext?.notes).toBeUndefined()
    expect((await ask({ signal_spec: 'x', signal_refs: [] })).errors?.[0]?.code).toBe('INVALID_REQUEST')
  })

  test('a product comes with all that it has, unless fields are named', async () => {
    const { data } = await agent.ask(line, 'get_products', { buying_mode: 'wholesale' })
    expect(data.products.some((product: object) => 'forecast' in product)).toBe(true)
    const { data: few } = await agent.ask(line, 'get_products', { buying_mode: 'wholesale', fields: ['product_id'] })
    expect(few.products.some((product: object) => 'forecast' in product)).toBe(false)
  })
})
