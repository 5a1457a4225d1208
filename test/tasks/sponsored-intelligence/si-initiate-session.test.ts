import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BRANDS, type BrandAgent, startBrandAgent } from '../../support/brand-agent.ts'

let agent: BrandAgent
beforeAll(async () => {
  agent = await startBrandAgent()
})
afterAll(() => agent.stop())

const begin = async (args: object = {}) =>
  (await agent.run('si_initiate_session', { intent: 'something for a child', identity: { consent_granted: false }, ...args }))
    .data
const stored = async (sessionId: string) =>
  agent.server.store.read.selectFrom('si_sessions').selectAll().where('session_id', '=', sessionId).executeTakeFirstOrThrow()

describe('si_initiate_session', () => {
  it('finds the offering that is meant, and begins with what fits', async () => {
    const data = await begin()
    expect(data).toMatchObject({
      session_id: expect.stringMatching(/^sis_/),
      session_status: 'active',
      session_ttl_seconds: 1800,
      response: { message: 'This is Heron (sponsored). Fold a heron today. You may like Small kit.' },
      negotiated_capabilities: { modalities: { conversational: true, voice: false }, commerce: { acp_checkout: true } },
    })
    expect(data.response.ui_elements).toEqual([
      {
        type: 'product_card',
        data: {
          title: 'Small kit',
          price: '$9',
          description: 'Twenty sheets for beginners',
          cta: { label: 'Choose', action: 'choose:small' },
        },
      },
    ])
    expect((await stored(data.session_id)).offering_id).toBe('kits')
  })

  it('shows only what the host can render', async () => {
    const host = { components: { standard: ['link'] }, commerce: { acp_checkout: false } }
    const data = await begin({ supported_capabilities: host })
    expect(data.negotiated_capabilities).toMatchObject({ components: { standard: ['link'] }, commerce: { acp_checkout: false } })
    expect(data.response.ui_elements).toEqual([
      { type: 'link', data: { url: 'https://fable.example/small', label: 'Small kit' } },
    ])
  })

  it('keeps who the user is sealed, and only as far as they agreed', async () => {
    const email = `${randomUUID()}@people.example`
    const phone = '+49 555 0100'
    const identity = {
      consent_granted: true,
      consent_timestamp: '2026-03-01T11:59:00Z',
      consent_scope: ['email'],
      user: { email, phone },
    }
    const data = await begin({ identity, intent: `write to ${email}` })
    const row = await stored(data.session_id)
    expect(row.identity).toMatch(/^v1\./)
    const opened = agent.server.services.conversations.open(row.identity ?? '', `si_sessions/${data.session_id}/identity`)
    expect(JSON.parse(opened)).toEqual({ user: { email } })
    const { read } = agent.server.store
    for (const table of ['si_sessions', 'idempotency', 'tasks', 'audit_entries'] as const) {
      const text = JSON.stringify(await read.selectFrom(table).selectAll().execute())
      expect(text, table).not.toContain(email)
      expect(text, table).not.toContain(phone)
    }
  })

  it('takes no user without consent', async () => {
    const data = await begin({ identity: { consent_granted: false, user: { email: 'somebody@people.example' } } })
    expect(data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'identity.user' })
  })

  it('begins once for one key', async () => {
    const idempotency_key = randomUUID()
    const [first, second] = [await begin({ idempotency_key }), await begin({ idempotency_key })]
    expect(second).toMatchObject({ replayed: true, session_id: first.session_id })
  })

  it('refuses an offering that is not there or over', async () => {
    expect((await begin({ offering_id: 'nothing' })).adcp_error).toMatchObject({
      code: 'REFERENCE_NOT_FOUND',
      field: 'offering_id',
    })
    expect((await begin({ offering_id: 'old' })).adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'offering_id' })
  })

  it('ends at once when there is nothing to talk about, and keeps nothing', async () => {
    await agent.import({ ...BRANDS, offerings: [] })
    const data = await begin()
    expect(data).toMatchObject({ session_status: 'complete', response: { message: 'acme has nothing on offer right now.' } })
    expect(await stored(data.session_id)).toMatchObject({ identity: null, transcript: null })
    await agent.import(BRANDS)
  })
})
