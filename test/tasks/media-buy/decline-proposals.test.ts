import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { account } from '../../support/compact-buyer.ts'
import { FLIGHT, proposalBuyer, startProposalAgent } from '../../support/proposal-buyer.ts'
import { LINES, type ReleaseAgent } from '../../support/release-agent.ts'

describe.skipIf(!LINES.includes('3.2'))('proposals are declined', () => {
  let agent: ReleaseAgent
  beforeAll(async () => {
    agent = await startProposalAgent()
  }, 120_000)
  afterAll(() => agent?.stop())
  const { refusedFor, ask, refused, requested, finalize, acceptance } = proposalBuyer(() => agent)

  test('a decline is for good, keeps its first reason, and the proposal can neither be refined nor bought', async () => {
    const firm = await finalize((await requested()).proposal_id)
    const declines = [{ proposal_id: firm.proposal_id, reason: 'price' }]
    expect((await ask('decline_proposals', { declines })).results).toEqual([
      { proposal_id: firm.proposal_id, outcome: 'declined' },
    ])
    const again = await ask('decline_proposals', {
      declines: [
        { proposal_id: firm.proposal_id, reason: 'timing' },
        { proposal_id: 'proposal_of_nobody', reason: 'price' },
      ],
    })
    expect(again.status).toBeUndefined()
    expect(again.results).toMatchObject([{ outcome: 'declined' }, { outcome: 'unable', reason: expect.any(String) }])
    const row = await agent.server.store.read
      .selectFrom('proposals')
      .select('ending')
      .where('proposal_id', '=', firm.proposal_id)
      .executeTakeFirstOrThrow()
    expect(JSON.parse(row.ending ?? '')).toMatchObject({ outcome: 'declined', reason: 'price' })
    for (const action of ['finalize', 'revise'])
      expect(
        await refused('refine_proposals', {
          refinements: [{ proposal_id: firm.proposal_id, action, ...(action === 'revise' && { ask: 'more' }) }],
        }),
      ).toMatchObject({ code: 'INVALID_STATE' })
    expect(await refused('accept_proposal', acceptance(firm))).toMatchObject({ code: 'INVALID_STATE' })
    const bought = { brand: account.brand, proposal_id: firm.proposal_id, total_budget: { amount: 30_000, currency: 'USD' } }
    expect(await refusedFor('3.0', 'create_media_buy', { ...bought, ...FLIGHT })).toMatchObject({ code: 'INVALID_STATE' })
    const twice = [
      { proposal_id: 'a', reason: 'price' },
      { proposal_id: 'a', reason: 'timing' },
    ]
    expect(await refused('decline_proposals', { declines: twice })).toMatchObject({ field: 'declines[1].proposal_id' })
  })
})
