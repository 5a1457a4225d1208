import type { BriefWish } from './brief-wishes.ts'
import { fieldsAt, fieldsOf, type ProductIndex, positionOf, weightOf } from './product-index.ts'

/** A product that earns less than this share of the best score is no answer to the brief. */
const RELEVANT_SHARE = 0.2
export interface Scoring {
  /** The most that `factorAt` gives. */
  readonly mostFactor: number
  /** What one unit counts for that the product at a position earned by its words; 0 when it may not appear. */
  readonly factorAt: (position: number) => number
}

/** Positions in the index, ascending, and the score of each beside it. Typed arrays: a large part of many products may be among them. */
export interface Candidates {
  readonly positions: Uint32Array
  readonly scores: Float64Array
}

/** More than `scoreOf` rounds by, so that a bound never leaves out a product whose score is just enough. */
const ROUNDING = 1 + 1e-6
/** Above this share of the products (and this many), adding up list by list is cheaper than looking products up one by one. */
const FEW_SHARE = 1 / 64
const FEW = 64

/** The products that are relevant to a brief, with their scores. */
export function candidatesOf(index: ProductIndex, wishes: readonly BriefWish[], scoring: Scoring): Candidates {
  const { positions, scores, best, least } = lookUp(index, wishes, scoring) ?? addUp(index, wishes, scoring)
  const wanted = best * RELEVANT_SHARE
  if (least >= wanted) return { positions, scores }
  let kept = 0
  for (let place = 0; place < scores.length; place++) {
    const score = scores[place] ?? 0
    if (score < wanted) continue
    positions[kept] = positions[place] ?? 0
    scores[kept++] = score
  }
  return { positions: positions.subarray(0, kept), scores: scores.subarray(0, kept) }
}

/** What was examined, before the best was known. Positions ascend. */
interface Found extends Candidates {
  readonly best: number
  readonly least: number
}

/**
 * Rare words first: once the best score is so high that what has none of the words so far cannot come near it, the lists of the
 * common words are not walked. Undefined when the lists are too long for it.
 */
function lookUp(index: ProductIndex, wishes: readonly BriefWish[], { mostFactor, factorAt }: Scoring): Found | undefined {
  const few = Math.max(FEW, index.products.length * FEW_SHARE)
  const rareFirst = wishes.toSorted((a, b) => a.size - b.size)
  const seen = new Set<number>()
  const found: { readonly position: number; readonly score: number }[] = []
  let best = 0
  let least = Number.POSITIVE_INFINITY
  for (const [place, wish] of rareFirst.entries()) {
    const rest = rareFirst.slice(place).reduce((sum, { most }) => sum + most, 0)
    if (rest * mostFactor * ROUNDING < best * RELEVANT_SHARE) break
    if (seen.size + wish.size > few) return undefined
    for (const { postings } of wish.variants) {
      for (const entry of postings.entries) {
        const position = positionOf(entry)
        if (seen.has(position)) continue
        seen.add(position)
        const score = scoreOf(earnedAt(wishes, position), factorAt(position))
        if (score === 0) continue
        found.push({ position, score })
        best = Math.max(best, score)
        least = Math.min(least, score)
      }
    }
  }
  found.sort((a, b) => a.position - b.position)
  return {
    positions: Uint32Array.from(found, ({ position }) => position),
    scores: Float64Array.from(found, ({ score }) => score),
    best,
    least,
  }
}

function earnedAt(wishes: readonly BriefWish[], position: number): number {
  let earned = 0
  for (const { variants } of wishes) {
    let most = 0
    for (const { postings, rarity } of variants) most = Math.max(most, worth(rarity, fieldsAt(postings, position)))
    earned += most
  }
  return earned
}

/** Rounded to seven digits: equal scores must tie, and the last digits of a product depend on the order of its factors. */
function scoreOf(earned: number, factor: number): number {
  return Math.fround(earned * factor)
}

function worth(rarity: number, fields: number): number {
  return rarity * weightOf(fields)
}

/** Walks the list of every word, and visits only products that can still come near the best. */
function addUp(index: ProductIndex, wishes: readonly BriefWish[], { mostFactor, factorAt }: Scoring): Found {
  const sums = new Float64Array(index.products.length)
  const ofWish = new Float64Array(wishes.some(({ variants }) => variants.length > 1) ? sums.length : 0)
  for (const wish of wishes) addWish(sums, ofWish, wish)
  const positions = new Uint32Array(sums.length)
  let found = 0
  let best = 0
  let least = Number.POSITIVE_INFINITY
  for (let position = 0; position < sums.length; position++) {
    const earned = sums[position] ?? 0
    if (earned === 0 || earned * mostFactor * ROUNDING < best * RELEVANT_SHARE) continue
    const score = scoreOf(earned, factorAt(position))
    if (score === 0) continue
    positions[found] = position
    // The sum has been read: scores move up in its place.
    sums[found++] = score
    best = Math.max(best, score)
    least = Math.min(least, score)
  }
  return { positions: positions.subarray(0, found), scores: sums.subarray(0, found), best, least }
}

/** Adds what a wish is worth to each product. `ofWish` is full of zeros before and after: it keeps the best of several variants. */
function addWish(sums: Float64Array, ofWish: Float64Array, { variants }: BriefWish): void {
  const isOne = variants.length === 1
  for (const { postings, rarity } of variants) {
    for (const entry of postings.entries) {
      const position = positionOf(entry)
      const value = worth(rarity, fieldsOf(entry))
      const before = isOne ? 0 : (ofWish[position] ?? 0)
      if (value <= before) continue
      sums[position] = (sums[position] ?? 0) + value - before
      if (!isOne) ofWish[position] = value
    }
  }
  if (isOne) return
  for (const { postings } of variants) for (const entry of postings.entries) ofWish[positionOf(entry)] = 0
}
