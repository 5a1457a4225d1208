import type { Steps } from '../../platform/concurrency/steps.ts'
import { AdcpError, toWireError, type WireError } from '../../protocol/errors.ts'
import type { Catalog, CatalogDocument, CatalogItem, FlaggedItem, ItemDocument, ItemStatus } from './catalog.ts'
import type { DeclaredCatalog } from './declared-catalog.ts'
import { freshFeed, rescheduled } from './feed-schedule.ts'
import { reviewItems } from './review-items.ts'

/** A row of sync_catalogs. */
interface Row {
  catalog_id: string
  action: 'created' | 'updated' | 'unchanged' | 'failed'
  platform_id?: string
  item_count?: number
  items_approved?: number
  items_pending?: number
  items_rejected?: number
  item_issues?: { item_id: string; status: ItemStatus; reasons: string[] }[]
  last_synced_at?: string
  next_fetch_at?: string
  changes?: string[]
  errors?: WireError[]
  warnings?: string[]
}

/** What a fetch of a feed came to. */
export type FeedResult =
  | { readonly ok: true; readonly items: readonly ItemDocument[]; readonly etag?: string; readonly lastModified?: string }
  | { readonly ok: false; readonly error: AdcpError }

/** A digest that is being made. */
export interface Digest {
  update(text: string): unknown
  /** In hexadecimal. */
  digest(encoding: 'hex'): string
}

export interface CatalogSyncContext {
  readonly accountId: string
  readonly platformId: string
  readonly now: Date
  /** Begins a SHA-256 of texts, one after the other. */
  readonly digest: () => Digest
}

/** The result of a sync of one catalog. `items` is absent where the stored ones stay. */
export type CatalogDecision =
  | {
      readonly action: 'created'
      readonly catalog: Catalog
      readonly items: readonly CatalogItem[]
      readonly warnings: readonly string[]
    }
  | {
      readonly action: 'updated' | 'unchanged'
      readonly catalog: Catalog
      readonly items?: readonly CatalogItem[]
      readonly changes: readonly string[]
      readonly warnings: readonly string[]
    }
  | { readonly action: 'failed'; readonly catalogId: string; readonly error: AdcpError }

/**
 * Decides on one catalog of sync_catalogs (upsert by the buyer's id). `feed` is what its URL gave, when it has one; `field` its path in the
 * request, e.g. `catalogs[0]`. A step is an item.
 */
export function* decideCatalog(
  wire: DeclaredCatalog & { readonly catalog_id: string },
  existing: Catalog | undefined,
  feed: FeedResult | undefined,
  field: string,
  context: CatalogSyncContext,
): Steps<CatalogDecision> {
  const { items: inline, catalog_id: catalogId, ...declared } = wire
  const failed = (error: AdcpError): CatalogDecision => ({ action: 'failed', catalogId, error })
  const fault = faultOf(wire, existing, field)
  if (fault) return failed(fault)
  if (feed && !feed.ok) return failed(feed.error)
  const received = feed?.ok ? feed.items : inline
  const document = existing && !received ? { ...existing.document, ...declared } : declared
  const reviewed = received && (yield* reviewItems(document, received))
  const warnings = [...(reviewed?.warnings ?? []), ...frequencyDoubt(wire)]
  const at = context.now.toISOString()
  const state = feed?.ok ? { feed: freshFeed(feed, document.update_frequency, context.now) } : {}
  if (!existing) {
    const items = reviewed?.items ?? []
    return {
      action: 'created',
      catalog: {
        catalogId,
        accountId: context.accountId,
        platformId: context.platformId,
        document,
        ...(yield* tallied(items, context)),
        ...state,
        lastSyncedAt: at,
        createdAt: at,
        revision: 1,
      },
      items,
      warnings,
    }
  }
  const { feed: oldFeed, ...kept } = existing
  const tally = reviewed && (yield* tallied(reviewed.items, context))
  const itemsChanged = tally !== undefined && tally.itemsDigest !== existing.itemsDigest
  const changes = [...changedFields(existing.document, document), ...(itemsChanged ? ['items'] : [])]
  const catalog: Catalog = {
    ...kept,
    document,
    ...tally,
    ...(received ? state : oldFeed && { feed: rescheduled(oldFeed, document.update_frequency, context.now) }),
    lastSyncedAt: at,
  }
  return {
    action: changes.length > 0 ? 'updated' : 'unchanged',
    catalog,
    ...(itemsChanged && { items: reviewed?.items ?? [] }),
    changes,
    warnings,
  }
}

/** In strict mode one catalog that fails takes the others with it (enums/validation-mode.json). */
export function strictCatalogs(decisions: readonly CatalogDecision[]): readonly CatalogDecision[] {
  const culprit = decisions.findIndex(({ action }) => action === 'failed')
  if (culprit < 0) return decisions
  return decisions.map((decision, index) => {
    if (decision.action === 'failed') return decision
    const error = new AdcpError('VALIDATION_ERROR', `not applied: validation_mode is strict and catalogs[${culprit}] failed`, {
      field: `catalogs[${index}]`,
      suggestion: 'mend the catalog that failed, or use validation_mode lenient',
    })
    return { action: 'failed', catalogId: decision.catalog.catalogId, error }
  })
}

/** Most issues that one row lists; more would not help a reader. */
export const MOST_ISSUES = 100

/** The wire row of a catalog as it is (media-buy/sync-catalogs-response.json, `catalogs[]`). */
export function presentCatalog(
  catalog: Omit<Catalog, 'document'>,
  action: 'created' | 'updated' | 'unchanged',
  flagged: readonly FlaggedItem[],
  more: { readonly changes?: readonly string[]; readonly warnings?: readonly string[] } = {},
): Row {
  const { itemCount, pendingCount, rejectedCount, feed } = catalog
  const warnings = [...(more.warnings ?? []), ...(feed?.problem === undefined ? [] : [`the last fetch failed: ${feed.problem}`])]
  const issues = flagged.slice(0, MOST_ISSUES)
  return {
    catalog_id: catalog.catalogId,
    action,
    platform_id: catalog.platformId,
    item_count: itemCount,
    items_approved: itemCount - pendingCount - rejectedCount,
    items_pending: pendingCount,
    items_rejected: rejectedCount,
    ...(issues.length > 0 && {
      item_issues: issues.map(({ itemId, status, reasons }) => ({ item_id: itemId, status, reasons: [...reasons] })),
    }),
    last_synced_at: catalog.lastSyncedAt,
    ...(feed?.nextFetchAt !== undefined && { next_fetch_at: feed.nextFetchAt }),
    ...(action === 'updated' && more.changes && { changes: [...more.changes] }),
    ...(warnings.length > 0 && { warnings }),
  }
}

/** The wire row of a refusal. */
export function presentFailure(catalogId: string, error: AdcpError): Row {
  return { catalog_id: catalogId, action: 'failed', errors: [toWireError(error)] }
}

/** Counts and digest of items as stored: that of their list as JSON. A step is an item. */
export function* tallied(
  items: readonly CatalogItem[],
  { digest }: Pick<CatalogSyncContext, 'digest'>,
): Steps<Pick<Catalog, 'itemsDigest' | 'itemCount' | 'pendingCount' | 'rejectedCount'>> {
  const sum = digest()
  sum.update('[')
  for (const [index, item] of items.entries()) {
    yield
    sum.update(`${index > 0 ? ',' : ''}${JSON.stringify(item)}`)
  }
  sum.update(']')
  const count = (status: CatalogItem['status']) => items.filter((item) => item.status === status).length
  return {
    itemsDigest: sum.digest('hex'),
    itemCount: items.length,
    pendingCount: count('pending'),
    rejectedCount: count('rejected'),
  }
}

function faultOf({ url, items, type }: DeclaredCatalog, existing: Catalog | undefined, field: string): AdcpError | undefined {
  const invalid = (name: string, text: string) =>
    new AdcpError('VALIDATION_ERROR', `${field}.${name} ${text}`, { field: `${field}.${name}` })
  if (url !== undefined && items !== undefined) return invalid('items', 'and url exclude each other')
  if (existing && existing.document.type !== type) return invalid('type', `is ${existing.document.type} and cannot change`)
  if (!existing && url === undefined && items === undefined) return invalid('items', 'or url is required for a new catalog')
  return undefined
}

function frequencyDoubt({ url, items, update_frequency }: DeclaredCatalog): string[] {
  if (update_frequency === undefined || url !== undefined || items === undefined) return []
  return ['update_frequency has no effect without url']
}

function changedFields(before: CatalogDocument, after: CatalogDocument): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  const [a, b]: Record<string, unknown>[] = [{ ...before }, { ...after }]
  return [...names].filter((name) => JSON.stringify(a?.[name]) !== JSON.stringify(b?.[name])).sort()
}
