import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type BrandAgent, START, startBrandAgent } from '../../support/brand-agent.ts'

let agent: BrandAgent
beforeAll(async () => {
  agent = await startBrandAgent()
})
afterEach(() => agent.setClock(START))
afterAll(() => agent.stop())

const ask = async (args: object, client = agent.buyer) =>
  (await client.call('si_get_offering', { offering_id: 'kits', ...args })).data
const begin = async (args: object, client = agent.buyer) =>
  (await agent.run('si_initiate_session', { intent: 'the second one', identity: { consent_granted: false }, ...args }, client))
    .data

describe('si_get_offering', () => {
  it('shows the offering, and products only when asked, best first', async () => {
    const plain = await ask({})
    expect(plain).toMatchObject({
      available: true,
      offering_token: expect.stringMatching(/^sit_/),
      ttl_seconds: 900,
      checked_at: '2026-03-01T12:00:00.000Z',
      offering: { offering_id: 'kits', summary: 'Paper kits to fold.' },
    })
    expect(plain).not.toHaveProperty('matching_products')
    const names = async (args: object) =>
      (await ask({ include_products: true, ...args })).matching_products.map((p: { name: string }) => p.name)
    expect(await names({})).toEqual(['Small kit', 'Large kit', 'Folding course'])
    expect(await names({ intent: 'I want to learn folding' })).toEqual(['Folding course'])
    const limited = await ask({ include_products: true, product_limit: 1 })
    expect(limited).toMatchObject({ matching_products: [{ product_id: 'small', price: '$9' }], total_matching: 3 })
  })

  it('says why it cannot be had, and what can', async () => {
    const data = await ask({ offering_id: 'old' })
    expect(data).toMatchObject({ available: false, unavailable_reason: 'expired', alternative_offering_ids: ['kits'] })
    expect(data).not.toHaveProperty('offering_token')
    expect((await ask({ offering_id: 'gone' })).adcp_error).toMatchObject({ code: 'REFERENCE_NOT_FOUND', field: 'offering_id' })
  })

  it('lets a session know what was shown, while its token lasts and for its agent alone', async () => {
    const { offering_token } = await ask({ include_products: true })
    const session = await begin({ offering_token })
    expect(session.response.message).toMatch(/^Large kit/)
    const rows = await agent.server.store.read.selectFrom('si_offering_tokens').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(offering_token)
    const other = agent.client(await agent.addBuyer({ principal: 'other-host' }))
    expect((await begin({ offering_token }, other)).adcp_error).toMatchObject({
      code: 'INVALID_REQUEST',
      field: 'offering_token',
    })
    agent.setClock('2026-03-01T12:15:00Z')
    expect((await begin({ offering_token })).adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'offering_token' })
  })
})
