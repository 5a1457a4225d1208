import { AdcpError } from '../../protocol/errors.ts'
import type { ItemDocument } from './catalog.ts'
import type { DeclaredCatalog } from './declared-catalog.ts'

type Mapping = NonNullable<DeclaredCatalog['feed_field_mappings']>[number]
type Json = Record<string, unknown>

/** Rules of one feed: the types of catalogs have some 40 fields. */
const MAX_MAPPINGS = 200

/** Throws VALIDATION_ERROR for more rules than are applied to each record of a feed. */
export function checkMappings({ length }: readonly Mapping[]): void {
  if (length <= MAX_MAPPINGS) return
  throw new AdcpError('VALIDATION_ERROR', `feed_field_mappings has ${length} entries; at most ${MAX_MAPPINGS} are accepted`, {
    field: 'feed_field_mappings',
  })
}

/**
 * Applies a buyer's normalisation rules to one record of a feed (AdCP core/catalog-field-mapping.json): renames, transforms, constants and asset pools.
 * Fields that no rule takes stay as they are.
 */
export function mapFields(record: ItemDocument, mappings: readonly Mapping[]): ItemDocument {
  const item: Json = { ...record }
  const assets: unknown[] = Array.isArray(record.assets) ? [...record.assets] : []
  for (const { feed_field } of mappings) if (feed_field !== undefined) delete item[feed_field]
  for (const mapping of mappings) {
    const value = fieldValue(record, mapping)
    if (value === undefined) continue
    if (mapping.asset_group_id !== undefined) item.assets = withAsset(assets, mapping.asset_group_id, value)
    else if (mapping.catalog_field !== undefined) place(item, mapping.catalog_field.split('.'), value)
  }
  return item
}

function fieldValue(record: ItemDocument, mapping: Mapping): unknown {
  if (mapping.feed_field === undefined) return mapping.value
  const raw = record[mapping.feed_field]
  const value = raw === undefined || raw === null || raw === '' ? undefined : transformed(raw, mapping)
  return value ?? mapping.default
}

/** Undefined when the value is not of the kind that the transform takes. */
function transformed(raw: unknown, { transform, by = 1, separator = ',', format = '' }: Mapping): unknown {
  const text = String(raw)
  switch (transform) {
    case 'divide':
      return Number.isFinite(Number(text)) ? Number(text) / by : undefined
    case 'boolean':
      return /^(true|yes|y|1|in[ _]stock|available)$/i.test(text.trim())
    case 'split':
      return text
        .split(separator)
        .map((part) => part.trim())
        .filter((part) => part !== '')
    case 'date':
      return dateOf(text, format)
    default:
      return raw
  }
}

/** Day of a text in a pattern of `YYYY`, `MM`, `DD` and literals, as `YYYY-MM-DD`. Days do not move with a timezone. */
function dateOf(text: string, format: string): string | undefined {
  const part = (token: string) => {
    const at = format.toUpperCase().indexOf(token)
    return at < 0 ? undefined : text.slice(at, at + token.length)
  }
  const day = `${part('YYYY')}-${part('MM') ?? '01'}-${part('DD') ?? '01'}`
  const parsed = new Date(`${day}T00:00:00Z`)
  return Number.isNaN(parsed.getTime()) || parsed.toISOString().slice(0, 10) !== day ? undefined : day
}

/** Offerings and items keep media in typed pools (core/offering-asset-group.json). */
function withAsset(assets: unknown[], groupId: string, url: unknown): unknown[] {
  const type = groupId === 'video' ? 'video' : 'image'
  assets.push({ asset_group_id: groupId, asset_type: type, items: [{ asset_type: type, url }] })
  return assets
}

/** Names that reach an object's prototype are never written. */
const FORBIDDEN: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

function place(target: Json, [head = '', ...rest]: readonly string[], value: unknown): void {
  if (FORBIDDEN.has(head)) return
  if (rest.length === 0) {
    target[head] = value
    return
  }
  const inner = target[head]
  const child: Json = typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? { ...inner } : {}
  target[head] = child
  place(child, rest, value)
}
