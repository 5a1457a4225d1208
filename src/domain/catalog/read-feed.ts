import { parse } from 'csv-parse/sync'
import { AdcpError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'
import { withoutTags } from '../without-tags.ts'
import type { ItemDocument, WireCatalog } from './catalog.ts'
import { mapFields } from './field-mapping.ts'
import { readXml } from './read-xml.ts'

type Json = Record<string, unknown>

/** Longest record of a CSV feed, and longest text of an item in a JSON feed, in characters. */
const MAX_RECORD = 200_000

/**
 * Items of a feed in our vocabulary. The syntax (JSON, XML, delimited text) is recognised from the text itself: the well-known formats exist in several.
 * Throws VALIDATION_ERROR when it cannot be read.
 */
export function readFeed(
  text: string,
  declared: Pick<WireCatalog, 'type' | 'feed_format' | 'feed_field_mappings'>,
): ItemDocument[] {
  const records = readRecords(text.replace(/^\uFEFF/, ''), declared.feed_format)
  const mappings = declared.feed_field_mappings ?? []
  const translate = TRANSLATIONS[declared.feed_format ?? 'custom']
  return records.map((record) => mapFields(translate(record), mappings))
}

function readRecords(text: string, format: WireCatalog['feed_format']): ItemDocument[] {
  const start = text.trimStart()[0]
  if (start === undefined) throw unreadable('is empty')
  if (start === '<') return readXml(text)
  if (start === '{' || start === '[') return readJson(text, format)
  return readDelimited(text)
}

/** A list of items, or an object with one list of items (`items`, `products`, …); Shopify products become one item a variant. */
function readJson(text: string, format: WireCatalog['feed_format']): ItemDocument[] {
  const document = parsedJson(text)
  const list = Array.isArray(document) ? document : listIn(document)
  if (!list) throw unreadable('holds no list of items')
  const records = list.filter(isObject)
  if (records.length < list.length) throw unreadable('has items that are no objects')
  for (const [index, record] of records.entries()) refuseLongTexts(record, index)
  return format === 'shopify' ? records.flatMap(variantsOf) : records
}

/** Throws VALIDATION_ERROR for an item with a text that is longer than the text of any ad. */
function refuseLongTexts(record: Json, index: number): void {
  for (const [name, value] of Object.entries(record)) {
    if (typeof value !== 'string' || value.length <= MAX_RECORD) continue
    throw unreadable(`has a text of ${value.length} characters in item ${index}, ${name.slice(0, 64)}; ${MAX_RECORD} are allowed`)
  }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new AdcpError('VALIDATION_ERROR', 'the feed is not JSON that can be read', { cause })
  }
}

function listIn(document: unknown): readonly unknown[] | undefined {
  if (!isObject(document)) return undefined
  if (Array.isArray(document.items)) return document.items
  const lists = Object.values(document).filter((value) => Array.isArray(value))
  return lists.length === 1 ? lists[0] : undefined
}

/** Comma, semicolon or tab, whichever the heading has most of. */
function readDelimited(text: string): ItemDocument[] {
  const heading = text.slice(0, text.indexOf('\n') < 0 ? undefined : text.indexOf('\n'))
  const count = (delimiter: string) => heading.split(delimiter).length
  const delimiter = [',', '\t', ';'].reduce((best, other) => (count(other) > count(best) ? other : best))
  try {
    const rows: Json[] = parse(text, {
      delimiter,
      columns: (names: string[]) => names.map((name) => name.trim().replace(/^g:/, '')),
      skip_empty_lines: true,
      relax_column_count: true,
      trim: true,
      max_record_size: MAX_RECORD,
    })
    return rows.map((row) => Object.fromEntries(Object.entries(row).filter(([, cell]) => cell !== '')))
  } catch (cause) {
    throw new AdcpError('VALIDATION_ERROR', 'the feed is not delimited text that can be read', { cause })
  }
}

const TRANSLATIONS: Readonly<Record<NonNullable<WireCatalog['feed_format']>, (record: ItemDocument) => ItemDocument>> = {
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
function variantsOf(product: Json): ItemDocument[] {
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
  if (list.length === 0) return [{ ...common, item_id: id }]
  return list.map((variant) => ({
    ...common,
    item_id: variant.id ?? id,
    ...(variant.sku !== undefined && { sku: variant.sku }),
    ...(variant.barcode !== undefined && variant.barcode !== null && { gtin: variant.barcode }),
    ...(variant.price !== undefined && { price: String(variant.price) }),
    ...(list.length > 1 && variant.title !== undefined && { title: `${title} – ${variant.title}` }),
  }))
}

function unreadable(problem: string): AdcpError {
  return new AdcpError('VALIDATION_ERROR', `the feed ${problem}`)
}
