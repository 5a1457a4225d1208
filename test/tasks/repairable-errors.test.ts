import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { WRONG_CALLS } from '../support/wrong-calls.ts'
import { WRONG_VALUES } from '../support/wrong-values.ts'

let agent: MediaBuyAgent
const made: Record<string, string> = {}

beforeAll(async () => {
  const auction = {
    pricing_option_id: 'cpm_auction',
    pricing_model: 'cpm' as const,
    currency: 'USD',
    floor_price: 5,
    min_spend_per_package: 500,
  }
  agent = await startMediaBuyAgent([
    productDocument('news'),
    productDocument('home_takeover', { delivery_type: 'guaranteed', pricing_options: [auction] }, { daily_capacity: 1000 }),
  ])
  const { data } = await agent.create()
  made['<buy>'] = data.media_buy_id
  made['<package>'] = data.packages[0].package_id
  made['<key>'] = randomUUID()
  made['<agent>'] = new URL(agent.url).origin
  await agent.create({ idempotency_key: made['<key>'] })
  const { data: listed } = await agent.buyer.call('list_accounts', {})
  made['<account>'] = listed.accounts[0].account_id
})
afterAll(() => agent.stop())

/** A value with what the test has made in place of the names in angle brackets. A member that is undefined stays so. */
function filled<T>(value: T): T
function filled(value: unknown): unknown {
  if (typeof value === 'string') return Object.entries(made).reduce((text, [name, real]) => text.replaceAll(name, real), value)
  if (Array.isArray(value)) return value.map(filled)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, filled(member)]))
}

const call = (task: string, args: object) => (task === 'create_media_buy' ? agent.create(args) : agent.run(task, args))

describe('an error that a caller can repair in one turn', () => {
  it('is tested for many mistakes', () => {
    expect([...WRONG_CALLS, ...WRONG_VALUES].length).toBeGreaterThanOrEqual(120)
  })

  it.each([...WRONG_CALLS, ...WRONG_VALUES])('%s with %j is %s at %s', async (task, args, code, field, message) => {
    const { data, isError } = await call(task, filled(args))
    const error = isError ? data.adcp_error : (data.errors?.[0] ?? data.creatives?.[0]?.errors?.[0])
    expect({ ...error, message: error.message.replace(/(?<=the newest: )[\w, -]+/, '<newest>') }).toMatchObject({
      code,
      message: filled(message),
    })
    expect(error.field ?? '').toBe(field)
    expect(message.length).toBeLessThan(2_000)
  })

  it('changes nothing', async () => {
    const { data } = await agent.buyer.call('get_media_buys', { status_filter: ['pending_creatives', 'pending_start', 'active'] })
    expect(data.media_buys).toHaveLength(2)
    expect(data.media_buys.map(({ revision }: { revision: number }) => revision)).toEqual([1, 1])
  })

  it('has an entry in errors[] for each fault', async () => {
    const line = { product_id: 'news', pricing_option_id: 'cpm', budget: 1000 }
    const packages = [{ ...line, product_id: 'newz' }, { ...line, pricing_option_id: 'x' }, line]
    const { data } = await agent.create({ start_time: '2026-02-20T00:00:00Z', packages })
    expect(data.errors.map(({ code, field }: { code: string; field: string }) => [code, field])).toEqual([
      ['INVALID_REQUEST', 'start_time'],
      ['PRODUCT_NOT_FOUND', 'packages[0].product_id'],
      ['INVALID_REQUEST', 'packages[1].pricing_option_id'],
    ])
    expect(data.adcp_error.message).toMatch(/^3 faults: \(1\) start_time .* \(2\) packages\[0\].* \(3\) packages\[1\]/)
  })

  it('never quotes a secret', async () => {
    const authentication = { schemes: ['Bearer'], credentials: 'short-secret' }
    const sandbox = agent.client(await agent.addBuyer({ principal: 'tester', sandbox: true }))
    const { data } = await agent.create({ push_notification_config: { url: 'https://b.example', authentication } }, sandbox)
    expect(JSON.stringify(data)).not.toContain('short-secret')
  })

  it('stays short when everything is wrong', async () => {
    const wrong = Array.from({ length: 40 }, (_, index) => ({
      product_id: `${index}`.repeat(60),
      pricing_option_id: 'cpm',
      budget: 1,
    }))
    const { data } = await agent.create({ packages: wrong })
    expect(data.adcp_error.message).toMatch(/^40 faults: .*and 28 more$/)
    expect(data.adcp_error.message.length).toBeLessThanOrEqual(2_000)
  })
})
