import type { Declare } from '../creative/canonical/declaration.ts'
import { formatTest } from '../creative/formats/format-test.ts'
import type { FormatOption } from './format-option.ts'
import { formatOptionsOf } from './format-options.ts'
import { namedOptionTest } from './later-filters.ts'
import type { FormatRef, Offer } from './offer.ts'
import type { Product } from './product.ts'
import type { ProductFilters } from './product-filters.ts'

/**
 * Characters that the formats of a page take at most, and how many fewer for each of its proposals: with them, a page of a brief and its text is 5,000 tokens. An id takes about 80
 * characters; a declaration takes 100 to 900 more. Pages of ids alone have more rows.
 */
const DECLARED = { page: 8_800, proposal: 900 }
const NAMED = { page: 3_600, proposal: 600 }
/** Proposals leave room for one format of each row at least. */
const MOST_PROPOSALS = 4
/** Products of no more formats are whole in any case: most are, and their pages are short enough. */
const FEW = 6

/** A format under the names that a row shows: its id, its declaration, or both. */
interface Shown {
  readonly format: FormatRef
  readonly option?: FormatOption | undefined
  readonly characters: number
}

/** What a question says about the formats of its answer. */
interface FormatQuestion {
  readonly buying_mode: string
  readonly fields?: readonly string[]
  readonly filters?: ProductFilters
  readonly refine?: readonly { readonly scope: string; readonly product_id?: string }[]
}

/**
 * The products of a page with as many of their formats as the page has room for: all of those with {@link FEW} or less, and the first of the others, formats that the filters name before the rest.
 * `ext.more_format_options` says how many are left out of a product; all of them can be bought. Products that a refinement names, feeds and answers to `fields` that name formats have all.
 * `proposals`: how many the page has.
 */
export function withFewFormats(
  products: readonly Product[],
  question: FormatQuestion,
  declare: Declare | undefined,
  proposals: number,
): readonly Product[] {
  if (asksForFormats(question)) return products
  const { filters = {}, refine = [] } = question
  const named = new Set(refine.flatMap(({ scope, product_id: id }) => (scope === 'product' ? [id] : [])))
  const isCut = (product: Product) => countOf(product.offer) > FEW && !named.has(product.id)
  if (!products.some(isCut)) return products
  const shown = products.map(({ offer }) => shownFormats(offer, declare))
  const needs = products.map((product, index) => (isCut(product) ? charactersOf(shown[index] ?? []) : 0))
  const { page, proposal } = declare ? DECLARED : NAMED
  const taken = products.flatMap(({ offer }, index) => (countOf(offer) <= FEW ? (shown[index] ?? []) : []))
  const rest = page - proposal * Math.min(proposals, MOST_PROPOSALS) - charactersOf(taken)
  const rooms = sharedOut(needs, Math.max(0, rest))
  return products.map((product, index) => {
    const all = shown[index] ?? []
    if (!isCut(product)) return product
    const kept = fitting(all, rooms[index] ?? 0, filters)
    return kept.length < all.length ? { ...product, offer: withFormats(product.offer, kept, all.length - kept.length) } : product
  })
}

function asksForFormats({ buying_mode: mode, fields = [] }: FormatQuestion): boolean {
  return mode === 'wholesale' || fields.includes('format_ids') || fields.includes('format_options')
}

/** One sentence about the products of a page that show a part of their formats, with what shows all. */
export function fewFormatsNotes(products: readonly Product[], declare: Declare | undefined): string[] {
  const cut = products.flatMap(({ offer }) => (moreFormatsOf(offer.ext) > 0 ? [offer.product_id] : []))
  if (cut.length === 0) return []
  const member = declare ? 'format_options' : 'format_ids'
  return [
    `ext.more_format_options counts formats that are not shown here (${cut.join(', ')}); all can be bought. fields ["${member}"] lists them, as does buying_mode "refine" with the product_id.`,
  ]
}

/** How many formats of a row are not shown, as its `ext` says. */
export function moreFormatsOf(ext: unknown): number {
  const more: unknown = typeof ext === 'object' && ext !== null ? Reflect.get(ext, 'more_format_options') : undefined
  return typeof more === 'number' ? more : 0
}

function countOf({ format_ids, format_options = [] }: Offer): number {
  return Math.max(format_ids.length, format_options.length)
}

function shownFormats(offer: Offer, declare: Declare | undefined): readonly Shown[] {
  const options = declare ? formatOptionsOf(offer, declare) : []
  const declared = options.map(({ format, declaration }) => ({
    format,
    option: declaration,
    characters: lengthOf(format) + lengthOf(declaration),
  }))
  const named = new Set(options.map(({ format }) => format))
  const plain = offer.format_ids.filter((format) => !named.has(format))
  return [...declared, ...plain.map((format) => ({ format, characters: lengthOf(format) }))]
}

function lengthOf(value: object): number {
  return JSON.stringify(value).length
}

function charactersOf(formats: readonly Shown[]): number {
  return formats.reduce((sum, { characters }) => sum + characters, 0)
}

/** What each gets of a total: those that need less than an equal part get what they need, and the others share the rest. */
function sharedOut(needs: readonly number[], total: number): readonly number[] {
  const parts = needs.map(() => 0)
  let left = total
  const ascending = [...needs.entries()].toSorted(([, a], [, b]) => a - b)
  for (const [place, [index, need]] of ascending.entries()) {
    const part = Math.min(need, left / (ascending.length - place))
    parts[index] = part
    left -= part
  }
  return parts
}

/** The first formats that a room holds, in the order of the product, without those that are too long for what is left of it; one in any case. */
function fitting(formats: readonly Shown[], room: number, filters: ProductFilters): readonly Shown[] {
  if (charactersOf(formats) <= room) return formats
  const isWanted = wantedTest(filters)
  const kept = new Set<Shown>()
  let left = room
  for (const each of [...formats.filter(isWanted), ...formats.filter((format) => !isWanted(format))]) {
    if (kept.size > 0 && each.characters > left) continue
    kept.add(each)
    left -= each.characters
  }
  return formats.filter((each) => kept.has(each))
}

/** A test for formats that filters name, in the ways of each release. */
function wantedTest(filters: ProductFilters): (format: Shown) => boolean {
  const isNamed = filters.format_ids ? formatTest(filters.format_ids) : () => false
  const isNamedOption = namedOptionTest(filters)
  return ({ format, option }) => isNamed(format) || (option !== undefined && isNamedOption(option))
}

/** An offer with some of its formats, and the number of the others. */
function withFormats(offer: Offer, kept: readonly Shown[], more: number): Offer {
  const formats = new Set(kept.map(({ format }) => format))
  const options = new Set(kept.map(({ option }) => option))
  return {
    ...offer,
    format_ids: offer.format_ids.filter((format) => formats.has(format)),
    ...(offer.format_options && { format_options: offer.format_options.filter((option) => options.has(option)) }),
    ext: { ...offer.ext, more_format_options: more },
  }
}
