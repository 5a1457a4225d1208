import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { must, type StandardsAgent, startStandardsAgent } from '../../support/standards-agent.ts'

let agent: StandardsAgent

beforeAll(async () => {
  agent = await startStandardsAgent()
})
afterAll(() => agent.stop())

describe('get_content_standards', () => {
  it('shows scope and policies as they were given', async () => {
    const policies = [must('calm', 'No violence', { policy_categories: ['brand_safety'] })]
    const scope = { languages_any: ['en'], countries_all: ['DE'], channels_any: ['display'], description: 'Acme rules' }
    const standards_id = await agent.standards(policies, { scope })
    const { data } = await agent.buyer.call('get_content_standards', { standards_id })
    expect(data).toMatchObject({
      standards_id,
      name: 'Acme rules',
      languages_any: ['en'],
      countries_all: ['DE'],
      channels_any: ['display'],
      policies,
    })
  })

  it("does not tell another agent's standards from absent ones", async () => {
    const standards_id = await agent.standards([must('p', 'No violence')])
    const absent = await agent.buyer.call('get_content_standards', { standards_id: 'cs_none' })
    expect(absent.data.adcp_error).toMatchObject({ code: 'REFERENCE_NOT_FOUND', field: 'standards_id' })
    for (const tenant of ['acme', 'far']) {
      const stranger = agent.client(await agent.addBuyer({ principal: `stranger-${tenant}`, tenant }))
      expect((await stranger.call('get_content_standards', { standards_id })).data).toEqual(absent.data)
    }
  })
})
