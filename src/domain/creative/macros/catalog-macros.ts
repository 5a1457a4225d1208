import { ownValue } from '../../own-value.ts'
import type { Macros } from './fill.ts'

/** One item of a catalog as its feed has it (AdCP core/catalog.json `items`). */
export type CatalogItem = Readonly<Record<string, unknown>>

/** A catalog as far as an ad is made from it. */
export interface AdCatalog {
  readonly catalogId?: string | undefined
  readonly type: string
  readonly items: readonly CatalogItem[]
  /** Ids of the items that the ad is confined to; absent: the whole catalog. */
  readonly only?: readonly string[]
}

/** The item fields that fill each catalog-item macro (AdCP enums/universal-macro.json), the first that is there. */
const ITEM_FIELDS: Readonly<Record<string, readonly string[]>> = {
  SKU: ['sku', 'item_id', 'id', 'product_id'],
  GTIN: ['gtin'],
  OFFERING_ID: ['offering_id'],
  JOB_ID: ['job_id'],
  HOTEL_ID: ['hotel_id'],
  FLIGHT_ID: ['flight_id'],
  VEHICLE_ID: ['vehicle_id'],
  LISTING_ID: ['listing_id'],
  STORE_ID: ['store_id'],
  PROGRAM_ID: ['program_id'],
  DESTINATION_ID: ['destination_id'],
  APP_ITEM_ID: ['app_id'],
}

/** The macro that identifies an item of a catalog of that type; items of other types go by the catalog alone. */
const IDENTIFIER: Readonly<Record<string, string>> = {
  product: 'SKU',
  inventory: 'SKU',
  offering: 'OFFERING_ID',
  job: 'JOB_ID',
  hotel: 'HOTEL_ID',
  flight: 'FLIGHT_ID',
  vehicle: 'VEHICLE_ID',
  real_estate: 'LISTING_ID',
  store: 'STORE_ID',
  education: 'PROGRAM_ID',
  destination: 'DESTINATION_ID',
  app: 'APP_ITEM_ID',
}

/** Names of the macros that represent an item or its catalog. */
export const CATALOG_MACROS: readonly string[] = ['CATALOG_ID', ...Object.keys(ITEM_FIELDS)]

/** The macro by which trackers tell the items of a catalog apart. */
export function identifyingMacro(type: string): string {
  return ownValue(IDENTIFIER, type) ?? 'CATALOG_ID'
}

/** Values of the catalog macros for one item. What the item does not have stays without a value. */
export function itemMacros(item: CatalogItem, catalogId: string | undefined): Macros {
  const values = Object.entries(ITEM_FIELDS).map(([name, fields]) => [
    name,
    fields.map((field) => textOf(item[field])).find(Boolean),
  ])
  return { ...Object.fromEntries(values), CATALOG_ID: catalogId }
}

/** What of an item an ad shows. */
export interface ShownItem {
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly url?: string | undefined
  readonly imageUrl?: string | undefined
  readonly price?: string | undefined
}

/**
 * Title, text, page, image and price of an item, by the names that catalog types use for them. What looks like a macro in them is none: nested
 * expansion of catalog values is prohibited (AdCP universal macros).
 */
export function shownItem(item: CatalogItem): ShownItem {
  const pick = (...fields: string[]) => fields.map((field) => textOf(item[field])).find(Boolean)
  return {
    title: inert(pick('title', 'name', 'headline')),
    description: inert(pick('description', 'summary', 'tagline')),
    url: inertUrl(pick('url', 'landing_url', 'link')),
    imageUrl: inertUrl(pick('image_url', 'image_link', 'image')),
    price: priceOf(item.price),
  }
}

/** The word joiner (U+2060) has no width and breaks the syntax of a macro. */
function inert(text: string | undefined): string | undefined {
  return text?.replace(/\{(?=[A-Z])/g, '{\u2060')
}

function inertUrl(url: string | undefined): string | undefined {
  return url?.replaceAll('{', '%7B').replaceAll('}', '%7D')
}

function priceOf(price: unknown): string | undefined {
  if (typeof price !== 'object' || price === null) return undefined
  const { amount, currency } = price as Readonly<Record<string, unknown>>
  return typeof amount === 'number' && typeof currency === 'string' ? `${amount.toFixed(2)} ${currency}` : undefined
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}
