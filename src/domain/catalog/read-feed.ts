import type { Steps } from '../../platform/concurrency/steps.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'
import { withoutTags } from '../without-tags.ts'
import type { ItemDocument } from './catalog.ts'
import type { DeclaredCatalog } from './declared-catalog.ts'
import { checkMappings, mapFields } from './field-mapping.ts'

type Json = Record<string, unknown>

/** Items of a feed: one product may have many variants. */
const MAX_ITEMS_OF_FEED = 100_000
/** Characters of all items: a feed has 10 million bytes, and each item has texts of its own. */
const MAX_CHARACTERS = 12_000_000
/** Characters and values of one item, on all levels: a text has 200,000 at most. */
const MAX_OF_ITEM = 1_000_000

/** A record of a feed, and how the feed is written. */
interface FeedRecord {
  readonly syntax: 'json' | 'xml' | 'delimited'
  readonly record: ItemDocument
}

/**
 * Items of a feed, from its records, in our vocabulary. Shopify products of a JSON feed become one item a variant. A step is an item. Throws
 * VALIDATION_ERROR for more rules, items or characters than are taken: the texts of a product count for each of its variants.
 */
export function* feedItems(
  records: readonly FeedRecord[],
  {
    feed_format: format = 'custom',
    feed_field_mappings: mappings = [],
  }: Pick<DeclaredCatalog, 'feed_format' | 'feed_field_mappings'>,
): Steps<ItemDocument[]> {
  checkMappings(mappings)
  const items: ItemDocument[] = []
  let characters = 0
  for (const { syntax, record } of records) {
    for (const each of format === 'shopify' && syntax === 'json' ? variantsOf(record) : [record]) {
      const item = mapFields(TRANSLATIONS[format](each), mappings)
      items.push(item)
      characters += lengthOf(item)
      if (items.length > MAX_ITEMS_OF_FEED) throw tooLarge(`more than ${MAX_ITEMS_OF_FEED} items`)
      if (characters > MAX_CHARACTERS) throw tooLarge(`items of more than ${MAX_CHARACTERS} characters in all`)
      yield
    }
  }
  return items
}

function tooLarge(what: string): AdcpError {
  return new AdcpError('VALIDATION_ERROR', `the feed has ${what}, those of each variant counted; split it into several catalogs`)
}

/** Characters and values of an item, down to the last level. Throws VALIDATION_ERROR for more than one item has. */
function lengthOf(item: ItemDocument): number {
  let length = 0
  const stack: unknown[] = [item]
  while (stack.length > 0) {
    const value = stack.pop()
    length += typeof value === 'string' ? value.length + 1 : 1
    if (length > MAX_OF_ITEM) throw tooLarge(`an item of more than ${MAX_OF_ITEM} characters and values`)
    if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) stack.push(each)
  }
  return length
}

const TRANSLATIONS: Readonly<Record<NonNullable<DeclaredCatalog['feed_format']>, (record: ItemDocument) => ItemDocument>> = {
  google_merchant_center: merchantItem,
  facebook_catalog: merchantItem,
  shopify: (record) => record,
  linkedin_jobs: jobItem,
  custom: (record) => record,
}

/** Google's product data specification; Meta's catalog has the same names. Unknown fields stay. */
function merchantItem(record: ItemDocument): ItemDocument {
  const { id, link, image_link, price, sale_price, google_product_category, product_type, ...rest } = record
  const now = priceOf(sale_price) ?? priceOf(price)
  return {
    ...rest,
    ...(id !== undefined && { item_id: id, sku: rest.sku ?? id }),
    ...(link !== undefined && { url: link }),
    ...(image_link !== undefined && { image_url: image_link }),
    ...(now ? { price: now } : price !== undefined && { price }),
    ...((product_type ?? google_product_category) !== undefined && { category: product_type ?? google_product_category }),
  }
}

/** `19.99 USD`, as product feeds write it. */
function priceOf(value: unknown): { amount: number; currency: string } | undefined {
  const [, amount, currency] = /^(\d+(?:[.,]\d{1,4})?) ([A-Z]{3})$/.exec(String(value ?? '').trim()) ?? []
  return amount === undefined || currency === undefined ? undefined : { amount: Number(amount.replace(',', '.')), currency }
}

/** LinkedIn's job feed (`partnerJobId`, `applyUrl`, `company`). */
function jobItem(record: ItemDocument): ItemDocument {
  const { partnerJobId, applyUrl, company, jobtype, ...rest } = record
  return {
    ...rest,
    ...(partnerJobId !== undefined && { job_id: partnerJobId }),
    ...(applyUrl !== undefined && { apply_url: applyUrl }),
    ...(company !== undefined && { company_name: company }),
    ...(jobtype !== undefined && { employment_type: jobtype }),
  }
}

/** One item for each variant of a Shopify product; a product without variants is one item. */
function* variantsOf(product: Json): Generator<ItemDocument> {
  const { variants, id, title, body_html, handle, images, image, product_type, vendor } = product
  const first = Array.isArray(images) ? images[0] : image
  const common = {
    title,
    ...(typeof body_html === 'string' && { description: withoutTags(body_html).trim() }),
    ...(isObject(first) && typeof first.src === 'string' && { image_url: first.src }),
    ...(typeof product.url === 'string' && { url: product.url }),
    ...(handle !== undefined && { handle }),
    ...(product_type !== undefined && { category: product_type }),
    ...(vendor !== undefined && { brand: vendor }),
  }
  const list = Array.isArray(variants) ? variants.filter(isObject) : []
  if (list.length === 0) yield { ...common, item_id: id }
  for (const variant of list)
    yield {
      ...common,
      item_id: variant.id ?? id,
      ...(variant.sku !== undefined && { sku: variant.sku }),
      ...(variant.barcode !== undefined && variant.barcode !== null && { gtin: variant.barcode }),
      ...(variant.price !== undefined && { price: String(variant.price) }),
      ...(list.length > 1 && variant.title !== undefined && { title: `${title} – ${variant.title}` }),
    }
}
