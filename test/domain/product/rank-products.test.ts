import { describe, expect, it } from 'vitest'
import { readBrief } from '../../../src/domain/product/brief.ts'
import { hintsOf } from '../../../src/domain/product/brief-hints.ts'
import { termsOf } from '../../../src/domain/product/brief-terms.ts'
import { buildIndex } from '../../../src/domain/product/product-index.ts'
import { rankProducts } from '../../../src/domain/product/rank-products.ts'
import { relevanceOf } from '../../../src/domain/product/relevance.ts'
import { demoProducts } from '../../support/demo-products.ts'

const products = demoProducts()
const index = buildIndex(products)
const rank = (brief: string) => rankProducts(index, readBrief(brief))
const top = (brief: string) => rank(brief)[0]?.product
const channelsOf = (brief: string, count: number) =>
  rank(brief)
    .slice(0, count)
    .flatMap(({ product }) => product.offer.channels)

describe('rankProducts', () => {
  it.each([
    ['Connected TV on outdoor lifestyle content', 'ctv_outdoor_documentaries'],
    ['Display inventory on outdoor lifestyle content', 'outdoor_lifestyle_display'],
    ['National primetime broadcast spots', 'linear_primetime'],
    ['Premium video with measurement guarantees', 'premium_video_measured'],
    ['host read podcast about sports', 'podcast_second_half_host_read'],
    ['pedestrian billboards in New York', 'dooh_quayside_network'],
    ['recipes and home cooks, video', 'kitchen_video'],
    ['leads, pay per acquisition', 'lead_generation_display'],
  ])('%s → %s', (brief, id) => expect(top(brief)?.id).toBe(id))

  it.each([
    ['weekly report', []],
    ['reporting every week', []],
    ['two weeks before Christmas', ['christma']],
    ['three a day', []],
    ['twice per week on the Weekly Outdoor Report', ['weekly', 'outdoor', 'report']],
    ['sports for 30 second spots', ['sport', '30', 'second', 'spot']],
  ])('says that "%s" asks for %j of the media', (brief, terms) => expect(termsOf(brief)).toEqual(terms))

  it.each([
    ['banner ads', ['display']],
    ['digital out-of-home', ['dooh']],
    ['radio', ['streaming_audio']],
    ['podcasts', ['podcast']],
  ])('knows that "%s" asks for %s', (brief, channels) => expect(new Set(channelsOf(brief, 3))).toEqual(new Set(channels)))

  it('reads "TV" as connected and linear television', () => {
    expect(new Set(channelsOf('TV', 8))).toEqual(new Set(['ctv', 'linear_tv']))
  })

  it('lowers what country, currency or budget rule out', () => {
    const place = (brief: string, id: string) => rank(brief).findIndex(({ product }) => product.id === id)
    expect(place('display news in the United Kingdom, £5,000', 'uk_news_display')).toBe(0)
    expect(
      rank('display news, US, $5,000')
        .slice(0, 3)
        .map(({ product }) => product.id),
    ).not.toContain('uk_news_display')
    expect(top('primetime broadcast, $2,000')?.id).not.toBe('linear_primetime')
  })

  it.each([
    ['sports fans, no TV, radio or podcasts', ['ctv', 'linear_tv', 'streaming_audio', 'podcast']],
    ['sport on screens that are no linear TV', ['linear_tv']],
    ['Sport und Nachrichten, kein Fernsehen', ['ctv', 'linear_tv']],
    ['football fans rather than display', ['display']],
  ])('leaves out the media that "%s" excludes', (brief, channels) => {
    const found = rank(brief).flatMap(({ product }) => product.offer.channels ?? [])
    expect(found.length).toBeGreaterThan(0)
    expect(found.filter((channel) => channels.includes(channel))).toEqual([])
  })

  it('puts excluded subjects last, and excludes nothing by "no more than" or "not only"', () => {
    const [all, without] = ['podcast', 'podcast, nothing about hiking'].map((brief) =>
      rank(brief).map(({ product }) => product.id),
    )
    expect(all).toContain('podcast_trail_notes_midroll')
    expect(without).not.toContain('podcast_trail_notes_midroll')
    for (const brief of ['not only podcast', 'podcast, no more than $25 CPM']) expect(channelsOf(brief, 1)).toEqual(['podcast'])
  })

  it.each([
    ['people in London', 'dooh_london_bridge'],
    ['fotboll och sport', 'sport_display'],
    ['Pendler am Morgen', 'linear_morning_news'],
    ['readers who cook', 'kitchen_video'],
    ['vidéo au Royaume-Uni', 'uk_video'],
  ])('reads "%s"', (brief, id) =>
    expect(
      rank(brief)
        .slice(0, 3)
        .map(({ product }) => product.id),
    ).toContain(id),
  )

  it('does not take what an advertiser sells for a medium', () => {
    expect(channelsOf('TV maker: sports fans', 1)).toEqual(['display'])
    expect(channelsOf('A podcast app for football fans, banner', 1)).toEqual(['display'])
  })

  it('is deterministic and preserves the publisher’s order among equals', () => {
    expect(rank('display')).toEqual(rank('display'))
    const equal = rank('zzz')
    expect(equal.map(({ product }) => product)).toEqual(products)
    expect(equal.every(({ score }) => score === 0)).toBe(true)
  })

  it('ranks ten thousand products', () => {
    const many = buildIndex(Array.from({ length: 10_000 }, (_empty, i) => ({ ...products[i % products.length]!, id: `p${i}` })))
    const brief =
      'Premium video and display across outdoor lifestyle and sports. $50K total budget. Adults 25-54, US and Canada. A balanced plan across CTV, online video and display.'
    const ranked = rankProducts(many, readBrief(brief))
    expect(ranked.length).toBeGreaterThan(1000)
    expect(new Set(ranked.map(({ product }) => product.id)).size).toBe(ranked.length)
  })
})

describe('hintsOf', () => {
  it.each([
    ['$50K budget', { amount: 50_000, currency: 'USD' }],
    ['EUR 20,000 in total', { amount: 20_000, currency: 'EUR' }],
    ['1.5M USD', { amount: 1_500_000, currency: 'USD' }],
    ['we have £7500.50', { amount: 7500.5, currency: 'GBP' }],
    ['60 000 livres', { amount: 60_000, currency: 'GBP' }],
    ['20.000 Euro', { amount: 20_000, currency: 'EUR' }],
    ['50,000 dollars from May', { amount: 50_000, currency: 'USD' }],
    ['SEK 250 000', { amount: 250_000, currency: 'SEK' }],
    ['at most $0.038 in all', { amount: 0.038, currency: 'USD' }],
    ['20 000 kr in Sweden', { amount: 20_000, currency: 'SEK' }],
    ['Sport i Norge for 20 tkr', { amount: 20_000, currency: 'NOK' }],
    ['20k kronor', { amount: 20_000, currency: 'SEK' }],
    ['1,5 mkr to reach Denmark', { amount: 1_500_000, currency: 'DKK' }],
    ['20.000 kr., Danmark', { amount: 20_000, currency: 'DKK' }],
    ['20 000 kr', undefined],
    ['90 000 kr in Sweden and Norway', undefined],
    ['80 000 zł', { amount: 80_000, currency: 'PLN' }],
    ['adults 25-54, 80% viewability', undefined],
  ])('%s', (brief, budget) => expect(hintsOf(brief).budget).toEqual(budget))

  it('says which money it cannot read', () => {
    expect(hintsOf('20 000 kr').looseMoney?.written).toBe('20 000 kr')
    expect(hintsOf('90 tkr in Sweden and Norway').looseMoney?.written).toBe('90 tkr')
    expect(hintsOf('20 000 kr in Sweden').looseMoney?.written).toBeUndefined()
    expect(hintsOf('EUR 20,000, about 220 000 kr').looseMoney?.written).toBeUndefined()
  })

  it('tells the country from the pronoun', () => {
    expect(hintsOf('Help us reach readers').countries).toEqual([])
    expect(hintsOf('Adults in the US and Canada').countries).toEqual(['US', 'CA'])
    expect(hintsOf('UK only').countries).toEqual(['GB'])
    expect(hintsOf('Schweden und Norwegen').countries).toEqual(['SE', 'NO'])
    expect(hintsOf('a spa in Chicago')).toMatchObject({ countries: ['US'], regions: ['US-IL'] })
    expect(hintsOf('an island for every man').countries).toEqual([])
  })
})

describe('termsOf', () => {
  it('reads a letter and its mark as the letter', () => {
    expect(termsOf('cafe\u0301 caf\u00e9')).toEqual(['cafe'])
  })

  it('stems lightly, drops filler words, and keeps age ranges', () => {
    expect(termsOf('Looking for videos on Sports sites, adults 25-54')).toEqual(['video', 'sport', 'adult', '25-54'])
    expect(termsOf('guarantees guaranteed guarantee')).toHaveLength(1)
    expect(termsOf('Pre-roll & connected TV, Café')).toEqual(['preroll', 'ctv', 'cafe'])
  })
})

describe('relevanceOf', () => {
  const product = products.find(({ id }) => id === 'outdoor_lifestyle_display')!
  const brief = 'Display for hikers in the US, $50K'
  it('names what matched, the places and the budget', () => {
    const text = relevanceOf(product, readBrief(brief), { index, prices: true })
    expect(text).toMatch(/display/)
    expect(text).toMatch(/hikers/)
    expect(text).toContain('Reaches US.')
    expect(text).toContain('Fits the budget of 50000 USD.')
  })
  it('tells words of the product from words near to them, and a place from both', () => {
    const video = products.find(({ id }) => id === 'outdoor_lifestyle_video')!
    expect(relevanceOf(video, readBrief('climbing'), { index, prices: true })).toContain('subjects near to it (climbing)')
    const uk = products.find(({ id }) => id === 'uk_video')!
    expect(relevanceOf(uk, readBrief('anything in London'), { index, prices: true })).toContain(
      'Found by place alone. Reaches GB.',
    )
  })
  it('says nothing of money to those who may not know prices', () => {
    const text = relevanceOf(product, readBrief('$500 display'), { index, prices: false })
    expect(text).not.toMatch(/USD|budget|1000/)
  })
})
