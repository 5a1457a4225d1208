import { describe, expect, it } from 'vitest'
import { carriesWebhookCredentials, requireSignature, type UnsignedCall } from '../../../src/security/signing/requirement.ts'

const requirement = { requiredFor: new Set(['create_media_buy']), protocolMethodsRequiredFor: new Set(['tasks/cancel']) }

function code(call: Partial<UnsignedCall>): string {
  try {
    requireSignature({ method: 'tools/call', payload: {}, hasOtherCredential: false, ...call }, requirement)
    return 'allowed'
  } catch (error) {
    return String((error as { signatureCode?: string }).signatureCode)
  }
}

describe('requireSignature', () => {
  it.each([
    ['a tool of the list', { tool: 'create_media_buy' }, 'request_signature_required'],
    ['with another credential', { tool: 'create_media_buy', hasOtherCredential: true }, 'allowed'],
    ['another tool', { tool: 'get_products' }, 'allowed'],
    ['a method of the list (vector 028 of 3.1)', { method: 'tasks/cancel' }, 'request_signature_required'],
    ['a tool named like a method', { tool: 'tasks/cancel' }, 'allowed'],
    ['a method named like a tool', { method: 'create_media_buy' }, 'allowed'],
  ])('%s: %s', (_name, call, expected) => expect(code(call)).toBe(expected))

  it('webhook credentials need a signature even beside a valid credential', () => {
    const payload = { push_notification_config: { url: 'https://a.example', authentication: { scheme: 'Bearer' } } }
    expect(code({ tool: 'get_products', payload, hasOtherCredential: true })).toBe('request_signature_required')
  })
})

describe('carriesWebhookCredentials', () => {
  const authentication = { schemes: ['Bearer'], credentials: 'x' }
  it.each([
    ['push_notification_config', { push_notification_config: { authentication } }],
    ['camel case', { params: { pushNotificationConfig: { authentication } } }],
    ['accounts', { accounts: [{ notification_configs: [{ url: 'a' }, { authentication }] }] }],
    ['a batch', [{ params: {} }, { params: { push_notification_config: { authentication } } }]],
  ])('%s', (_name, payload) => expect(carriesWebhookCredentials(payload)).toBe(true))

  it.each([
    ['nothing', undefined],
    ['no authentication', { push_notification_config: { url: 'a' } }],
    ['reports, whose schema requires it', { reporting_webhook: { authentication } }],
    ['artifacts, whose schema requires it', { artifact_webhook: { authentication } }],
    ['an empty one', { push_notification_config: { authentication: {} } }],
    ['authentication elsewhere', { authentication }],
    ['a text', { push_notification_config: 'authentication' }],
  ])('not: %s', (_name, payload) => expect(carriesWebhookCredentials(payload)).toBe(false))

  it('depth is no hiding place', () => {
    let payload: unknown = {}
    for (let i = 0; i < 70; i++) payload = { a: payload }
    expect(carriesWebhookCredentials(payload)).toBe(true)
  })
})
