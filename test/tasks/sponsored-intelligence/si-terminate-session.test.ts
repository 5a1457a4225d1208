import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { eraseSessions, sweepSessions } from '../../../src/store/si/si-sessions.ts'
import { type BrandAgent, START, startBrandAgent } from '../../support/brand-agent.ts'

let agent: BrandAgent
beforeAll(async () => {
  agent = await startBrandAgent()
})
afterEach(() => agent.setClock(START))
afterAll(() => agent.stop())

const identity = { consent_granted: true, user: { email: 'reader@people.example' } }
const begin = async (): Promise<string> =>
  (await agent.run('si_initiate_session', { intent: 'paper kits', identity })).data.session_id
const say = (session_id: string, message: string) => agent.run('si_send_message', { session_id, message })
const end = async (session_id: string, reason: string) =>
  (await agent.buyer.call('si_terminate_session', { session_id, reason })).data
const sealed = async (sessionId: string) => {
  const { identity, transcript } = await agent.server.store.read
    .selectFrom('si_sessions')
    .selectAll()
    .where('session_id', '=', sessionId)
    .executeTakeFirstOrThrow()
  return [identity !== null, transcript !== null]
}

describe('si_terminate_session', () => {
  it('completes with a checkout, the same one however often it is asked', async () => {
    const session = await begin()
    await say(session, 'buy the large kit')
    const first = await end(session, 'handoff_transaction')
    expect(first).toMatchObject({
      terminated: true,
      session_status: 'complete',
      acp_handoff: {
        checkout_url: 'https://checkout.fable.example/acp',
        checkout_token: expect.stringMatching(/^[\w-]{43}$/),
        payload: { offering_id: 'kits', product: { product_id: 'large', price: '$39' } },
        expires_at: '2026-03-01T12:30:00.000Z',
      },
      follow_up: { action: 'none' },
    })
    agent.setClock('2026-03-01T12:10:00Z')
    expect(await end(session, 'user_exit')).toEqual(first)
  })

  it('erases who took part and what was said', async () => {
    const session = await begin()
    expect(await sealed(session)).toEqual([true, true])
    expect(await end(session, 'user_exit')).toMatchObject({
      session_status: 'terminated',
      follow_up: { action: 'save_for_later', data: { offering_id: 'kits' } },
    })
    expect(await sealed(session)).toEqual([false, false])
    const { data } = await say(session, 'one more thing')
    expect(data.adcp_error).toMatchObject({ code: 'SESSION_TERMINATED', details: { reason: 'user_exit' } })
  })

  it('keeps that time was faster', async () => {
    const session = await begin()
    agent.setClock('2026-03-01T13:00:00Z')
    expect(await end(session, 'handoff_complete')).toMatchObject({ session_status: 'terminated' })
  })

  it('forgets abandoned sessions by the clock, and any on demand', async () => {
    const [abandoned, other] = [await begin(), await begin()]
    const { store } = agent.server
    await store.transaction((tx) => eraseSessions(tx, 'other', { sessionId: other }))
    expect(await sealed(other)).toEqual([true, true])
    expect(await store.transaction((tx) => eraseSessions(tx, agent.tenant, { sessionId: other }))).toBe(1)
    expect([await sealed(other), await sealed(abandoned)]).toEqual([
      [false, false],
      [true, true],
    ])
    await store.transaction((tx) => sweepSessions(tx, new Date('2026-03-01T12:29:59Z'), 1800))
    expect(await sealed(abandoned)).toEqual([true, true])
    await store.transaction((tx) => sweepSessions(tx, new Date('2026-03-01T12:30:00Z'), 1800))
    expect(await sealed(abandoned)).toEqual([false, false])
  })

  it('knows no session of nobody', async () => {
    expect((await end('sis_nothing', 'user_exit')).adcp_error).toMatchObject({ code: 'SESSION_NOT_FOUND', field: 'session_id' })
  })
})
