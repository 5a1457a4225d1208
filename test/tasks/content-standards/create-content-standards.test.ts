import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { article, must, type StandardsAgent, startStandardsAgent } from '../../support/standards-agent.ts'

let agent: StandardsAgent

beforeAll(async () => {
  agent = await startStandardsAgent()
})
afterAll(() => agent.stop())

const create = async (more: object) =>
  (
    await agent.run('create_content_standards', {
      scope: { languages_any: ['en'] },
      policies: [must('p', 'No violence')],
      ...more,
    })
  ).data

describe('create_content_standards', () => {
  it('gives an id; the same key gives the same one', async () => {
    const args = { idempotency_key: 'standards-key-001', scope: { languages_any: ['en'] }, policies: [must('p', 'No violence')] }
    const first = await agent.buyer.call('create_content_standards', args)
    expect(first.data.standards_id).toMatch(/^cs_/)
    const again = await agent.buyer.call('create_content_standards', args)
    expect(again.data).toMatchObject({ replayed: true, standards_id: first.data.standards_id })
  })

  it.each([
    [{ policies: [must('garm:violence', 'x')] }, 'VALIDATION_ERROR', 'policies[0].policy_id'],
    [{ policies: [must('p', 'x'), must('p', 'y')] }, 'VALIDATION_ERROR', 'policies[1].policy_id'],
    [{ registry_policy_ids: ['uk_hfss'] }, 'UNSUPPORTED_FEATURE', 'registry_policy_ids'],
  ])('refuses %o, naming the field', async (more, code, field) => {
    expect((await create(more)).adcp_error).toMatchObject({ code, field })
  })

  it('judges what comes from the address of an exemplar like the exemplar', async () => {
    const { standards_id } = await create({
      policies: [must('no_violence', 'Avoid violence.')],
      calibration_exemplars: {
        pass: [{ type: 'url', value: 'https://news.example/fine', language: 'en' }],
        fail: [{ type: 'url', value: 'https://news.example/bad' }],
      },
    })
    const verdictAt = async (url: string) =>
      (await agent.run('calibrate_content', { standards_id, artifact: article('A calm day', { url }) })).data.verdict
    expect(await verdictAt('https://news.example/bad')).toBe('fail')
    expect(await verdictAt('https://NEWS.example/fine')).toBe('pass')
    expect(await verdictAt('https://news.example/other')).toBe('pass')
    expect((await agent.buyer.call('get_content_standards', { standards_id })).data.standards_id).toBe(standards_id)
  })

  it('neither keeps nor shows how to reach the assets of exemplars', async () => {
    const image = { type: 'image', url: 'https://cdn.example/a.png', access: { method: 'signed_url' } }
    const { standards_id } = await create({ calibration_exemplars: { pass: [article('fine', { assets: [image] })] } })
    const { data } = await agent.buyer.call('get_content_standards', { standards_id })
    expect(data.calibration_exemplars.pass[0].assets).toEqual([{ type: 'image', url: 'https://cdn.example/a.png' }])
    const rows = await agent.server.store.read.selectFrom('content_standards_versions').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain('signed_url')
  })
})
