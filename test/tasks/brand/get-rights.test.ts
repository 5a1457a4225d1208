import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BRANDS, type BrandAgent, FIGURE, startBrandAgent } from '../../support/brand-agent.ts'

let agent: BrandAgent
beforeAll(async () => {
  agent = await startBrandAgent()
})
afterAll(() => agent.stop())

const ask = async (args: object = {}) =>
  (await agent.buyer.call('get_rights', { query: 'a drawn figure about nature', uses: ['likeness'], ...args })).data

describe('get_rights', () => {
  it('finds what has the uses, with the prices for them and without the rules behind it', async () => {
    const data = await ask()
    expect(data.rights).toHaveLength(1)
    const [right] = data.rights
    expect(right).toMatchObject({
      rights_id: 'heron',
      brand_id: 'heron',
      countries: ['US', 'DE', 'NL'],
      exclusivity_status: { available: true },
    })
    expect(right.match_reasons.join(' ')).toMatch(/likeness.*draw.*natur/)
    expect(right.pricing_options.map((option: { pricing_option_id: string }) => option.pricing_option_id)).toEqual([
      'month',
      'cpm',
      'only',
    ])
    expect(JSON.stringify(data)).not.toMatch(/tobacco|rival|clearance|studio/)
    expect(data.pagination).toEqual({ has_more: false, total_count: 1 })
  })

  it('ranks by the words of the query', async () => {
    const image = { ...FIGURE, rights_id: 'otter', name: 'The stone otter', description: 'Sculpted otter for rivers' }
    await agent.import({ ...BRANDS, rights: [FIGURE, image] })
    const ids = async (query: string) => (await ask({ query })).rights.map((right: { rights_id: string }) => right.rights_id)
    expect(await ids('sculpted otter')).toEqual(['otter', 'heron'])
    expect(await ids('drawn heron')).toEqual(['heron', 'otter'])
    const first = await ask({ pagination: { max_results: 1 } })
    expect(first.pagination).toMatchObject({ has_more: true, total_count: 2 })
    const second = await ask({ pagination: { max_results: 1, cursor: first.pagination.cursor } })
    expect([first, second].map(({ rights }) => rights[0].rights_id)).toEqual(['heron', 'otter'])
    expect(second.pagination.has_more).toBe(false)
    const foreign = await ask({ query: 'another', pagination: { cursor: first.pagination.cursor } })
    expect(foreign.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'pagination.cursor' })
    await agent.import(BRANDS)
  })

  it('says why something cannot be had, when asked, and never names a rule', async () => {
    const excluded = async (args: object) => (await ask({ include_excluded: true, ...args })).excluded
    expect(await excluded({ countries: ['FR'] })).toContainEqual({
      brand_id: 'heron',
      name: 'The paper heron',
      reason: 'not available in FR',
      suggestions: ['available in US, DE'],
    })
    expect(await excluded({ countries: ['NL'] })).toContainEqual(expect.objectContaining({ reason: 'not available in NL' }))
    expect(await excluded({ uses: ['voice'] })).toContainEqual(expect.objectContaining({ reason: 'not available for voice' }))
    for (const buyer of [{ domain: 'smoke.example', industries: ['tobacco'] }, { domain: 'shop.rival.example' }]) {
      const list = await excluded({ buyer_brand: buyer })
      expect(list[0]).toEqual({
        brand_id: 'heron',
        name: 'The paper heron',
        reason: 'does not go with the guidelines of this brand',
      })
    }
    expect(await ask({ countries: ['FR'] })).not.toHaveProperty('excluded')
  })

  it('narrows to a brand and a type', async () => {
    expect((await ask({ brand_id: 'plain' })).rights).toEqual([])
    expect((await ask({ uses: ['sync'], right_type: 'music' })).rights).toHaveLength(1)
    expect((await ask({ uses: ['sync'], right_type: 'talent' })).rights).toEqual([])
  })

  it('needs credentials', async () => {
    const { data } = await agent.client().call('get_rights', { query: 'x', uses: ['likeness'] })
    expect(data.adcp_error ?? data.error).toMatchObject({ code: expect.stringMatching(/AUTH/) })
  })
})
