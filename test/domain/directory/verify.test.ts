import { describe, expect, it } from 'vitest'
import { verifyAgentAuthorization } from '../../../src/domain/directory/verify.ts'
import { AGENT, entry, NOW, property } from './files.ts'

const now = new Date(NOW)
const home = property({ property_id: 'home' })
const grants = entry({ authorization_type: 'property_ids', property_ids: ['home'] })
const check = (file: unknown, publisherDomain?: string, agent = AGENT) =>
  verifyAgentAuthorization(file, agent, { now, ...(publisherDomain !== undefined && { publisherDomain }) })
const reason = (file: unknown, publisherDomain?: string, agent = AGENT) => {
  const result = check(file, publisherDomain, agent)
  return result.authorized ? 'authorized' : result.reason
}

describe('verifyAgentAuthorization', () => {
  it('gives the properties, the count and the pin', () => {
    const file = { properties: [home, property({ property_id: 'b' })], authorized_agents: [grants] }
    expect(check(file, 'pub.example', 'HTTPS://Agent.example:443/')).toEqual({
      authorized: true,
      agentUrl: AGENT,
      publishers: [
        {
          publisherDomain: 'pub.example',
          propertyIds: ['home'],
          propertiesTotal: 2,
          signingKeysPinned: false,
          properties: [home],
        },
      ],
    })
    expect(check(file)).toMatchObject({ authorized: true, publishers: [{ publisherDomain: undefined, propertyIds: ['home'] }] })
  })

  it('keeps the publishers of a manager file apart', () => {
    const file = {
      properties: ['a.example', 'b.example'].map((publisher_domain) => property({ publisher_domain, property_id: 'home' })),
      authorized_agents: [grants],
    }
    expect(check(file)).toMatchObject({ publishers: [{ publisherDomain: 'a.example' }, { publisherDomain: 'b.example' }] })
    expect(reason(file, 'c.example')).toBe('no_matching_property')
  })

  it.each([
    ['invalid_agent_url', { authorized_agents: [grants] }, undefined, 'foo'],
    ['invalid_publisher_domain', { authorized_agents: [grants] }, 'no domain', AGENT],
    ['invalid_file', 'text', undefined, AGENT],
    ['file_is_pointer', { authoritative_location: 'https://m.example/' }, undefined, AGENT],
    [
      'publisher_revoked',
      {
        properties: [home],
        authorized_agents: [grants],
        revoked_publisher_domains: [{ publisher_domain: 'PUB.example', revoked_at: '2026-01-01T00:00:00Z' }],
      },
      'pub.example',
      AGENT,
    ],
    ['agent_not_listed', { properties: [home], authorized_agents: [grants] }, undefined, 'https://other.example'],
    ['agent_not_listed', { properties: [home], authorized_agents: [] }, undefined, AGENT],
    ['entry_malformed', { properties: [home], authorized_agents: [{ url: AGENT }] }, undefined, AGENT],
    [
      'not_in_effect',
      { properties: [home], authorized_agents: [{ ...grants, effective_until: '2026-01-01T00:00:00Z' }] },
      undefined,
      AGENT,
    ],
    [
      'signals_only',
      { properties: [home], authorized_agents: [entry({ authorization_type: 'signal_ids', signal_ids: ['a'] })] },
      undefined,
      AGENT,
    ],
    ['no_matching_property', { properties: [property({ property_id: 'x' })], authorized_agents: [grants] }, undefined, AGENT],
    [
      'needs_publisher_file',
      {
        authorized_agents: [
          entry({
            authorization_type: 'publisher_properties',
            publisher_properties: [{ publisher_domain: 'd.example', selection_type: 'all' }],
          }),
        ],
      },
      undefined,
      AGENT,
    ],
  ])('says %s', (expected, file, publisher, agent) => expect(reason(file, publisher, agent)).toBe(expected))
})
