import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BrandAgent, startBrandAgent } from '../../support/brand-agent.ts'
import type { AgentClient } from '../../support/client.ts'

let agent: BrandAgent
let host: AgentClient
beforeAll(async () => {
  agent = await startBrandAgent({ sandbox: true })
  host = agent.client(await agent.addBuyer({ principal: 'sandbox-host', sandbox: true }))
})
afterAll(() => agent.stop())

const begin = async (): Promise<string> =>
  (await agent.run('si_initiate_session', { intent: 'kits', identity: { consent_granted: false } }, host)).data.session_id
const force = async (params: object) =>
  (await host.call('comply_test_controller', { scenario: 'force_session_status', params })).data

describe('force_session_status', () => {
  it('ends a session as time or the host would', async () => {
    const session_id = await begin()
    expect(await force({ session_id, status: 'terminated', termination_reason: 'session_timeout' })).toMatchObject({
      success: true,
      previous_state: 'active',
      current_state: 'terminated',
    })
    const { data } = await agent.run('si_send_message', { session_id, message: 'hello' }, host)
    expect(data.adcp_error).toMatchObject({ code: 'SESSION_TERMINATED', details: { reason: 'session_timeout' } })
    expect(await force({ session_id, status: 'active' })).toMatchObject({
      success: false,
      error: 'INVALID_TRANSITION',
      current_state: 'terminated',
    })
  })

  it('goes to a handoff and back', async () => {
    const session_id = await begin()
    expect(await force({ session_id, status: 'pending_handoff' })).toMatchObject({ current_state: 'pending_handoff' })
    expect(await force({ session_id, status: 'active' })).toMatchObject({
      previous_state: 'pending_handoff',
      current_state: 'active',
    })
    expect(await force({ session_id, status: 'complete' })).toMatchObject({ success: true })
  })

  it('names what is wrong', async () => {
    expect(await force({ session_id: 'sis_nothing', status: 'terminated' })).toMatchObject({ success: false, error: 'NOT_FOUND' })
    expect(await force({ status: 'terminated' })).toMatchObject({ error: 'INVALID_PARAMS' })
    expect(await force({ session_id: await begin(), status: 'gone' })).toMatchObject({ error: 'INVALID_PARAMS' })
    expect(await force({ session_id: await begin(), status: 'terminated', termination_reason: 'bored' })).toMatchObject({
      error: 'INVALID_PARAMS',
    })
  })
})
