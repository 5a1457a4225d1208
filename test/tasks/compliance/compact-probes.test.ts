import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clock, FLIGHT, HOUR_MS, NOW, PRODUCT, proposalBuyer, startProposalAgent } from '../../support/proposal-buyer.ts'
import { LINES, type ReleaseAgent, SUITE_ACCOUNT } from '../../support/release-agent.ts'

describe.skipIf(!LINES.includes('3.2'))('probes of the compact life cycles', () => {
  let agent: ReleaseAgent
  beforeAll(async () => {
    agent = await startProposalAgent()
  }, 120_000)
  afterAll(() => agent?.stop())
  const { requested, finalize, acceptance, refused, ask, holds, reserved } = proposalBuyer(() => agent)
  const PROPOSALS = 'compact_product_lifecycle_probe'
  const refusal = async (scenario: string, params: object) =>
    (await agent.ask('3.2', 'comply_test_controller', { scenario, params, account: { sandbox: true } })).data

  test('prepare a product that is there', async () => {
    for (const scenario of [PROPOSALS, 'compact_direct_buy_lifecycle_probe']) {
      const { simulated } = await agent.control(scenario, { operation: 'prepare', product_id: PRODUCT })
      expect(simulated).toEqual({ prepared: true, product_id: PRODUCT })
      expect(await refusal(scenario, { operation: 'prepare', product_id: 'of nobody' })).toMatchObject({
        ...{ success: false, error: 'NOT_FOUND' },
      })
    }
  })

  test('let the deadline of a commitment pass: it is bought by neither family, and holds nothing', async () => {
    const draft = await requested()
    expect(await refusal(PROPOSALS, { operation: 'expire_proposal', proposal_id: draft.proposal_id })).toMatchObject({
      ...{ success: false, error: 'INVALID_TRANSITION', current_state: 'draft' },
    })
    const before = await reserved()
    const firm = await finalize(draft.proposal_id)
    expect(await reserved()).toBeGreaterThan(before)
    const { simulated } = await agent.control(PROPOSALS, { operation: 'expire_proposal', proposal_id: firm.proposal_id })
    const target_time = new Date(NOW + (clock.hours + 48) * HOUR_MS + 1000).toISOString()
    expect(simulated).toEqual({ expiry_processed: true, proposal_id: firm.proposal_id, target_time })
    expect(await holds()).toEqual([])
    expect(await reserved()).toBe(before)
    const expired = { code: 'PROPOSAL_EXPIRED', field: 'proposal_id' }
    expect(await refused('accept_proposal', acceptance(firm))).toMatchObject(expired)
    const order = { account: SUITE_ACCOUNT, proposal_id: firm.proposal_id, brand: { domain: 'acmeoutdoor.example' }, ...FLIGHT }
    const total_budget = firm.commercial_terms.total_budget
    const { data } = await agent.ask('3.2', 'create_media_buy', { ...order, total_budget })
    expect(data.adcp_error).toMatchObject(expired)
  })

  test('touch nothing that was accepted, or is of another agent', async () => {
    const firm = await finalize((await requested()).proposal_id)
    const other = agent.client(await agent.addBuyer({ principal: 'other suite', sandbox: true }))
    const params = { operation: 'expire_proposal', proposal_id: firm.proposal_id }
    const { data } = await other.call('comply_test_controller', { scenario: PROPOSALS, params })
    expect(data).toMatchObject({ success: false, error: 'NOT_FOUND' })
    await ask('accept_proposal', acceptance(firm))
    expect(await refusal(PROPOSALS, params)).toMatchObject({ error: 'INVALID_TRANSITION', current_state: 'accepted' })
  })
})
