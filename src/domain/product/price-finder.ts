import { instead, type NameSearch, quoted } from '../../protocol/nearest-name.ts'
import type { CsvRow, Json } from './csv-cells.ts'

/** What is wrong with a row that names no price, or one of several. */
export interface PriceProblem {
  readonly column: string
  readonly message: string
}

/** Ids that one message lists. */
const MAX_LISTED = 20
/** Rows for which an id that was meant is looked for: each look compares it with thousands. */
const MAX_SEARCHED = 50

/** Finds the price of a product that each row of a table is about, in time that does not grow with the number of prices. */
export class PriceFinder {
  readonly #options: Json[]
  readonly #byId = new Map<string, number>()
  /** Prices that no row has named, by model, currency and kind, and by each of them left open. */
  readonly #open = new Map<string, Set<number>>()
  readonly #rowOf = new Map<number, CsvRow>()
  readonly #names: NameSearch
  #searched = 0

  /** `names`: the search that all products of a table share. */
  constructor(options: readonly Json[], names: NameSearch) {
    this.#names = names
    this.#options = [...options]
    for (const [index, option] of this.#options.entries()) {
      if (!this.#byId.has(idOf(option))) this.#byId.set(idOf(option), index)
      for (const key of keysOf(option)) this.#open.set(key, (this.#open.get(key) ?? new Set()).add(index))
    }
  }

  /** The prices, with what was set. */
  get options(): Json[] {
    return this.#options
  }

  /** The row that each changed or new price is from. */
  get rowOf(): Map<number, CsvRow> {
    return this.#rowOf
  }

  /** The position of the price that a row is about; the one after the last for a new price. `isAlone`: no other row names a price of the product. */
  find({ cells }: CsvRow, isAlone: boolean): number | PriceProblem {
    const { pricing_option_id: id = '', pricing_model: model = '', currency = '' } = cells
    const fresh = model !== '' && currency !== '' ? this.#options.length : undefined
    const asked = id === '' ? defaultId(cells) : id
    const named = this.#byId.get(asked)
    const before = named === undefined ? undefined : this.#rowOf.get(named)
    if (before) return { column: 'pricing_option_id', message: `"${asked}" has a row already, line ${before.line}` }
    if (named !== undefined) return named
    if (id !== '') return fresh ?? { column: 'pricing_option_id', message: this.#unknown(id) }
    const alike = this.#open.get(key(model, currency, ''))
    const ofKind = this.#open.get(key(model, currency, kindOfPrice(cells) ?? ''))
    const [only, ...others] = few(ofKind?.size || !isAlone ? ofKind : alike)
    if (only !== undefined && others.length === 0) return only
    if (only === undefined) return fresh ?? { column: 'currency', message: this.#missing() }
    return { column: 'pricing_option_id', message: `must say which price the row is about: ${this.#list()}` }
  }

  /** Sets the price at a position, which a row has named. */
  set(index: number, option: Json, row: CsvRow): void {
    const before = this.#options[index]
    if (before) {
      for (const key of keysOf(before)) this.#open.get(key)?.delete(index)
      if (this.#byId.get(idOf(before)) === index) this.#byId.delete(idOf(before))
    }
    this.#options[index] = option
    this.#rowOf.set(index, row)
    if (!this.#byId.has(idOf(option))) this.#byId.set(idOf(option), index)
  }

  #unknown(id: string): string {
    this.#searched += 1
    const has = `it has ${this.#list()}`
    return `${quoted(id)} is no price of this product${this.#searched > MAX_SEARCHED ? `; ${has}` : instead(id, () => [...this.#byId.keys()], has, this.#names)}`
  }

  #missing(): string {
    return `the product has no such price, it has ${this.#list()}; a new one needs pricing_model and currency`
  }

  #list(): string {
    const more = this.#options.length - MAX_LISTED
    return this.#options.slice(0, MAX_LISTED).map(idOf).join(', ') + (more > 0 ? ` and ${more} more` : '')
  }
}

function few(indexes: ReadonlySet<number> = new Set()): readonly number[] {
  const [first, second] = indexes
  return [first, second].filter((index) => index !== undefined)
}

function idOf(option: Json): string {
  return String(option.pricing_option_id)
}

/** Whether a row gives a fixed price or a floor; undefined when it gives neither. */
function kindOfPrice(cells: CsvRow['cells']): 'fixed' | 'auction' | undefined {
  if ((cells.price ?? '') !== '') return 'fixed'
  return (cells.floor ?? '') === '' ? undefined : 'auction'
}

function keysOf(option: Json): readonly string[] {
  const kind = 'fixed_price' in option ? 'fixed' : 'auction'
  const models = new Set([option.pricing_model, ''])
  const currencies = new Set([option.currency, ''])
  return [...models].flatMap((model) =>
    [...currencies].flatMap((currency) => [key(model, currency, kind), key(model, currency, '')]),
  )
}

function key(...parts: readonly unknown[]): string {
  return JSON.stringify(parts)
}

function defaultId(cells: CsvRow['cells']): string {
  const { pricing_model: model = '', currency = '' } = cells
  return [model, currency.toLowerCase(), kindOfPrice(cells) ?? 'auction'].join('_')
}
