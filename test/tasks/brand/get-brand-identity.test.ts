import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BrandAgent, startBrandAgent } from '../../support/brand-agent.ts'

let agent: BrandAgent
beforeAll(async () => {
  agent = await startBrandAgent()
})
afterAll(() => agent.stop())

const of = async (args: object, client = agent.buyer) =>
  (await client.call('get_brand_identity', { brand_id: 'heron', ...args })).data

describe('get_brand_identity', () => {
  it('shows a linked caller everything, with the rights in summary', async () => {
    const data = await of({})
    expect(data).toMatchObject({
      brand_id: 'heron',
      house: { domain: 'fable.example', name: 'Fable House' },
      names: [{ en: 'Heron', de: 'Reiher' }],
      tone: { voice: 'calm' },
      voice_synthesis: { voice_id: 'heron' },
      rights: {
        available_uses: ['likeness', 'commercial', 'ai_generated_image', 'sync', 'background_music'],
        exclusivity_model: 'optional',
        content_restrictions: ['the heron is never caged'],
      },
    })
    expect(data.logos).toEqual([{ url: 'https://fable.example/s.png' }, { url: 'https://fable.example/xl.png' }])
    expect(data.assets.map((asset: { asset_id: string }) => asset.asset_id)).toEqual(['sheet', 'jingle'])
    expect(data).not.toHaveProperty('available_fields')
    expect(JSON.stringify(data)).not.toContain('"audience"')
  })

  it('shows an agent without an account the core, and says what an account would add', async () => {
    const stranger = agent.client(await agent.addBuyer({ principal: 'stranger' }))
    const data = await of({}, stranger)
    expect(data).toMatchObject({ description: 'Paper things', industries: ['crafts'], tagline: 'Fold it.' })
    expect(data.logos).toEqual([{ url: 'https://fable.example/s.png' }])
    for (const withheld of ['colors', 'tone', 'voice_synthesis', 'assets', 'rights']) expect(data).not.toHaveProperty(withheld)
    expect(data.available_fields.toSorted()).toEqual(['assets', 'colors', 'logos', 'rights', 'tone', 'voice_synthesis'])
  })

  it('keeps to the sections that were asked for', async () => {
    const data = await of({ fields: ['tone', 'fonts'] })
    expect(data).toMatchObject({ tone: { voice: 'calm' } })
    for (const other of ['description', 'logos', 'colors', 'fonts']) expect(data).not.toHaveProperty(other)
  })

  it('tailors to a use case', async () => {
    const likeness = await of({ use_case: 'likeness' })
    expect(likeness.assets.map((asset: { asset_id: string }) => asset.asset_id)).toEqual(['sheet'])
    expect(likeness).not.toHaveProperty('voice_synthesis')
    expect(await of({ use_case: 'voice_synthesis' })).toMatchObject({ voice_synthesis: { provider: 'voices' } })
  })

  it('has nothing to say of a brand that it does not have, or of another publisher', async () => {
    expect((await of({ brand_id: 'nobody' })).adcp_error).toMatchObject({ code: 'BRAND_NOT_FOUND', field: 'brand_id' })
    const other = agent.client(await agent.addBuyer({ principal: 'elsewhere', tenant: 'other' }))
    expect((await of({}, other)).adcp_error).toMatchObject({ code: 'BRAND_NOT_FOUND' })
  })

  it('is declared where there are brands', async () => {
    const before = await agent.buyer.call('get_adcp_capabilities', {})
    expect(before.data.supported_protocols).toEqual(expect.arrayContaining(['brand', 'sponsored_intelligence']))
    expect(before.data.brand).toMatchObject({
      rights: true,
      right_types: ['character', 'music'],
      generation_providers: ['studio'],
    })
    expect(before.data.specialisms).toContain('brand-rights')
    const other = agent.client(await agent.addBuyer({ principal: 'without', tenant: 'bare' }))
    const bare = (await other.call('get_adcp_capabilities', {})).data
    expect(bare.supported_protocols).not.toContain('brand')
    expect(bare.specialisms).not.toContain('brand-rights')
  })
})
