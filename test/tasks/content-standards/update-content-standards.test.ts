import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { article, must, type StandardsAgent, startStandardsAgent } from '../../support/standards-agent.ts'

let agent: StandardsAgent

beforeAll(async () => {
  agent = await startStandardsAgent()
})
afterAll(() => agent.stop())

describe('update_content_standards', () => {
  it('puts a new version in force and keeps the old one', async () => {
    const standards_id = await agent.standards([must('p', 'No gambling')])
    const calibrate = async () =>
      (await agent.run('calibrate_content', { standards_id, artifact: article('A brewery opens its doors.') })).data.verdict
    expect(await calibrate()).toBe('pass')
    const updated = await agent.run('update_content_standards', { standards_id, policies: [must('p', 'No alcohol')] })
    expect(updated.data).toMatchObject({ success: true, standards_id })
    expect(await calibrate()).toBe('fail')
    const { data } = await agent.buyer.call('get_content_standards', { standards_id })
    expect(data).toMatchObject({ languages_any: ['en'], policies: [must('p', 'No alcohol')] })
    const versions = await agent.server.store.read
      .selectFrom('content_standards_versions')
      .select('document')
      .where('standards_id', '=', standards_id)
      .orderBy('version')
      .execute()
    expect(versions.map(({ document }) => JSON.parse(document).policies[0].policy)).toEqual(['No gambling', 'No alcohol'])
  })

  it('a changed scope is what filters go by', async () => {
    const standards_id = await agent.standards([must('p', 'No gambling')], { scope: { languages_any: ['it'] } })
    await agent.run('update_content_standards', { standards_id, scope: { languages_any: ['pt'] } })
    const count = async (language: string) =>
      (await agent.buyer.call('list_content_standards', { languages: [language] })).data.standards.length
    expect([await count('it'), await count('pt')]).toEqual([0, 1])
  })

  it("cannot touch another agent's standards", async () => {
    const standards_id = await agent.standards([must('p', 'No gambling')])
    const stranger = agent.client(await agent.addBuyer({ principal: 'stranger' }))
    const reply = await agent.run('update_content_standards', { standards_id, policies: [must('p', 'x')] }, stranger)
    expect(reply.data.adcp_error).toMatchObject({ code: 'REFERENCE_NOT_FOUND', field: 'standards_id' })
  })
})
