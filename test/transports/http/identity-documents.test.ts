import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { BrandsFile } from '../../../src/domain/brand/brands-file.ts'
import { fetchAgentAuthorizations } from '../../../src/features/directory/client.ts'
import { Schemas } from '../../../src/protocol/schemas.ts'
import { saveBrands } from '../../../src/store/brand/brands.ts'
import { startFakeWeb, wellKnown } from '../../support/fake-web/fake-web.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

const schemas = new Schemas()
let agent: TestAgent
let local: TestAgent

beforeAll(async () => {
  agent = await startAgent({ demo: true, flags: { publicUrl: 'https://ads.seller.example' } })
  await agent.addBuyer({ principal: 'buyer', tenant: 'globex' })
  local = await startAgent()
})
afterAll(async () => {
  await agent.stop()
  await local.stop()
})

const get = (from: TestAgent, path: string, headers: Record<string, string> = {}) =>
  fetch(from.url.replace('/mcp', path), { headers })

// biome-ignore lint/suspicious/noExplicitAny: the schema of it is tested before
const documentAt = async (path: string): Promise<any> => (await get(agent, path)).json()

describe('documents of the agent', () => {
  it.each([
    ['/.well-known/brand.json', 'brand.json'],
    ['/.well-known/adagents.json', 'adagents.json'],
    ['/t/globex/.well-known/adagents.json', 'adagents.json'],
    ['/t/demo/.well-known/brand.json', 'brand.json'],
    ['/t/globex/.well-known/brand.json', 'brand.json'],
  ])('%s follows its official schema and has an ETag', async (path, schema) => {
    const answer = await get(agent, path)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(schemas.validator(schema)(await answer.json())).toEqual([])
    const etag = answer.headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[\w-]+"$/)
    for (const held of [etag, `"other", W/${etag}`, '*']) {
      expect((await get(agent, path, { 'if-none-match': held })).status, held).toBe(304)
    }
    expect((await get(agent, path, { 'if-none-match': '"other"' })).status).toBe(200)
  })

  it('the key set has an ETag as well', async () => {
    const answer = await get(agent, '/.well-known/jwks.json')
    expect(await (await get(agent, '/t/globex/.well-known/jwks.json')).json()).toEqual(await answer.json())
    const held = { 'if-none-match': answer.headers.get('etag') ?? '' }
    expect((await get(agent, '/.well-known/jwks.json', held)).status).toBe(304)
  })

  it('the brand.json of a publisher holds its house, the agent, and its own brands as everybody may see them', async () => {
    const house = { domain: 'harborline.example', name: 'Harborline' }
    const brand = (brand_id: string, more: object = {}) => ({ brand_id, names: [{ en: brand_id }], ...more })
    const brands = [
      brand('harbor_news', { tone: { voice: 'for linked accounts' }, tagline: 'News' }),
      brand('another', { house: { domain: 'other.example', name: 'Other' } }),
    ]
    await agent.server.store.transaction((tx) =>
      saveBrands(tx, 'globex', { version: 1, house, brands } as BrandsFile, new Date()),
    )
    const document = await documentAt('/t/globex/.well-known/brand.json')
    expect(schemas.validator('brand.json')(document)).toEqual([])
    const agents = [
      { type: 'sales', url: 'https://ads.seller.example/mcp' },
      { type: 'brand', url: 'https://ads.seller.example/t/globex/mcp' },
      { type: 'rights', url: 'https://ads.seller.example/t/globex/rights/mcp' },
    ]
    expect(document.house).toMatchObject({ ...house, agents })
    expect(document.brands).toEqual([
      {
        id: 'harbor_news',
        names: [{ en: 'harbor_news' }],
        tagline: 'News',
        brand_agent: { url: 'https://ads.seller.example/mcp', id: 'harbor_news' },
      },
    ])
    expect((await get(agent, '/t/nobody/.well-known/brand.json')).status).toBe(404)
  })

  it('a publisher can point at its file: the agent is found through authoritative_location', async () => {
    const hosted = 'https://ads.seller.example/t/globex/.well-known/adagents.json'
    const web = await startFakeWeb()
    web.put(wellKnown('globex.example'), { authoritative_location: hosted })
    web.put(hosted, await documentAt('/t/globex/.well-known/adagents.json'))
    const answers = await fetchAgentAuthorizations('https://ads.seller.example/mcp', ['globex.example'], { fetch: web.fetch() })
    await web.close()
    expect(answers.get('globex.example')).toMatchObject({
      authorized: true,
      discoveryMethod: 'authoritative_location',
      managerDomain: 'ads.seller.example',
      propertyIds: ['site'],
    })
  })

  it('are of the tenant that the path names', async () => {
    const demo = await documentAt('/.well-known/adagents.json')
    const globex = await documentAt('/t/globex/.well-known/adagents.json')
    expect(demo.contact.domain).not.toBe(globex.contact.domain)
    expect(demo.properties.length).toBeGreaterThan(0)
    expect(globex.properties).toMatchObject([{ identifiers: [{ type: 'domain', value: 'globex.example' }] }])
    expect((await get(agent, '/t/nobody/.well-known/adagents.json')).status).toBe(404)
  })

  it('the capabilities say where the chain begins', async () => {
    const { data } = await agent.buyer.call('get_adcp_capabilities')
    expect(data.identity).toEqual({
      brand_json_url: 'https://ads.seller.example/.well-known/brand.json',
      key_origins: { request_signing: 'https://ads.seller.example', webhook_signing: 'https://ads.seller.example' },
    })
  })

  it('are absent while there is no https address', async () => {
    expect((await get(local, '/.well-known/brand.json')).status).toBe(404)
    expect((await get(local, '/.well-known/adagents.json')).status).toBe(404)
    expect((await local.buyer.call('get_adcp_capabilities')).data.identity).toBeUndefined()
  })
})
