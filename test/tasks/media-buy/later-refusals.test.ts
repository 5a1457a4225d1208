import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LINES, type ReleaseAgent, SUITE_ACCOUNT, startReleaseAgent } from '../../support/release-agent.ts'

const LINE = LINES.at(-1) ?? '3.0'
let agent: ReleaseAgent
beforeAll(async () => {
  agent = await startReleaseAgent()
  const reporting_capabilities = { available_metrics: ['impressions', 'spend', 'clicks'] }
  await agent.control('seed_product', { product_id: 'measured', fixture: { channels: ['display'], reporting_capabilities } })
})
afterAll(() => agent.stop())

const buy = async (committed_metrics: object[], more: object = {}, line = LINE) =>
  (
    await agent.ask(line, 'create_media_buy', {
      account: SUITE_ACCOUNT,
      brand: SUITE_ACCOUNT.brand,
      start_time: 'asap',
      end_time: '2026-06-30T00:00:00Z',
      packages: [{ product_id: 'measured', pricing_option_id: 'default', budget: 5000, committed_metrics, ...more }],
    })
  ).data

describe('metrics that a buyer wants to see reported', () => {
  test('are taken where the product reports them', async () => {
    expect(await buy([{ scope: 'standard', metric_id: 'clicks' }])).toHaveProperty('media_buy_id')
  })

  test('are refused with the entry where it does not', async () => {
    const clicks = { scope: 'standard', metric_id: 'clicks' }
    const vendor = { scope: 'vendor', vendor: { domain: 'attention.example' }, metric_id: 'attention_score' }
    const field = 'packages[0].committed_metrics[1]'
    const expected = { code: 'TERMS_REJECTED', field, details: { available_metrics: ['impressions', 'spend', 'clicks'] } }
    expect((await buy([clicks, vendor])).adcp_error).toMatchObject(expected)
    expect((await buy([clicks, { scope: 'standard', metric_id: 'completion_rate' }])).adcp_error).toMatchObject(expected)
  })
})

test.each(LINES.filter((line) => line !== '3.0'))(
  'goals for metrics of a measurement vendor are refused under AdCP %s',
  async (line) => {
    const goal = { kind: 'vendor_metric', vendor: { domain: 'attention.example' }, metric_id: 'attention_score' }
    const clicks = { scope: 'standard', metric_id: 'clicks' }
    expect((await buy([clicks], { optimization_goals: [goal] }, line)).adcp_error).toMatchObject({
      code: 'TERMS_REJECTED',
      recovery: 'correctable',
      field: 'packages[0].optimization_goals[0]',
    })
  },
)

describe('a proposal is finalized', () => {
  const finalize = { scope: 'proposal', proposal_id: 'unknown', action: 'finalize' }
  const refine = async (entries: object[]) =>
    (await agent.ask(LINE, 'get_products', { account: SUITE_ACCOUNT, buying_mode: 'refine', refine: entries })).data.adcp_error

  test.each([
    ['a wish for the whole list', { scope: 'request', ask: 'more video' }],
    ['a change of a proposal', { scope: 'proposal', proposal_id: 'other', ask: 'cheaper' }],
  ])('not beside %s', async (_name, other) => {
    expect(await refine([finalize, other])).toMatchObject({ code: 'INVALID_REQUEST', field: 'refine[1]' })
    expect(await refine([other, finalize])).toMatchObject({ code: 'INVALID_REQUEST', field: 'refine[0]' })
  })

  test('beside others that are finalized too', async () => {
    expect(await refine([finalize, finalize])).toMatchObject({ code: 'PROPOSAL_NOT_FOUND', field: 'refine[0].proposal_id' })
  })
})
