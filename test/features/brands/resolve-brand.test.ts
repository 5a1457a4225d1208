import { beforeEach, describe, expect, it } from 'vitest'
import { createBrandResolver } from '../../../src/features/brands/resolve-brand.ts'
import { parseJson } from '../../../src/platform/decode/parse-json.ts'

const NOW = new Date('2026-03-01T12:00:00Z')
const at = (domain: string) => `https://${domain}/.well-known/brand.json`

let files: Record<string, unknown>
let fetched: string[]
beforeEach(() => {
  files = {}
  fetched = []
})

function resolver() {
  return createBrandResolver({
    parseJson,
    async fetchDocument(url) {
      fetched.push(url)
      const file = files[url]
      if (file === 'down') throw new Error('no route')
      if (file === undefined) return { status: 404, body: Buffer.from('') }
      return { status: 200, body: Buffer.from(typeof file === 'string' ? file : JSON.stringify(file)) }
    },
  })
}
const resolve = (domain: string, options: { brandId?: string; now?: Date; fresh?: boolean } = {}, from = resolver()) =>
  from.resolve(domain, { now: NOW, ...options })
const agent = (type: string, host: string) => ({ type, id: type, url: `https://${host}/mcp` })

const PORTFOLIO = {
  house: { domain: 'house.example', name: 'House', agents: [agent('sales', 'house.example'), agent('brand', 'house.example')] },
  brands: [
    {
      id: 'tea',
      names: [{ en: 'Tea' }],
      url: 'https://www.tea.example/',
      industries: ['food'],
      agents: [agent('brand', 'tea.example')],
    },
    { id: 'cup', names: [{ en: 'Cup' }], properties: [{ type: 'website', identifier: 'cup.example' }] },
  ],
  brand_refs: [
    { domain: 'leaf.example', brand_id: 'leaf' },
    { domain: 'shy.example', brand_id: 'shy' },
    { domain: 'lost.example', brand_id: 'lost' },
  ],
  authorized_operators: [
    { domain: 'agency.example', brands: ['tea'] },
    { domain: 'everything.example', brands: ['*'] },
    { domain: 'former.example', brands: ['*'], valid_until: '2026-01-01T00:00:00Z' },
    { domain: 'coming.example', brands: ['*'], valid_from: '2026-06-01T00:00:00Z' },
  ],
}

describe('resolving brands', () => {
  it('finds the brand of a portfolio by id, by its own address, by a property, or leaves it open', async () => {
    files[at('house.example')] = PORTFOLIO
    files[at('tea.example')] = { house: 'house.example' }
    files[at('cup.example')] = { authoritative_location: at('house.example') }
    const tea = await resolve('tea.example')
    expect(tea).toMatchObject({
      ok: true,
      brand: {
        domain: 'tea.example',
        house: { domain: 'house.example', name: 'House' },
        trust: 'inline',
        brand: { id: 'tea', industries: ['food'] },
        files: [at('tea.example'), at('house.example')],
      },
    })
    const found = async (domain: string, brandId?: string) => {
      const result = await resolve(domain, brandId === undefined ? {} : { brandId })
      return result.ok ? result.brand.brand?.id : result.reason
    }
    expect(await found('cup.example')).toBe('cup')
    expect(await found('house.example', 'cup')).toBe('cup')
    expect(await found('house.example')).toBeUndefined()
    expect(await found('house.example', 'none')).toBe('not_found')
  })

  it("a brand's agents come before those of its house, and operators count by brand and time", async () => {
    files[at('house.example')] = PORTFOLIO
    const result = await resolve('house.example', { brandId: 'tea' })
    if (!result.ok) throw new Error(result.reason)
    expect(result.brand.agents.map(({ type, url }) => `${type} ${url}`)).toEqual([
      'brand https://tea.example/mcp',
      'sales https://house.example/mcp',
    ])
    expect(result.brand.operators.map(({ domain }) => domain)).toEqual(['agency.example', 'everything.example'])
    const other = await resolve('house.example', { brandId: 'cup' })
    expect(other.ok && other.brand.operators.map(({ domain }) => domain)).toEqual(['everything.example'])
  })

  it('says how a brand with its own file and its house vouch for each other', async () => {
    files[at('house.example')] = PORTFOLIO
    files[at('leaf.example')] = { names: [{ en: 'Leaf' }], house_domain: 'house.example', industries: ['garden'] }
    files[at('shy.example')] = { names: [{ en: 'Shy' }] }
    files[at('stranger.example')] = { names: [{ en: 'Stranger' }], house_domain: 'house.example' }
    files[at('orphan.example')] = { names: [{ en: 'Orphan' }], house_domain: 'nowhere.example' }
    const trust = async (domain: string, brandId?: string) => {
      const result = await resolve(domain, brandId === undefined ? {} : { brandId })
      return result.ok ? [result.brand.trust, result.brand.house?.domain, result.brand.claimedHouseDomain] : result.reason
    }
    expect(await trust('leaf.example')).toEqual(['mutual', 'house.example', 'house.example'])
    expect(await trust('house.example', 'leaf')).toEqual(['mutual', 'house.example', 'house.example'])
    expect(await trust('shy.example')).toEqual(['standalone', undefined, undefined])
    expect(await trust('house.example', 'shy')).toEqual(['house_only', 'house.example', undefined])
    expect(await trust('house.example', 'lost')).toEqual(['unverifiable', 'house.example', undefined])
    expect(await trust('stranger.example')).toEqual(['leaf_only', undefined, 'house.example'])
    expect(await trust('orphan.example')).toEqual(['unverifiable', undefined, 'nowhere.example'])
  })

  it('takes a file of agents alone, and older names of agents', async () => {
    files[at('agents.example')] = {
      agents: [agent('sales', 'a.example')],
      brand_agent: { url: 'https://b.example/mcp', id: 'b' },
    }
    const result = await resolve('agents.example')
    expect(result).toMatchObject({
      ok: true,
      brand: { trust: 'standalone', agents: [{ type: 'sales' }, { type: 'brand', id: 'b' }] },
    })
  })

  it.each([
    ['no file', undefined, 'not_found'],
    ['a host that is away', 'down', 'unreachable'],
    ['no JSON', '<html>', 'malformed'],
    ['a key twice', '{"house":"a.example","house":"b.example"}', 'malformed'],
    ['none of the variants', { hello: 1 }, 'malformed'],
    ['a redirect to plain http', { authoritative_location: 'http://x.example/brand.json' }, 'malformed'],
    ['a redirect that does not hold yet', { house: 'house.example', redirect_effective_at: '2027-01-01T00:00:00Z' }, 'not_found'],
    ['a circle', { authoritative_location: at('x.example') }, 'malformed'],
  ])('%s is %s', async (_what, file, reason) => {
    if (file !== undefined) files[at('x.example')] = file
    expect(await resolve('x.example')).toMatchObject({ ok: false, reason })
  })

  it('follows redirects no further than a house can be away, and asks nobody for what is no domain', async () => {
    for (const n of [1, 2, 3, 4]) files[at(`hop${n}.example`)] = { authoritative_location: at(`hop${n + 1}.example`) }
    expect(await resolve('hop1.example')).toMatchObject({ ok: false, reason: 'malformed' })
    expect(fetched).toHaveLength(3)
    expect(await resolve('localhost')).toEqual({ ok: false, reason: 'not_found', files: [] })
    expect(await resolve('x.example/../y')).toMatchObject({ ok: false })
    expect(fetched).toHaveLength(3)
  })

  it('keeps what it read for a quarter of an hour, failures for a minute, and asks anew on demand', async () => {
    const one = resolver()
    const later = (minutes: number) => ({ now: new Date(NOW.getTime() + minutes * 60_000) })
    files[at('kept.example')] = { names: [{ en: 'Kept' }] }
    await resolve('kept.example', {}, one)
    await resolve('kept.example', later(14.9), one)
    expect(fetched).toHaveLength(1)
    await resolve('kept.example', later(15.1), one)
    await resolve('kept.example', { ...later(15.2), fresh: true }, one)
    expect(fetched).toHaveLength(3)
    await resolve('missing.example', {}, one)
    await resolve('missing.example', later(0.9), one)
    expect(fetched).toHaveLength(4)
    await resolve('missing.example', later(1.1), one)
    expect(fetched).toHaveLength(5)
  })
})
