import { split } from '../money.ts'
import type { Subject } from './ask-subject.ts'
import { stem, wordsOf } from './brief-terms.ts'
import type { Share } from './draft-id.ts'
import { rescale } from './media-plan.ts'
import { isOfPlace, nameOfId } from './place-products.ts'
import type { Product } from './product.ts'
import { fieldsByTerm } from './product-index.ts'
import type { ProductsById } from './product-list.ts'

/** A plan that is being changed; what was done is worded when all of it is. */
export interface Draft {
  readonly shares: readonly Share[]
  readonly done: readonly ((shares: readonly Share[]) => Result)[]
  readonly failed: readonly string[]
  /** The plan as it was, and the products whose shares are named in figures. */
  readonly before: readonly Share[]
  readonly held: ReadonlySet<string>
}

/** What became of a change in the finished plan: only what holds there was done. */
export interface Result {
  readonly holds: boolean
  readonly text: string
}

export interface PlanContext {
  readonly products: ProductsById
  /** Products that a text names and that may join the plan, best first. */
  readonly search: (text: string) => readonly Product[]
  /** The principal that asks; undefined without credentials. */
  readonly buyer: string | undefined
}

/** The changed shares in the order of the plan. */
export function inOrder(shares: readonly Share[], changed: readonly Share[]): Share[] {
  return shares.flatMap((share) =>
    changed.filter((candidate) => candidate.productId === share.productId && candidate.optionId === share.optionId),
  )
}

/** In per cent. */
export function sumOf(shares: readonly Share[]): number {
  return rounded(shares.reduce((sum, { percent }) => sum + percent, 0))
}

/** Parts of a per cent in which shares are told: 10,000 of a budget of a million are still exact. */
const PARTS = 10_000

function rounded(percent: number): number {
  return Math.round(percent * PARTS) / PARTS
}

/** Shares in their proportions with this sum exactly, in whole per cent where it is one. */
export function exactly(shares: readonly Share[], total: number): Share[] {
  const unit = Number.isInteger(rounded(total)) ? 1 : PARTS
  const parts = split(
    Math.round(total * unit),
    shares.map(({ percent }) => percent),
  )
  return shares.map((share, index) => ({ ...share, percent: (parts[index] ?? 0) / unit })).filter(({ percent }) => percent > 0)
}

/** Whether a product is what a change names: in one of its channels, and with all of its other words, kinds and places, or by its id. */
export function isAbout(product: Product | undefined, subject: Subject | undefined): boolean {
  if (!product || !subject) return false
  const { channels, terms, ids, countries = [], meets = [] } = subject
  if (ids.some((id) => id === product.id || isOfPlace(product, id))) return true
  if (ids.length > 0 && channels.length === 0) return false
  if (channels.length > 0 && !(product.offer.channels ?? []).some((channel) => channels.includes(channel))) return false
  if (!countries.every((country) => product.selling.coverage.countries?.includes(country) ?? true)) return false
  if (!meets.every(({ satisfies }) => satisfies(product))) return false
  if (terms.length === 0) return true
  const own = fieldsByTerm(product)
  return terms.every((term) => own.has(term))
}

/** How answers name it: the buyer's own words, and the channels that they stand for. */
export function nameOf({ channels, terms, ids, text, countries = [], meets = [] }: Subject): string {
  const words = wordsOf(text).filter((word) => terms.includes(stem(word)))
  const kinds = meets.map(({ label }) => label).join(' and ')
  const named = [...words, [...channels, ...ids.map(nameOfId)].join(', ')].filter((part) => part !== '').join(' ')
  const what = named === '' || kinds === '' ? named || kinds : `${named} with ${kinds}`
  return countries.length === 0 ? what : `${what || 'what runs'} in ${countries.join(', ')}`
}

/** A part of an ask as its products are found: with those of its channels that they have ("video" stands for more than one). */
export function asFound<T extends Subject>(subject: T, found: readonly (Product | undefined)[]): T {
  const own = new Set<string>(found.flatMap((product) => product?.offer.channels ?? []))
  const channels = subject.channels.filter((channel) => own.has(channel))
  return channels.length > 0 ? { ...subject, channels } : subject
}

/** A part of an ask in the buyer's words, with the channels that these stand for where they are others ("video" is two). */
export function quotedName({ channels, text }: Subject): string {
  return channels.length > 1 ? `"${text}" (${channels.join(', ')})` : `"${text}"`
}

/** Shares in their proportions, with another sum. */
export function scaleTo(shares: readonly Share[], target: number): Share[] {
  const sum = sumOf(shares)
  return shares.map((share) => ({ ...share, percent: (share.percent * target) / sum }))
}

/** The plan with other shares; `what` is asked of the finished plan. */
export function done(plan: Draft, shares: readonly Share[], what: (shares: readonly Share[]) => Result | string): Draft {
  const resultIn = (all: readonly Share[]): Result => {
    const result = what(all)
    return typeof result === 'string' ? { holds: true, text: result } : result
  }
  return { ...plan, shares, done: [...plan.done, resultIn] }
}

/** The plan as it is, with what could not be done. */
export function fail(plan: Draft, reason: string): Draft {
  return { ...plan, failed: [...plan.failed, reason] }
}

/** Other shares of the plan that sum to 100: those that are held stay, as long as there are others. */
export function refit({ held }: Draft, shares: readonly Share[]): Share[] {
  const kept = shares.filter(({ productId }) => held.has(productId))
  const free = shares.filter(({ productId }) => !held.has(productId))
  const rest = 100 - sumOf(kept)
  return rescale(free.length > 0 && rest > 0 ? inOrder(shares, [...kept, ...scaleTo(free, rest)]) : shares)
}
