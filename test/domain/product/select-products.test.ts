import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Brief, readBrief } from '../../../src/domain/product/brief.ts'
import { relatedTo, synonymsOf } from '../../../src/domain/product/brief-synonyms.ts'
import { filterProducts } from '../../../src/domain/product/filter-products.ts'
import { planShares } from '../../../src/domain/product/media-plan.ts'
import type { Offer } from '../../../src/domain/product/offer.ts'
import { isOfferedTo, minimumSpend, type Product } from '../../../src/domain/product/product.ts'
import { buildIndex, fieldsOf, positionOf } from '../../../src/domain/product/product-index.ts'
import { createRanking } from '../../../src/domain/product/rank-products.ts'
import type { RankedProduct } from '../../../src/domain/product/ranking.ts'
import { replaceInIndex } from '../../../src/domain/product/replace-in-index.ts'
import { briefOf, selectProducts } from '../../../src/domain/product/select-products.ts'
import { productOffer } from '../../../src/domain/protocol/offer.ts'
import { demoProducts } from '../../support/demo-products.ts'

/** Few words for many products, so that lists are long and scores tie; some words stand in one product only. */
const WORDS = ['homepage', 'video', 'sports', 'news', 'banner', 'podcast', 'guaranteed', 'outdoor', 'area1', 'area2', 'area3']
const models = demoProducts()
const PRINCIPALS = ['p1', 'p2']

const arbitraryProduct = fc.record({
  model: fc.integer({ min: 0, max: models.length - 1 }),
  words: fc.array(fc.constantFrom(...WORDS), { maxLength: 3 }),
  text: fc.array(fc.constantFrom(...WORDS), { maxLength: 4 }),
  status: fc.constantFrom('active' as const, 'active' as const, 'active' as const, 'paused' as const),
  exclusiveTo: fc.subarray(PRINCIPALS, { maxLength: 1 }),
  visibility: fc.constantFrom('standard' as const, 'custom' as const),
  catalogs: fc.boolean(),
})

type Seed = typeof arbitraryProduct extends fc.Arbitrary<infer T> ? T : never

function productOf({ model, words, text, status, exclusiveTo, visibility, catalogs }: Seed, position: number): Product {
  const { offer, selling } = models[model]!
  const { catalog_types: _none, ...rest } = offer
  return {
    id: `p${position}`,
    offer: {
      ...rest,
      product_id: `p${position}`,
      name: ['Product', ...words, `only${position}`].join(' '),
      description: text.join(' '),
      ...(catalogs && { catalog_types: ['product'] }),
    },
    selling: { ...selling, status, exclusiveTo, visibility },
  }
}

/** Around the two ways of scoring: below and above the number of products that are looked up one by one. */
const arbitraryProducts = fc
  .oneof(fc.array(arbitraryProduct, { maxLength: 12 }), fc.array(arbitraryProduct, { minLength: 80, maxLength: 110 }))
  .map((seeds) => seeds.map(productOf))
const arbitraryBrief = fc
  .tuple(
    fc.array(fc.constantFrom(...WORDS, 'only7', 'only90', 'unheard'), { minLength: 1, maxLength: 4 }),
    fc.constantFrom('', '$5000', '€20K', 'Germany', 'USA $100'),
  )
  .map(([words, rest]) => `${words.join(' ')} ${rest}`)
const arbitraryCaller = fc.constantFrom(undefined, 'p1', 'p2', 'stranger')
const arbitraryPreference = fc.subarray<Offer['delivery_type']>(['guaranteed', 'non_guaranteed'])

/** Of channel, delivery, pricing, place, name, keyword, audience, format and description. */
const FIELD_WEIGHTS = [5, 3, 2, 2, 4, 3, 3, 1.5, 1]

/** What a ranking has to come to, told product by product without lists or bounds. All words of these briefs count alike. */
function scan(products: readonly Product[], brief: Brief, preferred: readonly string[], sees: (p: Product) => boolean) {
  const index = buildIndex(products)
  const isMedium = (term: string) => term.startsWith('channel:')
  const wanted = new Set(brief.terms.flatMap(synonymsOf).filter(isMedium))
  const listed = (term: string) => index.postings.get(term)?.entries ?? []
  const known = brief.terms.filter((term) => listed(term).length > 0 || synonymsOf(term).length > 0).length
  const weight = Math.min(1, 0.4 + (known / Math.max(1, brief.terms.length)) * 2)
  const hit = (product: Product, variant: string) => {
    const entry = listed(variant).find((one) => positionOf(one) === index.positions.get(product.id))
    const weights = entry === undefined ? [] : FIELD_WEIGHTS.filter((_weight, bit) => (fieldsOf(entry) & (1 << bit)) !== 0)
    const heaviest = Math.max(0, ...weights)
    const others = weights.reduce((sum, one) => sum + one, -heaviest)
    return heaviest + 0.1 * others
  }
  const rarity = (term: string) => Math.log(1 + products.length / (1 + listed(term).length))
  const worth = (product: Product, term: string) => rarity(term) * hit(product, term)
  const ofTerm = (product: Product, term: string) => {
    const synonyms = synonymsOf(term)
    const own = worth(product, term) * (synonyms.some(isMedium) ? 0.15 : 1)
    const others = synonyms.filter((one) => !isMedium(one)).map((one) => worth(product, one))
    const near = listed(term).length < 32 ? relatedTo(term).map((one) => 0.5 * worth(product, one)) : []
    return weight * Math.max(0, own, ...others, ...near)
  }
  const places = brief.hints.countries.map((country) => `country:${country}`).filter((place) => listed(place).length < 32)
  const scored = products.filter(sees).map((product): RankedProduct => {
    const { offer, selling } = product
    const earned =
      Math.max(0, ...[...wanted].map((medium) => 1.2 * hit(product, medium))) +
      brief.terms.reduce((total, term) => total + ofTerm(product, term), 0) +
      Math.max(0, ...(places.length > 0 ? [...places, 'country:*'] : []).map((place) => worth(product, place)))
    const { budget, countries } = brief.hints
    const covered = selling.coverage.countries
    const own = offer.pricing_options.filter((option) => option.currency === budget?.currency)
    const place = covered && countries.length > 0 && !countries.some((country) => covered.includes(country)) ? 0.1 : 1
    const least = Math.min(...own.map((option) => minimumSpend(option)))
    const dear = !budget || least <= budget.amount / 2 ? 1 : least > budget.amount ? 0.25 : 0.8
    const money = !budget ? 1 : own.length === 0 ? 0.6 : dear
    const channel = wanted.size === 0 || offer.channels?.some((one) => wanted.has(`channel:${one}`)) ? 1 : 0.7
    const liked = preferred.indexOf(offer.delivery_type)
    const manual = selling.approval === 'manual' ? 0.8 : 1
    const { leaning = offer.delivery_type } = brief.hints
    const wished = offer.delivery_type === leaning ? 1 : 0.5
    const factor = place * money * manual * channel * wished * (liked === -1 ? 1 : 1.5 - 0.2 * liked)
    return { product, score: Math.fround(earned * factor) }
  })
  const best = Math.max(0, ...scored.map(({ score }) => score))
  return scored.filter(({ score }) => score >= best * 0.2).sort((a, b) => b.score - a.score)
}

const ids = (products: readonly Product[]) => products.map(({ id }) => id)
const context = { features: {}, isStandardFormat: () => true, declare: () => undefined, keepsOf: () => undefined }

describe('createRanking', () => {
  it('comes to what a look at every product comes to', () => {
    fc.assert(
      fc.property(
        arbitraryProducts,
        arbitraryBrief,
        arbitraryPreference,
        arbitraryCaller,
        (products, text, preferredDelivery, caller) => {
          const brief = readBrief(text)
          const eligible = (product: Product) => isOfferedTo(product, caller)
          const expected = scan(products, brief, preferredDelivery, eligible)
          const told = (ranked: readonly RankedProduct[]) =>
            ranked.map(({ product, score }) => [product.id, score.toPrecision(6)])
          const index = buildIndex(products)
          // Whom a product is offered to is the same for all of its kind.
          for (const asked of [{ eligible }, { eligibleKind: eligible }]) {
            expect(told(createRanking(index, brief, { preferredDelivery, ...asked }).slice())).toEqual(told(expected))
          }
        },
      ),
      { numRuns: 30 },
    )
  })

  it('gives any page in the order of the whole', () => {
    const page = fc.tuple(fc.nat(90), fc.nat(30)).map(([from, length]) => [from, from + length] as const)
    fc.assert(
      fc.property(arbitraryProducts, arbitraryBrief, fc.array(page, { maxLength: 4 }), (products, text, pages) => {
        const index = buildIndex(products)
        const brief = readBrief(text)
        const whole = createRanking(index, brief).slice()
        const ranking = createRanking(index, brief)
        for (const [from, to] of pages) expect(ranking.slice(from, to)).toEqual(whole.slice(from, to))
        const listed = new Set(whole.map(({ product }) => product.id))
        for (const { id } of products) expect(ranking.products.has(id)).toBe(listed.has(id))
      }),
      { numRuns: 30 },
    )
  })
})

describe('planShares', () => {
  it('takes the best of each channel, then the best of the rest', () => {
    fc.assert(
      fc.property(arbitraryProducts, arbitraryBrief, (products, text) => {
        const ranking = createRanking(buildIndex(products), readBrief(text))
        const fitting = ranking.slice().filter(({ product, score }) => product.selling.approval === 'automatic' && score > 0)
        const [first] = ranking.slice(0, 1)
        const currency = first?.product.offer.pricing_options[0]?.currency
        const priced = fitting.filter(({ product }) =>
          product.offer.pricing_options.some((option) => option.currency === currency && option.pricing_model !== 'cpa'),
        )
        const channelOf = ({ product }: RankedProduct) => product.offer.channels?.[0]
        const firsts = priced.filter((one, at) => priced.findIndex((other) => channelOf(other) === channelOf(one)) === at)
        const chosen = [...new Set([...firsts, ...priced])].slice(0, 4)
        expect(
          planShares(ranking, { products: new Map(products.map((product) => [product.id, product])), budget: undefined }).map(
            ({ productId }) => productId,
          ),
        ).toEqual(chosen.length < 2 ? [] : chosen.map(({ product }) => product.id))
      }),
      { numRuns: 30 },
    )
  })
})

describe('selectProducts', () => {
  it('takes a brief that was read before as it is: a question is read once', () => {
    const index = buildIndex([])
    const request = { buying_mode: 'brief' as const, brief: 'banners in Norway' }
    const brief = briefOf(request)
    const { answered } = selectProducts(
      { ...request, brief: 'not read again' },
      { ...context, index, principalId: undefined, brief },
    )
    expect(answered?.brief).toBe(brief)
  })

  const arbitraryFilters = fc.constantFrom(
    {},
    { delivery_type: 'guaranteed' as const },
    { is_fixed_price: true },
    { delivery_type: 'non_guaranteed' as const, is_fixed_price: false },
  )

  it('lists what a filter of all products leaves', () => {
    fc.assert(
      fc.property(
        arbitraryProducts,
        arbitraryFilters,
        arbitraryCaller,
        fc.boolean(),
        (products, filters, principalId, promotes) => {
          const request = {
            buying_mode: 'wholesale' as const,
            filters,
            ...(promotes && { catalog: { type: 'product' as const } }),
          }
          const { products: listed } = selectProducts(request, { ...context, index: buildIndex(products), principalId })
          const offered = products.filter((product) => isOfferedTo(product, principalId))
          const passing = filterProducts(offered, filters, context)
          const driven = passing.filter(({ offer }) => offer.catalog_types?.includes('product'))
          const expected = promotes && driven.length > 0 ? driven : passing
          expect(ids(listed.slice(0, listed.length))).toEqual(ids(expected))
          expect(ids(listed.slice(3, 7))).toEqual(ids(expected.slice(3, 7)))
          for (const { id } of products) expect(listed.has(id)).toBe(ids(expected).includes(id))
        },
      ),
      { numRuns: 30 },
    )
  })
})

describe('replaceInIndex', () => {
  it('gives what an index of the changed products gives, and leaves the old one as it was', () => {
    const changes = fc.array(fc.tuple(fc.nat(109), arbitraryProduct), { maxLength: 5 })
    fc.assert(
      fc.property(arbitraryProducts, changes, arbitraryBrief, arbitraryCaller, (products, changed, text, principalId) => {
        const before = buildIndex(products)
        const replaced = new Map(
          changed.flatMap(([position, seed]) => (position < products.length ? [[position, productOf(seed, position)]] : [])),
        )
        const after = replaceInIndex(before, replaced)
        const rebuilt = buildIndex(products.map((product, position) => replaced.get(position) ?? product))
        const entries = ({ postings }: typeof after) => new Map([...postings].map(([term, list]) => [term, list.entries]))
        expect(entries(after)).toEqual(entries(rebuilt))
        const rest = ({ postings: _postings, kinds: _kinds, ...others }: typeof after) => others
        expect(rest(after)).toEqual(rest(rebuilt))
        // Kinds may be numbered in another order; which products are of one kind is the same.
        const together = ({ kinds }: typeof after) => [...kinds.kindOf].map((kind) => kinds.kindOf.indexOf(kind))
        expect(together(after)).toEqual(together(rebuilt))
        // What was replaced tells nothing of the publisher any more.
        expect(productOffer(after)).toEqual(productOffer(rebuilt))
        expect(before).toEqual(buildIndex(products))
        const ask = { buying_mode: 'brief' as const, brief: text }
        const of = (index: typeof after) => selectProducts(ask, { ...context, index, principalId }).answered?.ranking.slice()
        expect(of(after)).toEqual(of(rebuilt))
      }),
      { numRuns: 20 },
    )
  })
})
