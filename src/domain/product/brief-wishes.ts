import type { Brief } from './brief.ts'
import { relatedTo, synonymsOf } from './brief-synonyms.ts'
import { ANYWHERE, type Postings, type ProductIndex } from './product-index.ts'

interface Variant {
  readonly postings: Postings
  /** What it is worth by how few products have it, and by how near it is to the word. */
  readonly rarity: number
}

/** A word that is only near to the one asked for is worth this share of it. */
const NEAR_SHARE = 0.5

/** Products of which an answer can be made: four pages of it. */
const ENOUGH = 32

/** What a word of a sentence counts of which no product has a word; from half of its words on it counts fully. */
const LEAST_WEIGHT = 0.4

/** A word for a medium is worth so much where it is only a word of the product: its channel counts. */
const MEDIUM_WORD_SHARE = 0.15
const MEDIUM_WORTH = 1.2

/** A word of a brief with its synonyms: a product earns the best of them, not their sum. */
export interface BriefWish {
  readonly variants: readonly Variant[]
  /** Products that have any of them, at most. */
  readonly size: number
  /** The most that a product can earn by it. */
  readonly most: number
}
/** Terms that are one wish, with what a hit of each is worth. */
type Alternatives = readonly (readonly [term: string, share: number])[]

/** What some product has of a brief: its words, in their order, and the places that it names. */
export function wishesOf(
  index: ProductIndex,
  { terms, sentences, hints }: Pick<Brief, 'terms' | 'sentences' | 'hints'>,
): BriefWish[] {
  const places = [
    ...hints.countries.map((country) => `country:${country}`),
    ...(hints.regions ?? []).map((region) => `region:${region}`),
  ]
  const named = places.filter((place) => isFew(index, place))
  const media = [...new Set(terms.flatMap(synonymsOf).filter(isMedium))]
  return [
    ...mediaWish(index, media),
    ...[...weightsOf(index, sentences)].flatMap(([term, weight]) => wishOf(index, alternativesOf(index, term, weight))),
    ...(named.length === 0
      ? []
      : wishOf(
          index,
          [...named, ANYWHERE].map((place) => [place, 1]),
        )),
  ]
}

function alternativesOf(index: ProductIndex, term: string, weight: number): Alternatives {
  const synonyms = synonymsOf(term)
  const others = synonyms.filter((each) => !isMedium(each))
  const near = isFew(index, term) ? relatedTo(term) : []
  return [
    [term, others.length < synonyms.length ? weight * MEDIUM_WORD_SHARE : weight],
    ...others.map((each) => [each, weight] as const),
    ...near.map((each) => [each, weight * NEAR_SHARE] as const),
  ]
}

/** Whether so few products have a term that others, which are near to it or only reach a place, are of use in an answer. */
function isFew({ postings }: ProductIndex, term: string): boolean {
  return (postings.get(term)?.entries.length ?? 0) < ENOUGH
}

/**
 * What the words of a brief are worth: those of a sentence that tells much of what is wanted more than those of one about something else. A word counts as in
 * the best of its sentences.
 */
function weightsOf({ postings }: ProductIndex, sentences: Brief['sentences']): ReadonlyMap<string, number> {
  const weights = new Map<string, number>()
  for (const terms of sentences) {
    const known = terms.filter((term) => postings.has(term) || synonymsOf(term).length > 0).length
    const weight = Math.min(1, LEAST_WEIGHT + (known / Math.max(1, terms.length)) * 2)
    for (const term of terms) weights.set(term, Math.max(weights.get(term) ?? 0, weight * weaknessOf(term)))
  }
  return weights
}

/** Words of most briefs, and ages, which most products name. */
function weaknessOf(term: string): number {
  return WEAK.has(term) || AGES.test(term) ? WEAK_SHARE : 1
}

const WEAK_SHARE = 0.3
const WEAK = new Set(['adult', 'reach', 'spot', 'user', 'premium', 'second', 'daily', 'weekly', 'monthly', 'report', 'number'])
const AGES = /^\d+-\d+$/

function isMedium(term: string): boolean {
  return term.startsWith('channel:')
}

/** All media that a brief names are one wish, and equally wanted: how many products a medium has says nothing of that. */
function mediaWish({ postings }: ProductIndex, media: readonly string[]): BriefWish[] {
  const variants = media.flatMap((medium) => {
    const list = postings.get(medium)
    return list ? [{ postings: list, rarity: MEDIUM_WORTH }] : []
  })
  if (variants.length === 0) return []
  const size = variants.reduce((sum, variant) => sum + variant.postings.entries.length, 0)
  return [{ variants, size, most: Math.max(...variants.map((variant) => variant.rarity * variant.postings.heaviest)) }]
}

function wishOf({ postings, products }: ProductIndex, alternatives: Alternatives): BriefWish[] {
  const variants = alternatives.flatMap(([term, share]) => {
    const list = postings.get(term)
    return list ? [{ postings: list, rarity: share * Math.log(1 + products.length / (1 + list.entries.length)) }] : []
  })
  if (variants.length === 0) return []
  const size = variants.reduce((sum, variant) => sum + variant.postings.entries.length, 0)
  return [{ variants, size, most: Math.max(...variants.map((variant) => variant.rarity * variant.postings.heaviest)) }]
}
