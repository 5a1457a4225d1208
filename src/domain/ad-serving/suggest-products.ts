import { DAY_MS } from '../calendar/instant.ts'
import { microsToAmount } from '../money.ts'
import type { ProductDocument } from '../product/products-file.ts'
import {
  addTerms,
  type BookedTerms,
  isMostlyGuaranteed,
  type KeyValues,
  noTerms,
  usedSizes,
  usualKeyValues,
} from './booked-terms.ts'
import type { ExistingLine } from './existing-line.ts'
import { addPrice, emptyHistory, mergedHistory, type PriceHistory, priceAt } from './price-history.ts'
import { type DraftFormat, draftProduct } from './product-draft.ts'

/** A place of an ad server. */
interface Unit {
  readonly id: string
  readonly name: string
  readonly parentId?: string
  readonly sizes?: readonly string[]
}

/** Where a product is, as the options of an ad server have it. */
export interface SuggestedPlace {
  readonly adUnits: readonly string[]
  readonly sizes: readonly string[]
  readonly keyValues?: KeyValues
}

/** A product that could be sold, and why it costs what it does. */
export interface SuggestedProduct {
  readonly product: ProductDocument
  /** `products.<product id>` of the ad server's options. */
  readonly place: SuggestedPlace
  readonly explanation: string
}

export interface SuggestOptions {
  /** Domain of the publisher. */
  readonly domain: string
  /** ISO 4217. */
  readonly currency: string
  /** Sizes that there are formats for. */
  readonly sizes: ReadonlySet<string>
  readonly most: number
  /** Formats in each size; default: images and HTML5. */
  readonly formats?: readonly DraftFormat[]
  /** What the ad server calls a key or a value. */
  readonly nameOf?: (id: string) => string | undefined
  /** Ids of units; only these and what lies below them. Empty: all. */
  readonly units?: readonly string[]
  /** Only units that have this text in their name or in that of a unit above them, whatever its case. */
  readonly search?: string
}

/** Fewer lines than these say little about a price. */
const FEWEST_LINES = 3
/** Lines that price a thousand impressions. */
const CPM = 'CPM'
const PRICED_TYPES = ['STANDARD', 'PRICE_PRIORITY', 'SPONSORSHIP', 'BULK', 'PREFERRED_DEAL']
const MOST_DEPTH = 50

/**
 * Collects ad units and lines, each once, in this order, and suggests products from them. In memory are the units and a table of prices for each that
 * a line ran on; lines are not kept, so that memory does not grow with them.
 */
export class ProductSuggestions {
  readonly #units = new Map<string, Unit>()
  readonly #parents = new Set<string>()
  readonly #prices = new Map<string, PriceHistory>()
  /** Impressions by unit and day of the lines that ran there, at their mean pace. */
  readonly #daily = new Map<string, number>()
  readonly #terms = new Map<string, BookedTerms>()
  readonly #all = emptyHistory()

  /** Ids that no unit has. */
  unknown(ids: readonly string[]): readonly string[] {
    return ids.filter((id) => !this.#units.has(id))
  }

  addUnit(unit: Unit): void {
    this.#units.set(unit.id, unit)
    if (unit.parentId !== undefined) this.#parents.add(unit.parentId)
  }

  /** Lines that sold impressions in the currency count; house lines and other prices say nothing about a CPM. */
  addLine(line: ExistingLine, currency: string): void {
    const { costType, currency: own, rateMicros, type, impressionsDelivered, unitIds } = line
    if (costType !== CPM || own !== currency || rateMicros <= 0 || !PRICED_TYPES.includes(type) || unitIds.length === 0) return
    addPrice(this.#all, rateMicros, impressionsDelivered)
    const days = Math.max(1, (Date.parse(line.endsAt ?? '') - Date.parse(line.startsAt ?? '')) / DAY_MS || 1)
    const share = impressionsDelivered / unitIds.length
    for (const id of unitIds) {
      if (!this.#units.has(id)) continue
      const history = this.#prices.get(id) ?? emptyHistory()
      addPrice(history, rateMicros, share)
      this.#prices.set(id, history)
      const terms = this.#terms.get(id) ?? noTerms()
      addTerms(terms, line, share)
      this.#terms.set(id, terms)
      this.#daily.set(id, (this.#daily.get(id) ?? 0) + share / days)
    }
  }

  /** Units that show ads, those that delivered most first. */
  suggest({ sizes, most, units = [], search = '', ...terms }: SuggestOptions): readonly SuggestedProduct[] {
    const wanted = new Set(units)
    const words = search.toLowerCase()
    const isChosen = (unit: Unit) => {
      const path = this.#pathOf(unit)
      const isBelow = wanted.size === 0 || path.some(({ id }) => wanted.has(id))
      return isBelow && path.some(({ name }) => name.toLowerCase().includes(words))
    }
    const sold = (unit: Unit) => this.#prices.get(unit.id)?.impressions ?? 0
    return [...this.#units.values()]
      .map((unit) => ({ unit, fitting: (unit.sizes ?? []).filter((size) => sizes.has(size)) }))
      .filter(({ unit, fitting }) => fitting.length > 0 && isChosen(unit))
      .sort((a, b) => sold(b.unit) - sold(a.unit) || (a.unit.id < b.unit.id ? -1 : 1))
      .slice(0, most)
      .map(({ unit, fitting }) => this.#productOf(unit, fitting, terms))
  }

  #productOf(
    unit: Unit,
    fitting: readonly string[],
    { domain, currency, formats = ['image', 'html5'], nameOf = () => undefined }: Omit<SuggestOptions, 'sizes' | 'most'>,
  ): SuggestedProduct {
    const { history, source } = this.#historyOf(unit)
    const terms = this.#terms.get(unit.id) ?? noTerms()
    const sizes = usedSizes(terms, fitting)
    const keyValues = usualKeyValues(terms)
    const path = this.#pathOf(unit).map(({ name }) => name)
    const product = draftProduct({
      ...{ domain, currency, sizes, formats, name: unit.name, productId: `${slugOf(unit.name)}_${unit.id}` },
      description: `${path.join(' / ')}, ${sizes.join(', ')}.`,
      deliveryType: isMostlyGuaranteed(terms) ? 'guaranteed' : 'non_guaranteed',
      cpm: microsToAmount(priceAt(history, 0.5) ?? 1_000_000),
      dailyCapacity: Math.max(1, Math.round(this.#daily.get(unit.id) ?? 0)),
      status: 'paused',
    })
    const explanation = [explanationOf(history, source, currency), ...targetingText(keyValues, nameOf)].join('. ')
    return { product, place: { adUnits: [unit.id], sizes, ...(keyValues.length > 0 && { keyValues }) }, explanation }
  }

  /** The unit and what it lies below, outermost first. */
  #pathOf(unit: Unit): readonly Unit[] {
    const path = [unit]
    for (let at = unit; path.length < MOST_DEPTH; ) {
      const parent = at.parentId === undefined ? undefined : this.#units.get(at.parentId)
      if (!parent || path.includes(parent)) break
      path.unshift(parent)
      at = parent
    }
    return path
  }

  /** Lines of a unit are those on it and on what it lies below; too few of them give way to all lines. */
  #historyOf(unit: Unit): { readonly history: PriceHistory; readonly source: string } {
    const own = mergedHistory(this.#pathOf(unit).flatMap(({ id }) => this.#prices.get(id) ?? []))
    if (own.lines >= FEWEST_LINES) return { history: own, source: 'on this unit or above it' }
    return { history: this.#all, source: `of the whole network (${own.lines} on this unit)` }
  }
}

function explanationOf(history: PriceHistory, source: string, currency: string): string {
  const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => priceAt(history, share))
  if (low === undefined || middle === undefined || high === undefined)
    return `1 ${currency} a thousand, because no line with a CPM in ${currency} was found; set the price yourself`
  const [from, price, to] = [low, middle, high].map(microsToAmount)
  return `${price} ${currency} a thousand: the median by impressions of ${history.lines} lines ${source}, ${Math.round(history.impressions)} impressions; half of them between ${from} and ${to}`
}

function targetingText(keyValues: KeyValues, nameOf: (id: string) => string | undefined): readonly string[] {
  if (keyValues.length === 0) return []
  const word = (id: string) => nameOf(id) ?? id
  const parts = keyValues.map(({ key, values }) => `${word(key)} is ${values.map(word).join(' or ')}`)
  return [`Only where ${parts.join(' and ')}, as more than half of what was delivered here`]
}

const MOST_SLUG = 40

function slugOf(name: string): string {
  const slug = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_|_$/g, '')
  return slug.slice(0, MOST_SLUG) || 'unit'
}
