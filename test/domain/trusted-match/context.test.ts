import { describe, expect, it } from 'vitest'
import type { ContextRequest } from '../../../src/domain/trusted-match/context/context-messages.ts'
import { contextFaults, contextSignatureBase } from '../../../src/domain/trusted-match/context/context-signature-base.ts'
import { forwardedContext, servesContext } from '../../../src/domain/trusted-match/context/forwarded-context.ts'
import { mergeContext } from '../../../src/domain/trusted-match/context/merge-context.ts'
import { acceptedEpochs, dailyEpoch } from '../../../src/domain/trusted-match/daily-epoch.ts'
import { registrationFaults, timeoutOf } from '../../../src/domain/trusted-match/provider-registration.ts'

const REQUEST: ContextRequest = {
  type: 'context_match_request',
  request_id: 'ctx-1',
  property_rid: '01916f3a-9c4e-7000-8000-000000000010',
  placement_id: 'sidebar',
  seller_agent_url: 'HTTPS://Seller.example:443/mcp',
}
const answer = (providerId: string, priority: number, ids: readonly string[]) => ({
  providerId,
  priority,
  response: { request_id: 'ctx-1', offers: ids.map((package_id) => ({ package_id, summary: providerId })) },
})

describe('context match', () => {
  it('signs seven lines, with the address of the seller in canonical form and packages in byte order', () => {
    const base = contextSignatureBase(
      { ...REQUEST, package_ids: ['\u{1f600}', '\uffee', 'b'] },
      'https://provider.example/v1/',
      20_000,
    )
    expect(base.split('\n')).toEqual([
      'context_match_request',
      'https://seller.example/mcp',
      REQUEST.property_rid,
      'sidebar',
      'b,\uffee,\u{1f600}',
      'https://provider.example/v1',
      '20000',
    ])
    expect(contextSignatureBase(REQUEST, 'https://provider.example', 1).split('\n')[4]).toBe('')
  })

  it('refuses values that would run from one signed line into the next', () => {
    expect(contextFaults(REQUEST)).toEqual([])
    expect(contextFaults({ ...REQUEST, placement_id: 'a\nb' })).toEqual([
      'placement_id must hold no control character such as a line break',
    ])
    expect(contextFaults({ ...REQUEST, package_ids: ['a,b'] })).toEqual([
      'package_ids must hold no comma and no control character',
    ])
    expect(contextFaults({ ...REQUEST, seller_agent_url: 'urn:seller' })).toHaveLength(1)
  })

  it('gives a duplicate package to the lower priority, of equal ones to the first answer', () => {
    const merged = mergeContext('ctx-1', [
      answer('late', 5, ['p', 'q']),
      answer('first', 0, ['p']),
      answer('second', 0, ['p', 'r']),
    ])
    expect(merged.offers).toEqual([
      { package_id: 'p', summary: 'first' },
      { package_id: 'r', summary: 'second' },
      { package_id: 'q', summary: 'late' },
    ])
  })

  it('asks active providers of the property', () => {
    const provider = { provider_id: 'a', endpoint: 'https://a.example', context_match: true }
    expect(servesContext(provider, REQUEST)).toBe(true)
    expect(servesContext({ ...provider, properties: ['01916f3a-9c4e-7000-8000-000000000011'] }, REQUEST)).toBe(false)
    expect(servesContext({ ...provider, status: 'draining' }, REQUEST)).toBe(false)
    expect(servesContext({ ...provider, context_match: false }, REQUEST)).toBe(false)
  })

  it('forwards an artifact without credentials', () => {
    const assets = [
      {
        type: 'image',
        url: 'https://user:secret@cdn.example/a.png?X-Amz-Signature=1#part',
        access: { method: 'bearer_token', token: 't' },
      },
      { type: 'text', content: 'The word access stays.' },
    ]
    const forwarded = forwardedContext({ ...REQUEST, artifact: { artifact_id: 'a', assets } })
    expect(forwarded.artifact).toEqual({
      artifact_id: 'a',
      assets: [{ type: 'image', url: 'https://cdn.example/a.png' }, assets[1]],
    })
  })
})

describe('registrations', () => {
  it('are refused when one is there twice, or names more than a place', () => {
    const provider = (provider_id: string, endpoint: string) => ({ provider_id, endpoint })
    expect(registrationFaults([provider('a', 'https://a.example/v1'), provider('b', 'https://b.example/v1')])).toEqual([])
    expect(registrationFaults([provider('a', 'https://a.example/v1'), provider('b', 'https://A.example:443/v1/')])).toEqual([
      'providers a and b have the same endpoint; register it once',
    ])
    expect(registrationFaults([provider('a', 'https://a.example'), provider('a', 'https://b.example')])).toHaveLength(1)
    expect(registrationFaults([provider('a', 'https://u:p@a.example')])).toHaveLength(1)
    expect(registrationFaults([provider('a', 'https://a.example/?key=1')])).toHaveLength(1)
  })

  it('wait no longer than the router may', () => {
    const provider = { provider_id: 'a', endpoint: 'https://a.example' }
    expect(timeoutOf(provider, 40)).toBe(40)
    expect(timeoutOf({ ...provider, timeout_ms: 20 }, 40)).toBe(20)
  })

  it('are signed for the day in UTC, and yesterday still counts', () => {
    expect(dailyEpoch(new Date('1970-01-02T00:00:00Z'))).toBe(1)
    expect(acceptedEpochs(new Date('1970-01-11T23:59:59Z'))).toEqual([10, 9])
  })
})
