import { asJson, type CellReader, type CsvRow, type Json, jsonCell } from './csv-cells.ts'
import { withSelectionType } from './csv-options.ts'
import { mergePrices } from './merge-prices.ts'
import { defaultForecast } from './product-defaults.ts'
import type { ProductDocument } from './products-file.ts'
import { setCells } from './set-cells.ts'

/** The rows of one product. */
export interface ProductRows {
  readonly first: CsvRow
  readonly rows: CsvRow[]
}

/** A product with what the rows of a table say of it. */
export interface MergedProduct {
  readonly product: Json
  /** The row that a pricing option of the product was changed or added by. */
  readonly rowOfOption: (index: number) => CsvRow | undefined
}

/**
 * A product that exists with the rows of a table that name it: columns that the table has change their members, an empty cell takes the value away, and
 * everything else stays, prices that no row names too.
 */
export function mergeRows(current: ProductDocument, { first, rows }: ProductRows, reader: CellReader): MergedProduct {
  const product: Json = structuredClone({ ...current })
  setCells(product, first, 'product', reader)
  settleProperties(product, first)
  const prices = mergePrices(product, rows, reader)
  settleForecast(product, prices.options[0]?.currency)
  const more = jsonCell(first, 'product_json', reader)
  const merged = withoutNull({ ...product, pricing_options: prices.options, ...more })
  return {
    product: { ...merged, selling: { ...asJson(product.selling), ...asJson(more.selling) } },
    rowOfOption: (index) => prices.rowOf.get(index),
  }
}

/** A further field that is null takes the one of the product away. */
function withoutNull(fields: Json): Json {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
}

/** A selector names properties by id or by tag: the one that the row names takes the place of the other. */
function settleProperties(product: Json, { cells }: CsvRow): void {
  if (![cells.publisher_domain, cells.property_ids, cells.property_tags].some((cell) => cell !== undefined)) return
  const [selector, ...others]: readonly unknown[] = Array.isArray(product.publisher_properties)
    ? product.publisher_properties
    : []
  const { property_ids, property_tags, ...rest } = asJson(selector)
  const byTags = (cells.property_tags ?? '') !== '' && (cells.property_ids ?? '') === ''
  const named = byTags ? { property_tags } : { property_ids, ...(property_ids === undefined && { property_tags }) }
  product.publisher_properties = [withSelectionType({ ...rest, ...named }), ...others]
}

/** A forecast needs its frame, and points. */
function settleForecast(product: Json, currency: unknown): void {
  if (product.forecast === undefined) return
  const forecast = asJson(product.forecast)
  if (forecast.points === undefined) delete product.forecast
  else product.forecast = { ...defaultForecast(currency), ...forecast }
}
