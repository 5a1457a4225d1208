import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { approve } from '../../../src/tasks/approvals/decide.ts'
import { decideRightsCreative } from '../../../src/tasks/brand/decide-rights.ts'
import { type BrandAgent, START, startBrandAgent } from '../../support/brand-agent.ts'

let agent: BrandAgent
beforeAll(async () => {
  agent = await startBrandAgent()
})
afterEach(() => agent.setClock(START))
afterAll(() => agent.stop())

const submit = async (rights_id: string, args: object = {}) =>
  (
    await agent.run('creative_approval', {
      rights_id,
      creative_id: 'spring',
      creative_url: 'https://cdn.example/spring.png',
      ...args,
    })
  ).data
const music = async () => {
  const { data } = await agent.acquire({ rights_id: 'tune', pricing_option_id: 'year', campaign: { uses: ['sync'] } })
  const { store, services } = agent.server
  await approve({ ...services, store }, agent.tenant, data.task_id, [], new Date(START))
  return data.rights_id as string
}

describe('creative_approval', () => {
  it('approves on the spot where rules decide, on the terms of the grant', async () => {
    const { data } = await agent.acquire()
    expect(await submit(data.rights_id)).toMatchObject({
      status: 'approved',
      rights_id: data.rights_id,
      creative_id: 'spring',
      creative_url: 'https://cdn.example/spring.png',
      approved_at: '2026-03-01T12:00:00.000Z',
      conditions: ['keep its proportions', 'the heron is never caged', 'show: Made with AI'],
    })
    expect(await submit(data.rights_id, { creative_url: 'http://cdn.example/spring.png' })).toMatchObject({
      status: 'rejected',
      suggestions: ['serve it over https and submit it again'],
    })
  })

  it.each(['https://', 'https://a.example:99999/'])('%s is no URL, and the fault of the caller', async (creative_url) => {
    const { data } = await agent.acquire()
    const refused = await submit(data.rights_id, { creative_url })
    expect(refused.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'creative_url' })
    expect(refused.adcp_error.message).toContain(creative_url)
  })

  it('waits for a reviewer where one looks at it; asking again is no second submission', async () => {
    const rightsId = await music()
    const first = await submit(rightsId)
    expect(first).toMatchObject({ status: 'pending_review', estimated_response_time: '48h' })
    expect(await submit(rightsId)).toMatchObject({ status: 'pending_review', status_url: first.status_url })
    const polled = async () => (await fetch(first.status_url)).json()
    expect(await polled()).toMatchObject({ status: 'pending_review', rights_id: rightsId })
    const id = first.status_url.split('/').at(-1)
    const decision = { approve: false, reason: 'too loud', suggestions: ['lower the music'] } as const
    await decideRightsCreative(agent.server.store, agent.tenant, id, decision, new Date(START))
    expect(await polled()).toMatchObject({ status: 'rejected', reason: 'too loud', suggestions: ['lower the music'] })
    await expect(decideRightsCreative(agent.server.store, agent.tenant, id, decision, new Date(START))).rejects.toThrow(/already/)
    const revised = await submit(rightsId, { creative_url: 'https://cdn.example/spring-2.png' })
    expect(revised.status_url).not.toBe(first.status_url)
    const next = revised.status_url.split('/').at(-1)
    await decideRightsCreative(
      agent.server.store,
      agent.tenant,
      next,
      { approve: true, conditions: ['evenings only'] },
      new Date(START),
    )
    expect(await submit(rightsId, { creative_url: 'https://cdn.example/spring-2.png' })).toMatchObject({
      status: 'approved',
      conditions: ['evenings only'],
    })
  })

  it('approves nothing under a grant that does not stand', async () => {
    const { data } = await agent.acquire()
    await agent.run('update_rights', { rights_id: data.rights_id, paused: true })
    expect(await submit(data.rights_id)).toMatchObject({ status: 'rejected', reason: 'the grant is paused' })
    agent.setClock('2026-04-21T00:00:00Z')
    expect(await submit(data.rights_id)).toMatchObject({ status: 'rejected', reason: 'the grant ended on 2026-04-20' })
  })

  it('knows no grant of nobody, and serves no status of nothing', async () => {
    expect((await submit('rgt_nothing')).adcp_error).toMatchObject({ code: 'REFERENCE_NOT_FOUND', field: 'rights_id' })
    const nothing = new URL('/rights/creatives/rcs_00000000-0000-4000-8000-000000000000', agent.url)
    expect((await fetch(nothing)).status).toBe(404)
    expect((await fetch(nothing, { method: 'POST' })).status).toBe(405)
  })
})
