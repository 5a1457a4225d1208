import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LINES, type ReleaseAgent, startReleaseAgent } from '../support/release-agent.ts'

let agent: ReleaseAgent
beforeAll(async () => {
  agent = await startReleaseAgent()
})
afterAll(() => agent.stop())

const identity = { consent_granted: false, anonymous_session_id: 'anonymous-1' }
const OFFERING = { offering_id: 'novamotors_conversational_v1', include_products: true }

describe.each(LINES.filter((line) => line !== '3.0'))('what a brand says in a conversation under AdCP %s', (line) => {
  test('names who pays for it, and the label that it owes', async () => {
    const { data: offering } = await agent.ask(line, 'si_get_offering', OFFERING)
    expect(offering.sponsored_context).toMatchObject({
      paying_principal: { brand: { domain: expect.any(String), brand_id: 'nova_motors' }, display_name: 'Nova Motors' },
      context_use: 'comparison_set',
      disclosure_obligation: { required: true, label_text: 'Sponsored by Nova Motors' },
      declared_by: { role: 'brand_agent' },
    })
    const { offering_token } = offering
    const { data: session } = await agent.ask(line, 'si_initiate_session', { intent: 'a long trip', identity, offering_token })
    expect(session.sponsored_context.paying_principal).toEqual(offering.sponsored_context.paying_principal)
    const { session_id } = session
    const { data: reply } = await agent.ask(line, 'si_send_message', { session_id, message: 'the first one' })
    expect(reply.sponsored_context).toMatchObject({ context_use: 'presentation_only' })
  })

  test('is accepted as it was declared, or refused', async () => {
    const { data: offering } = await agent.ask(line, 'si_get_offering', OFFERING)
    const { sponsored_context, offering_token } = offering
    const begin = (host_receipt: object) =>
      agent.ask(line, 'si_initiate_session', {
        intent: 'a long trip',
        identity,
        offering_token,
        sponsored_context_receipt: { sponsored_context, host_receipt: { received_at: '2026-03-16T12:00:00Z', ...host_receipt } },
      })
    const disclosure_commitment = { status: 'accepted' }
    const accepted = await begin({ status: 'accepted', accepted_context_use: 'comparison_set', disclosure_commitment })
    expect(accepted.data.session_status).toBe('active')
    const narrowed = await begin({ status: 'accepted', accepted_context_use: 'presentation_only', disclosure_commitment })
    expect(narrowed.data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: expect.stringContaining('host_receipt') })
    const undisclosed = await begin({
      status: 'accepted',
      accepted_context_use: 'comparison_set',
      disclosure_commitment: { status: 'not_required' },
    })
    expect(undisclosed.data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST' })
    const refused = await begin({ status: 'rejected', rejection_reason: 'no room for a label' })
    expect(refused.data.session_status).toBe('active')
  })
})

test('3.0 does not know it', async () => {
  expect((await agent.ask('3.0', 'si_get_offering', OFFERING)).data).not.toHaveProperty('sponsored_context')
})
