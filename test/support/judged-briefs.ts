import { readBrief } from '../../src/domain/product/brief.ts'
import type { ProductIndex } from '../../src/domain/product/product-index.ts'
import { createRanking } from '../../src/domain/product/rank-products.ts'

/** A brief with the products of the demo publisher that a reader who did not know the ranking judged to fit it. */
export interface JudgedBrief {
  readonly id: string
  readonly brief: string
  readonly good: readonly string[]
  readonly acceptable: readonly string[]
}

/** `open` was looked at while the ranking was made, `heldOut` was not. */
export interface JudgedBriefs {
  readonly open: readonly JudgedBrief[]
  readonly heldOut: readonly JudgedBrief[]
}

/** How well the first eight products answer a brief, each from 0 to 1. */
export interface Verdict {
  readonly id: string
  /** The first eight; good ones are marked `+`, acceptable ones `o`, others `-`. */
  readonly first: readonly string[]
  /** Of the products that come first, at most eight: how many are good or acceptable. */
  readonly precision: number
  /** Of the eight that could be good or acceptable: how many come first. */
  readonly relevant: number
  /** Of the eight that could be good: how many come first. */
  readonly good: number
}

const FIRST = 8

/** Ranks the products for a brief and counts. */
export function judge(index: ProductIndex, { id, brief, good, acceptable }: JudgedBrief): Verdict {
  const first = createRanking(index, readBrief(brief))
    .slice(0, FIRST)
    .map(({ product }) => product.id)
  const found = (wanted: readonly string[]) => first.filter((one) => wanted.includes(one)).length
  const either = [...good, ...acceptable]
  return {
    id,
    first: first.map((one) => `${good.includes(one) ? '+' : acceptable.includes(one) ? 'o' : '-'}${one}`),
    precision: found(either) / Math.max(1, first.length),
    relevant: found(either) / Math.min(FIRST, either.length),
    good: found(good) / Math.min(FIRST, good.length),
  }
}

export function mean(verdicts: readonly Verdict[], member: 'precision' | 'relevant' | 'good'): number {
  return verdicts.reduce((sum, verdict) => sum + verdict[member], 0) / verdicts.length
}
