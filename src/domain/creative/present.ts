import type { VendorPrice } from '../vendor-price.ts'
import type { Asset, Assets } from './assets.ts'
import type { CanonicalKind } from './canonical/kind.ts'
import type { Creative, CreativeStatus, CreativeVariable } from './creative.ts'
import type { FormatKey } from './formats/format-id.ts'
import { wireStatus } from './lifecycle.ts'
import type { PurgeReason } from './purge.ts'

/** A piece of a creative that can be shown by itself. */
type ShownPiece =
  | { asset_kind: 'media'; asset_type: string; asset_id: string; content_uri: string }
  | { asset_kind: 'text'; asset_type: string; asset_id: string; content: string }

/** A part of a row that can be asked for. */
export type CreativeField =
  | 'creative_id'
  | 'name'
  | 'format_id'
  | 'status'
  | 'created_date'
  | 'updated_date'
  | 'tags'
  | 'assignments'
  | 'snapshot'
  | 'items'
  | 'variables'
  | 'concept'
  | 'pricing_options'

/** A creative of the library as a list shows it. */
export interface ListedCreative {
  creative_id: string
  name: string
  format_id: FormatKey
  status: Exclude<CreativeStatus, 'suspended'>
  created_date: string
  updated_date: string
  assets?: Assets
  tags?: string[]
  concept_id?: string
  concept_name?: string
  variables?: CreativeVariable[]
  assignments?: { assignment_count: number; assigned_packages?: { package_id: string; assigned_date: string }[] }
  snapshot?: { as_of: string; staleness_seconds: number; impressions: number; last_served?: string }
  items?: ShownPiece[]
  pricing_options?: VendorPrice[]
}

export interface ListedOptions {
  readonly fields: readonly CreativeField[] | undefined
  readonly includeAssignments: boolean
  /** What creatives served up to now, by id; absent: no snapshots are shown. */
  readonly snapshots: { readonly served: ReadonlyMap<string, Served>; readonly now: Date } | undefined
  readonly includeItems: boolean
  readonly includeVariables: boolean
  /** Whether rows hold the assets when no fields are asked for: the caller named creatives. */
  readonly whole: boolean
  /** How else than by its id the format of a creative can be named, for releases that know kinds; absent: it is named by its id. */
  readonly kindOf: ((creative: Creative) => KnownFormat | undefined) | undefined
  /** Prices of a creative; absent: none are shown. */
  readonly pricesOf: ((creative: Creative) => readonly VendorPrice[]) | undefined
}

/** The names of a format that clients of later releases look up. */
export interface KnownFormat {
  readonly kind: CanonicalKind
  /** The official format that takes the same files; undefined where there is none, or where it is named by its kind. */
  readonly official: FormatKey | undefined
  /** Whether it is a format of this agent: options of its products have the ids of these (core/format-option-ref.json), and the kind alone tells no size. */
  readonly isOwn: boolean
}

/** Lifetime delivery of a creative. */
export interface Served {
  readonly impressions: number
  /** UTC day. */
  readonly lastDay: string
}

/** A package that a creative is assigned to. */
export interface AssignedPackage {
  readonly packageId: string
  readonly assignedAt: string
}

/** The packages that a creative is assigned to, the newest of them where there are many, and how many there are. */
interface Assigned {
  readonly packages: readonly AssignedPackage[]
  readonly count: number
}

/**
 * A row of list_creatives. `fields` narrows it to what was asked for beside the fields that every row has; without it the row of a creative
 * that the caller named holds the assets too.
 */
export function presentCreative(creative: Creative, assigned: Assigned, options: ListedOptions): ListedCreative {
  const { creativeId, content, status, createdAt, updatedAt } = creative
  const { fields } = options
  const prices = options.pricesOf?.(creative) ?? []
  const wanted = (field: NonNullable<typeof fields>[number]) => !fields || fields.includes(field)
  return {
    creative_id: creativeId,
    name: content.name,
    ...formatName(content, options.kindOf?.(creative)),
    ...wireStatus(status),
    created_date: createdAt,
    updated_date: updatedAt,
    ...(options.whole && !fields && { assets: content.assets }),
    ...(wanted('tags') && content.tags.length > 0 && { tags: [...content.tags] }),
    ...(wanted('concept') && content.conceptId !== undefined && { concept_id: content.conceptId }),
    ...(wanted('concept') && content.conceptName !== undefined && { concept_name: content.conceptName }),
    ...(wanted('variables') && options.includeVariables && content.variables && { variables: [...content.variables] }),
    ...(wanted('assignments') && options.includeAssignments && { assignments: presentAssignments(assigned) }),
    ...(wanted('items') && options.includeItems && { items: itemsOf(content.assets) }),
    ...(wanted('pricing_options') && prices.length > 0 && { pricing_options: [...prices] }),
    ...(wanted('snapshot') && options.snapshots && { snapshot: presentSnapshot(creativeId, options.snapshots) }),
  }
}

/**
 * A row for a creative that was destroyed (AdCP 3.1, creative/list-creatives-response.json `purge`): its status is the last one that it had, and nothing of
 * its content is shown.
 */
export function presentTombstone(
  creative: Creative,
  { at, reason }: { readonly at: string; readonly reason: PurgeReason },
  kindOf: ListedOptions['kindOf'],
): ListedCreative & { readonly purge: object } {
  const { creativeId, content, status, createdAt, updatedAt } = creative
  return {
    creative_id: creativeId,
    name: content.name,
    ...formatName(content, kindOf?.(creative)),
    ...wireStatus(status),
    created_date: createdAt,
    updated_date: updatedAt,
    purge: { kind: 'soft', at, reason_code: reason },
  }
}

/**
 * From 3.1 on a creative is named by the id of its format or by its kind (creative/list-creatives-response.json): by the kind where its format has no official
 * id, which clients could look up. Until the answer is converted it has its id beside its kind.
 */
function formatName({ formatId }: Creative['content'], known: KnownFormat | undefined) {
  if (!known) return { format_id: formatId }
  if (known.official) return { format_id: known.official }
  const option = known.isOwn && { format_option_ref: { scope: 'product', format_option_id: formatId.id } }
  return { format_id: formatId, ...{ format_kind: known.kind, ...option } }
}

/** Reports are by day: a creative served last at the end of its last day, or just now when that is today. */
function presentSnapshot(creativeId: string, { served, now }: NonNullable<ListedOptions['snapshots']>) {
  const own = served.get(creativeId)
  const at = now.toISOString()
  const end = own && `${own.lastDay}T23:59:59.999Z`
  return {
    as_of: at,
    staleness_seconds: 0,
    impressions: own?.impressions ?? 0,
    ...(end !== undefined && { last_served: end < at ? end : at }),
  }
}

function presentAssignments({ packages, count }: Assigned) {
  return {
    assignment_count: count,
    ...(packages.length > 0 && {
      assigned_packages: packages.map(({ packageId, assignedAt }) => ({ package_id: packageId, assigned_date: assignedAt })),
    }),
  }
}

/** The pieces of a creative as items (AdCP core/creative-item.json): files by address, texts by content. */
function itemsOf(assets: Assets): ShownPiece[] {
  return Object.entries(assets).flatMap(([assetId, asset]) => (asset ? itemOf(assetId, asset) : []))
}

function itemOf(assetId: string, asset: Asset): ShownPiece[] {
  switch (asset.asset_type) {
    case 'image':
    case 'video':
    case 'audio':
      return [{ asset_kind: 'media', asset_type: asset.asset_type, asset_id: assetId, content_uri: asset.url }]
    case 'text':
    case 'markdown':
      return [{ asset_kind: 'text', asset_type: asset.asset_type, asset_id: assetId, content: asset.content }]
    default:
      return []
  }
}
