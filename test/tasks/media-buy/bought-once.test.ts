import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadContracts } from '../../../src/protocol/contracts.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

let agent: MediaBuyAgent
beforeAll(async () => {
  const sports = { keywords: ['sports'], approval: 'automatic' as const }
  agent = await startMediaBuyAgent(
    ['alpha', 'beta'].map((id) => productDocument(id, {}, sports)),
    { contracts: loadContracts() },
  )
}, 120_000)
afterAll(() => agent?.stop())

const PINS = [{}, { adcp_version: '3.0' }, { adcp_version: '3.1' }, { adcp_version: '3.2' }]
const FILTERS = { start_date: '2026-04-01', end_date: '2026-04-10' }
const get = async (request: object) => (await agent.buyer.call('get_products', request)).data
const refine = (entry: object, pin: object) =>
  get({ ...pin, buying_mode: 'refine', refine: [{ scope: 'proposal', ...entry }], account: ACCOUNT })
const buy = (proposal_id: string, pin: object, more: object = {}) =>
  agent.run('create_media_buy', {
    ...pin,
    ...more,
    brand: ACCOUNT.brand,
    start_time: '2026-04-01T00:00:00Z',
    end_time: '2026-04-11T00:00:00Z',
    proposal_id,
    total_budget: { amount: 12_000, currency: 'USD' },
  })

test('a committed proposal is bought once at every release; a second purchase names the first', async () => {
  for (const [index, pin] of PINS.entries()) {
    const brief = `sports, USD 12,00${index}`
    const { proposals } = await get({ ...pin, buying_mode: 'brief', brief, filters: FILTERS })
    const { proposal_id } = proposals[0]
    expect((await buy(proposal_id, pin)).data.adcp_error.code).toBe('PROPOSAL_NOT_COMMITTED')
    await refine({ proposal_id, action: 'finalize' }, pin)
    const key = { idempotency_key: crypto.randomUUID() }
    const first = await buy(proposal_id, pin, key)
    const { media_buy_id } = first.data
    expect(media_buy_id, JSON.stringify(first.data)).toBeDefined()
    expect((await buy(proposal_id, pin, key)).data.media_buy_id).toBe(media_buy_id)
    const second = await buy(proposal_id, pin)
    expect(second.data.adcp_error, JSON.stringify(pin)).toMatchObject({
      code: 'INVALID_STATE',
      field: 'proposal_id',
      message: expect.stringContaining(media_buy_id),
      suggestion: expect.stringContaining('finalize it again'),
    })
    await refine({ proposal_id, action: 'finalize' }, pin)
    const again = await buy(proposal_id, pin)
    expect(again.data.media_buy_id, JSON.stringify(again.data)).not.toBe(media_buy_id)
    expect((await buy(proposal_id, pin)).data.adcp_error.message).toContain(again.data.media_buy_id)
  }
})

test('of two purchases of one proposal at once, one is made', async () => {
  const { proposals } = await get({ buying_mode: 'brief', brief: 'sports, USD 15,000', filters: FILTERS })
  const { proposal_id } = proposals[0]
  await refine({ proposal_id, action: 'finalize' }, {})
  const answers = await Promise.all([1, 2, 3].map(() => buy(proposal_id, {})))
  expect(answers.filter(({ isError }) => !isError)).toHaveLength(1)
})

test('a plan of words that was bought is a draft again when the same words ask for it', async () => {
  const { proposals } = await get({ buying_mode: 'brief', brief: 'sports, USD 18,000', filters: FILTERS })
  const ask = () =>
    refine({ proposal_id: proposals[0].proposal_id, action: 'include', ask: 'alpha to 70%, budget of 20,000 USD' }, {})
  const [{ proposal_id }] = (await ask()).proposals
  await refine({ proposal_id, action: 'finalize' }, {})
  expect((await buy(proposal_id, {})).isError).toBe(false)
  const [draft] = (await ask()).proposals
  expect(draft).toMatchObject({ proposal_id, proposal_status: 'draft' })
  expect((await buy(proposal_id, {})).data.adcp_error.code).toBe('PROPOSAL_NOT_COMMITTED')
})
