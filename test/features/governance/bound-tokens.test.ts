import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadContracts } from '../../../src/protocol/contracts.ts'
import { payloadHash } from '../../../src/security/signing/governance-token.ts'
import { type GovernedAgent, startGovernedAgent } from '../../support/governed-agent.ts'
import { ACCOUNT } from '../../support/media-buy-agent.ts'

const contracts = loadContracts()

describe.skipIf(!contracts.lines.includes('3.2'))('a governance token of AdCP 3.2', () => {
  let agent: GovernedAgent
  beforeAll(async () => {
    agent = await startGovernedAgent({ contracts })
    await agent.govern([agent.governance.url])
  })
  afterAll(() => agent.stop())

  const order = (key: string) => ({
    adcp_version: '3.2',
    idempotency_key: key,
    account: ACCOUNT,
    plan_id: 'plan_1',
    brand: { domain: 'brand.example' },
    start_time: '2026-03-02T00:00:00Z',
    end_time: '2026-03-12T00:00:00Z',
    packages: [{ product_id: 'news', pricing_option_id: 'cpm', budget: 1000 }],
  })
  /** Of a name of the action that no seller can read a plan from. */
  const SUBJECT = 'gov_action_0001'
  const bound = (args: object) => ({
    sub: SUBJECT,
    authorized_task: 'create_media_buy',
    authorized_payload_hash: payloadHash({ ...args }),
    authorized_commitment: { amount: 1000, currency: 'USD' },
  })

  it('authorises the call that it binds, under the name of its action', async () => {
    agent.governance.sign(() => ({ sub: SUBJECT }))
    const args = order('bound-order-00000001')
    const { data } = await agent.buyer.call('create_media_buy', {
      ...args,
      governance_context: await agent.governance.token(bound(args)),
    })
    expect(data).toMatchObject({ media_buy_id: expect.any(String), ext: { governance: { plan_id: 'plan_1' } } })
    agent.governance.sign(undefined)
  })

  it.each([
    ['binds nothing', () => ({ sub: SUBJECT })],
    ['binds other arguments', () => bound(order('another-order-000001'))],
    ['binds less money', (args: object) => ({ ...bound(args), authorized_commitment: { amount: 999, currency: 'USD' } })],
  ])('is refused when it %s', async (_what, over) => {
    const args = order('bound-order-00000002')
    const token = await agent.governance.token(over(args))
    const { data } = await agent.buyer.call('create_media_buy', { ...args, governance_context: token })
    expect(data.adcp_error).toMatchObject({ code: 'PERMISSION_DENIED', field: 'governance_context' })
  })
})
