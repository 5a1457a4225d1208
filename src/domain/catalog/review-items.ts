import type { Steps } from '../../platform/concurrency/steps.ts'
import { isObject } from '../../protocol/is-object.ts'
import { type CatalogItem, type ItemDocument, MAX_ITEMS } from './catalog.ts'
import type { CatalogType } from './catalog-type.ts'
import type { DeclaredCatalog } from './declared-catalog.ts'
import { ITEM_RULES, URL_FIELDS } from './item-rules.ts'

/** Items as reviewed, and what has to be said of the catalog as a whole. */
export interface ReviewedItems {
  readonly items: readonly CatalogItem[]
  readonly warnings: readonly string[]
}

type Declared = Pick<DeclaredCatalog, 'type' | 'content_id_type' | 'ids' | 'gtins' | 'tags' | 'category' | 'query'>

/**
 * Reviews the items of a catalog: those that its selectors leave out are dropped, those that cannot become an ad are rejected with reasons, poor ones pass
 * with a warning. A step is an item. Values are taken as they are: what makes them safe in an ad is done where they are put into it.
 */
export function* reviewItems(declared: Declared, raw: readonly ItemDocument[]): Steps<ReviewedItems> {
  const seen = new Set<string>()
  const items: CatalogItem[] = []
  let repeated = 0
  let beyond = 0
  const isSelected = selection(declared)
  for (const [index, document] of raw.entries()) {
    yield
    if (!isSelected(document)) continue
    if (items.length >= MAX_ITEMS) {
      beyond += 1
      continue
    }
    const item = reviewItem(declared, document, index)
    if (seen.has(item.itemId)) {
      repeated += 1
      continue
    }
    seen.add(item.itemId)
    items.push(item)
  }
  return {
    items,
    warnings: [
      ...(repeated > 0 ? [`${repeated} item(s) repeat the id of an earlier one and were left out`] : []),
      ...(beyond > 0 ? [`a catalog holds ${MAX_ITEMS} items here; ${beyond} more were left out`] : []),
      ...(declared.query === undefined ? [] : ['query is not applied: it takes ids, gtins, tags and category here']),
    ],
  }
}

function reviewItem({ type, content_id_type }: Declared, document: ItemDocument, index: number): CatalogItem {
  const rule = ITEM_RULES[type]
  const id = firstText(document, rule.ids)
  const faults = [
    ...(id === undefined ? [`${rule.ids[0]} is missing`] : []),
    ...rule.required.filter((names) => !hasOne(document, names)).map((names) => `${names.join(' or ')} is missing`),
    ...urlFaults(document),
    ...priceFaults(document.price),
    ...locationFaults(document.location, type),
  ]
  const doubts = rule.wanted.filter((names) => !hasOne(document, names)).map((names) => `${names[0]} is missing`)
  const itemId = id ?? `#${index + 1}`
  return {
    itemId,
    contentId: (content_id_type && firstText(document, [content_id_type])) ?? itemId,
    status: faults.length > 0 ? 'rejected' : doubts.length > 0 ? 'warning' : 'approved',
    reasons: faults.length > 0 ? faults : doubts,
    document,
  }
}

/** Selectors narrow a catalog whatever its source (core/catalog.json: `ids`, `gtins`, `tags`, `category`). Both sides may be thousands. */
function selection({ type, ids, gtins, tags, category }: Declared): (item: ItemDocument) => boolean {
  const wantedIds = ids && new Set<string>(ids)
  const wantedGtins = gtins && new Set(gtins.map(canonicalGtin))
  const wantedTags = tags && new Set<unknown>(tags)
  const idMembers = [...ITEM_RULES[type].ids, 'sku']
  return (item) => {
    if (wantedIds && !idMembers.some((name) => isIn(wantedIds, textOf(item[name])))) return false
    if (wantedGtins && !wantedGtins.has(canonicalGtin(textOf(item.gtin) ?? ''))) return false
    if (wantedTags && !(Array.isArray(item.tags) && item.tags.some((tag) => wantedTags.has(tag)))) return false
    if (category === undefined) return true
    const own = textOf(item.category) ?? ''
    return own === category || own.startsWith(`${category}/`)
  }
}

function isIn(wanted: ReadonlySet<string>, text: string | undefined): boolean {
  return text !== undefined && wanted.has(text)
}

/** GTIN-8 to GTIN-14 are the same number with zeros in front (GS1 General Specifications §3.3.2). */
function canonicalGtin(gtin: string): string {
  return gtin.padStart(14, '0')
}

function urlFaults(item: ItemDocument): string[] {
  return URL_FIELDS.flatMap((name) => {
    const value = item[name]
    if (value === undefined || value === null) return []
    const isWeb = typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)
    return isWeb ? [] : [`${name} is not a web address`]
  })
}

/** `{ amount, currency }`, or the text of product feeds: `12.90 USD`. */
function priceFaults(price: unknown): string[] {
  if (price === undefined || price === null) return []
  if (typeof price === 'number') return price >= 0 ? [] : ['price is negative']
  if (typeof price === 'string') return /^\d+([.,]\d+)?( [A-Z]{3})?$/.test(price) ? [] : ['price is not an amount']
  if (!isObject(price)) return ['price is not an amount']
  const { amount, currency } = price
  return [
    ...(amount === undefined || (typeof amount === 'number' && amount >= 0) ? [] : ['price.amount is not an amount']),
    ...(currency === undefined || (typeof currency === 'string' && /^[A-Z]{3}$/.test(currency))
      ? []
      : ['price.currency is not an ISO 4217 code']),
  ]
}

const LOCATED: ReadonlySet<CatalogType> = new Set(['store', 'hotel'])

function locationFaults(location: unknown, type: CatalogType): string[] {
  if (!LOCATED.has(type) || location === undefined) return []
  const { lat, lng } = isObject(location) ? location : {}
  const within = (value: unknown, most: number) => typeof value === 'number' && Math.abs(value) <= most
  return within(lat, 90) && within(lng, 180) ? [] : ['location needs lat and lng in degrees']
}

function hasOne(item: ItemDocument, names: readonly string[]): boolean {
  return names.some((name) => item[name] !== undefined && item[name] !== null && item[name] !== '')
}

function firstText(item: ItemDocument, names: readonly string[]): string | undefined {
  for (const name of names) {
    const text = textOf(item[name])
    if (text !== undefined) return text
  }
  return undefined
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}
