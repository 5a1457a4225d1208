import { withoutMarks } from '../normal-text.ts'
import { isChannelTerm } from './brief-channels.ts'
import { termsOf } from './brief-terms.ts'
import type { Product } from './product.ts'
import type { ProductsById } from './product-list.ts'

/** A product that a text names, and where: offsets of the text. */
export interface NamedProduct {
  readonly id: string
  readonly start: number
  readonly end: number
}

/** Finds the products that a text names. */
export type NamesIn = (text: string) => readonly NamedProduct[]

/** Positions of products by their names. A name of one word, or of media alone ("Online Video"), says too little to be meant by its words. */
export type ProductNames = ReadonlyMap<string, readonly number[]>

/** Words of a name at most: a longer one is named by its id. */
const MOST_WORDS = 10
const WORD = /[\p{L}\p{M}\p{N}]+/gu
/** What may be an id in a text: `isId` decides. */
const TOKEN = /[\p{L}\p{N}][\p{L}\p{N}._~:-]*[\p{L}\p{N}]/gu
/** No word of a language has such a sign between letters and figures, apart from a hyphen. */
const isId = (token: string) => /[_~:\d-]/.test(token)

/** The name of a product as a text is searched for it; undefined where its words say too little. */
export function nameKeyOf({ offer: { name } }: Product): string | undefined {
  const words = withoutMarks(name).match(WORD) ?? []
  const isTelling = words.length > 1 && words.length <= MOST_WORDS && !termsOf(name).every(isChannelTerm)
  return isTelling ? words.join(' ') : undefined
}

/** The names of products, by position. */
export function productNames(products: readonly Product[]): ProductNames {
  const names = new Map<string, number[]>()
  for (const [position, product] of products.entries()) addName(names, product, position)
  return names
}

/** Adds the name of the product at a position. */
export function addName(names: Map<string, number[]>, product: Product, position: number): void {
  const key = nameKeyOf(product)
  if (key === undefined) return
  const same = names.get(key)
  if (same) same.push(position)
  else names.set(key, [position])
}

interface Named {
  readonly products: readonly Product[]
  readonly positions: ReadonlyMap<string, number>
  readonly names: ProductNames
}

/** Finds what a text names of the products that are offered. */
export function namesAmong(index: Named, offered: ProductsById): NamesIn {
  return (text) => namesIn(text, index, (id) => offered.get(id) !== undefined)
}

/** By their whole names, the longest first, or by their ids; of products with one name the first that is offered. Time grows with the length of the text. */
function namesIn(text: string, { products, positions, names }: Named, isOffered: (id: string) => boolean): NamedProduct[] {
  const byId = [...text.matchAll(TOKEN)].flatMap(({ 0: id, index: start }) =>
    isId(id) && positions.has(id) && isOffered(id) ? [{ id, start, end: start + id.length }] : [],
  )
  const words = [...text.matchAll(WORD)].map(({ 0: word, index: start }) => ({
    word: withoutMarks(word),
    start,
    end: start + word.length,
  }))
  const byName: NamedProduct[] = []
  for (let at = 0; at < words.length; at++) {
    for (let count = Math.min(MOST_WORDS, words.length - at); count > 1; count--) {
      const name = words.slice(at, at + count)
      const own = names.get(name.map(({ word }) => word).join(' ')) ?? []
      const id = own.flatMap((position) => products[position]?.id ?? []).find(isOffered)
      if (id === undefined) continue
      byName.push({ id, start: name[0]?.start ?? 0, end: name.at(-1)?.end ?? 0 })
      at += count - 1
      break
    }
  }
  const isApart = ({ start, end }: NamedProduct) => byId.every((each) => each.end <= start || each.start >= end)
  return [...byId, ...byName.filter(isApart)].sort((a, b) => a.start - b.start)
}

/** A text in which products stand as words that have no other meaning, and the way back. */
export interface WithoutNames {
  readonly text: string
  /** A value with the words of the buyer in place of those, and with the id where one of those stands by itself in a list (`ids`). */
  readonly restored: <T>(value: T) => T
}

const STAND_IN = /\bnamed_[a-z]+\b/g

/** Takes the names of products out of a text: what is in them (a place, a medium, a figure) is no wish. */
export function withoutNames(text: string, named: readonly NamedProduct[]): WithoutNames {
  const ids = new Map<string, string>()
  const written = new Map<string, string>()
  let rest = ''
  let read = 0
  named.forEach(({ id, start, end }, index) => {
    const standIn = `named_${lettersOf(index)}`
    ids.set(standIn, id)
    written.set(standIn, text.slice(start, end))
    rest += text.slice(read, start) + standIn
    read = end
  })
  const inWords = (value: string) => value.replace(STAND_IN, (standIn) => written.get(standIn) ?? standIn)
  const restored = (value: unknown, name = ''): unknown => {
    if (typeof value === 'string') return name === 'ids' ? (ids.get(value) ?? value) : inWords(value)
    if (Array.isArray(value)) return value.map((each) => restored(each, name))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, restored(member, key)]))
  }
  return { text: rest + text.slice(read), restored: restored as WithoutNames['restored'] }
}

/** A word of letters alone for a number: figures mean something in an ask. */
function lettersOf(index: number): string {
  const last = String.fromCharCode(97 + (index % 26))
  return index < 26 ? last : lettersOf(Math.floor(index / 26) - 1) + last
}
