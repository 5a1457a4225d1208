import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadContracts } from '../../../src/protocol/contracts.ts'
import { BRANDS, type BrandAgent, startBrandAgent } from '../../support/brand-agent.ts'

let agent: BrandAgent
beforeAll(async () => {
  agent = await startBrandAgent({ contracts: loadContracts() })
  const [heron, ...others] = BRANDS.brands
  if (!heron) throw new Error('there is no brand')
  await agent.import({ ...BRANDS, brands: [{ ...heron, industries: ['crafts', 'home_garden'] }, ...others] })
})
afterAll(() => agent?.stop())

const search = async (args: object, client = agent.buyer) =>
  (await client.call('search_brands', { adcp_version: '3.1', query: 'paper', ...args })).data
const idsOf = (data: { brands: readonly { brand_id: string }[] }) => data.brands.map(({ brand_id }) => brand_id)

describe('search_brands', () => {
  it('gives what everybody may see of the brands that fit, with industries of the taxonomy and the rights in summary', async () => {
    const { brands } = await search({})
    expect(brands).toEqual([
      {
        brand_id: 'heron',
        house: { domain: 'fable.example', name: 'Fable House' },
        names: [{ en: 'Heron', de: 'Reiher' }],
        description: 'Paper things',
        industries: ['home_garden'],
        logos: [{ url: 'https://fable.example/s.png' }],
        relationship_trust: 'inline',
        rights: expect.objectContaining({ available_uses: expect.arrayContaining(['likeness', 'sync']) }),
      },
    ])
  })

  it('gives all of them for a query that distinguishes nothing, the better match first', async () => {
    expect(idsOf(await search({ query: 'show all brands' }))).toEqual(['heron', 'plain'])
    expect(idsOf(await search({ query: 'plain' }))).toEqual(['plain'])
    expect(idsOf(await search({ query: 'submarines' }))).toEqual([])
  })

  it('filters by industry and by where a right can be had', async () => {
    expect(idsOf(await search({ query: 'brands', industries: ['home_garden'] }))).toEqual(['heron'])
    expect(idsOf(await search({ query: 'brands', industries: ['pets'] }))).toEqual([])
    expect(idsOf(await search({ query: 'brands', countries: ['US'] }))).toEqual(['heron'])
    await agent.import({
      version: 1,
      house: { domain: 'fable.example', name: 'Fable House' },
      brands: [{ brand_id: 'plain', names: [{ en: 'Plain' }] }],
    })
    expect(idsOf(await search({ query: 'brands', countries: ['US'] }))).toEqual([])
  })

  it('pages with a cursor', async () => {
    const brands = [1, 2, 3].map((n) => ({ brand_id: `b${n}`, names: [{ en: `Brand ${n}` }] }))
    await agent.import({ version: 1, house: { domain: 'fable.example', name: 'Fable House' }, brands })
    const first = await search({ query: 'brands', pagination: { max_results: 2 } })
    expect([idsOf(first), first.pagination.has_more]).toEqual([['b1', 'b2'], true])
    const next = await search({ query: 'brands', pagination: { max_results: 2, cursor: first.pagination.cursor } })
    expect([idsOf(next), next.pagination.has_more]).toEqual([['b3'], false])
  })
})
