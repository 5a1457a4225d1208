import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { errorOf, startWrongCallAgent, type WrongCallAgent } from '../support/wrong-call-agent.ts'
import { WRONG_CALLS } from '../support/wrong-calls.ts'
import { WRONG_VALUES } from '../support/wrong-values.ts'

let agent: WrongCallAgent
beforeAll(async () => {
  agent = await startWrongCallAgent()
})
afterAll(() => agent.stop())

describe('an error that a caller can repair in one turn', () => {
  it('is tested for many mistakes', () => {
    expect([...WRONG_CALLS, ...WRONG_VALUES].length).toBeGreaterThanOrEqual(120)
  })

  it.each([...WRONG_CALLS, ...WRONG_VALUES])('%s with %j is %s at %s', async (task, args, code, field, message) => {
    const error = errorOf(await agent.ask(task, agent.filled(args)))
    expect({ ...error, message: error.message.replace(/(?<=the newest: )[\w, -]+/, '<newest>') }).toMatchObject({
      code,
      message: agent.filled(message),
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
