import { isObject } from '../../protocol/is-object.ts'
import { withoutTags } from '../without-tags.ts'
import type { ItemDocument, WireCatalog } from './catalog.ts'
import { mapFields } from './field-mapping.ts'

type Json = Record<string, unknown>

/** Items of a feed, from its records, in our vocabulary. Shopify products of a JSON feed become one item a variant. */
export function feedItems(
  { syntax, records }: { readonly syntax: 'json' | 'xml' | 'delimited'; readonly records: readonly ItemDocument[] },
  {
    feed_format: format = 'custom',
    feed_field_mappings: mappings = [],
  }: Pick<WireCatalog, 'feed_format' | 'feed_field_mappings'>,
): ItemDocument[] {
  const items = format === 'shopify' && syntax === 'json' ? records.flatMap(variantsOf) : records
  return items.map((item) => mapFields(TRANSLATIONS[format](item), mappings))
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
