import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type BrandAgent, START, startBrandAgent } from '../../support/brand-agent.ts'

let agent: BrandAgent
beforeAll(async () => {
  agent = await startBrandAgent()
})
afterEach(() => agent.setClock(START))
afterAll(() => agent.stop())

const begin = async (): Promise<string> =>
  (await agent.run('si_initiate_session', { intent: 'paper kits', identity: { consent_granted: false } })).data.session_id
const say = async (session_id: string, message: string, args: object = {}) =>
  (await agent.run('si_send_message', { session_id, message, ...args })).data
const press = async (session_id: string, action: string) =>
  (await agent.run('si_send_message', { session_id, action_response: { action } })).data

describe('si_send_message', () => {
  it('answers, remembers what was shown, and hands over to a checkout', async () => {
    const session = await begin()
    expect(await say(session, 'something for a beginner')).toMatchObject({
      session_id: session,
      session_status: 'active',
      response: { message: 'For that, see Small kit.' },
    })
    expect((await say(session, 'and what does the large kit cost?')).response.message).toBe('Large kit is $39. 3 left')
    const bought = await say(session, 'I will take it, buy')
    expect(bought).toMatchObject({
      session_status: 'pending_handoff',
      handoff: {
        type: 'transaction',
        intent: { action: 'purchase', product: { product_id: 'large', name: 'Large kit', price: '$39' } },
        context_for_checkout: { applied_offers: ['kits'] },
      },
    })
    expect(bought.response.ui_elements.at(-1)).toEqual({
      type: 'action_button',
      data: { label: 'Check out', action: 'acp_checkout' },
    })
    expect((await say(session, 'wait, what about the folding course?')).session_status).toBe('active')
  })

  it('understands what was pressed, and a place in the list', async () => {
    const session = await begin()
    expect((await say(session, 'tell me about the third one')).response.message).toMatch(/^Folding course/)
    expect((await press(session, 'choose:small')).response.message).toMatch(/^Small kit\. Twenty sheets/)
    expect(await press(session, 'acp_checkout')).toMatchObject({
      session_status: 'pending_handoff',
      handoff: { intent: { product: { product_id: 'small' } } },
    })
  })

  it('completes when the user is done', async () => {
    expect(await say(await begin(), 'thanks, bye')).toMatchObject({
      session_status: 'pending_handoff',
      handoff: { type: 'complete' },
    })
  })

  it('is one turn for one key', async () => {
    const session = await begin()
    const idempotency_key = randomUUID()
    const first = await say(session, 'a kit', { idempotency_key })
    expect(await say(session, 'a kit', { idempotency_key })).toMatchObject({ replayed: true, response: first.response })
    const row = await agent.server.store.read
      .selectFrom('si_sessions')
      .selectAll()
      .where('session_id', '=', session)
      .executeTakeFirstOrThrow()
    expect(row.turns).toBe(2)
    expect(row.transcript).toMatch(/^v1\./)
  })

  it('of two messages at the same moment at most one is lost, and says so', async () => {
    const session = await begin()
    const both = await Promise.all([say(session, 'a kit'), say(session, 'a course')])
    const turns = await agent.server.store.read
      .selectFrom('si_sessions')
      .select('turns')
      .where('session_id', '=', session)
      .executeTakeFirstOrThrow()
    const refused = both.filter(({ adcp_error: error }) => error)
    for (const { adcp_error: error } of refused) expect(error.code).toBe('CONFLICT')
    expect(turns.turns).toBe(3 - refused.length)
  })

  it('ends by the clock half an hour after the last message', async () => {
    const session = await begin()
    agent.setClock('2026-03-01T12:29:00Z')
    expect((await say(session, 'still there')).session_status).toBe('active')
    agent.setClock('2026-03-01T12:59:00Z')
    expect((await say(session, 'hello?')).adcp_error).toMatchObject({
      code: 'SESSION_TERMINATED',
      field: 'session_id',
      details: { session_status: 'terminated', reason: 'session_timeout' },
    })
  })

  it("knows no session of nobody, nor another agent's", async () => {
    expect((await say('sis_nothing', 'hello')).adcp_error).toMatchObject({ code: 'SESSION_NOT_FOUND', field: 'session_id' })
    const session = await begin()
    const other = agent.client(await agent.addBuyer({ principal: 'another-host' }))
    const { data } = await agent.run('si_send_message', { session_id: session, message: 'hello' }, other)
    expect(data.adcp_error).toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })
})
