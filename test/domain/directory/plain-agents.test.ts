import { describe, expect, it } from 'vitest'
import { parseAdagents } from '../../../src/domain/directory/adagents-file.ts'
import { verifyAgentAuthorization } from '../../../src/domain/directory/verify.ts'

const AGENT = 'https://agent.example/mcp'
const NOW = new Date('2026-03-01T00:00:00Z')
const short = {
  version: '1.0',
  publisher: { name: 'Example News', domain: 'news.example' },
  agents: [{ url: AGENT, protocol: 'mcp', capabilities: ['get_products'] }],
}
const verify = (file: object, publisherDomain = 'news.example') =>
  verifyAgentAuthorization(file, AGENT, { now: NOW, publisherDomain })

describe('the short form of adagents.json', () => {
  it('stands for the site of the publisher that serves it', () => {
    expect(verify(short)).toMatchObject({
      authorized: true,
      publishers: [{ publisherDomain: 'news.example', propertyIds: ['auto_website_domain_news_2eexample'], propertiesTotal: 1 }],
    })
  })

  it('grants every property that it lists', () => {
    const properties = ['home', 'app'].map((property_id) => ({
      property_type: 'website',
      name: property_id,
      property_id,
      identifiers: [{ type: 'domain', value: 'news.example' }],
    }))
    expect(verify({ ...short, properties })).toMatchObject({ publishers: [{ propertyIds: ['app', 'home'] }] })
  })

  it('grants nothing to an agent that it does not name, nothing without a publisher, nothing to a revoked one', () => {
    expect(verify({ ...short, agents: [] })).toMatchObject({ authorized: false, reason: 'agent_not_listed' })
    expect(verify({ agents: short.agents })).toMatchObject({ authorized: false, reason: 'no_matching_property' })
    const revoked_publisher_domains = [{ publisher_domain: 'news.example', revoked_at: '2026-01-01T00:00:00Z' }]
    expect(verify({ ...short, revoked_publisher_domains })).toMatchObject({ authorized: false, reason: 'publisher_revoked' })
  })

  it('counts for nothing beside the official form', () => {
    expect(verify({ ...short, authorized_agents: [] })).toMatchObject({ authorized: false, reason: 'agent_not_listed' })
  })

  it('skips a malformed agent alone', () => {
    const read = parseAdagents({ ...short, agents: [{ protocol: 'mcp' }, ...short.agents] })
    expect(read.warnings).toEqual([{ path: 'agents[0]', reason: 'has no usable url' }])
    expect('file' in read && read.file.kind === 'inline' && read.file.agents).toHaveLength(1)
  })
})
