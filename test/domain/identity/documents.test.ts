import { describe, expect, it } from 'vitest'
import { verifyAgentAuthorization } from '../../../src/domain/directory/verify.ts'
import { adagentsJson, brandAgentEntry, brandJson } from '../../../src/domain/identity/documents.ts'
import { Schemas } from '../../../src/protocol/schemas.ts'

const schemas = new Schemas()
const address = { origin: 'https://ads.example.com', agentUrl: 'https://ads.example.com/mcp' }
const property = {
  property_id: 'news_site',
  property_type: 'website',
  name: 'News',
  identifiers: [{ type: 'domain', value: 'news.example' }],
  tags: ['premium'],
}

describe('documents of the agent', () => {
  it('follow the official schemas', () => {
    expect(schemas.validator('brand.json')(brandJson(address))).toEqual([])
    for (const properties of [[], [property]]) {
      const document = adagentsJson(address, { name: 'News', domain: 'news.example', properties })
      expect(schemas.validator('adagents.json')(document)).toEqual([])
    }
    expect(schemas.validator('brand.json')(brandJson({ ...address, agentUrl: 'http://ads.example.com/mcp' }))).not.toEqual([])
  })

  it('the entry has the URL as buyers compare it, and an id of legal characters', () => {
    expect(
      brandAgentEntry({ origin: 'https://ads-eu.example.com:8443', agentUrl: 'https://ads-eu.example.com:8443/mcp' }),
    ).toMatchObject({
      type: 'sales',
      id: 'sales_ads_eu_example_com',
      url: 'https://ads-eu.example.com:8443/mcp',
      jwks_uri: 'https://ads-eu.example.com:8443/.well-known/jwks.json',
    })
  })

  it('the file authorises the agent for every property, and nobody else', () => {
    const document = adagentsJson(address, { name: 'News', domain: 'news.example', properties: [property] })
    const options = { now: new Date('2026-01-01T00:00:00Z'), publisherDomain: 'news.example' }
    expect(verifyAgentAuthorization(document, address.agentUrl, options)).toMatchObject({
      authorized: true,
      publishers: [{ propertyIds: ['news_site'] }],
    })
    expect(verifyAgentAuthorization(document, 'https://evil.example/mcp', options)).toMatchObject({ authorized: false })
  })
})
