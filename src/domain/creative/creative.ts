import type { VendorPrice } from '../vendor-price.ts'
import type { Assets } from './assets.ts'
import type { FormatKey } from './formats/format-id.ts'
import type { Provenance } from './provenance.ts'

/** Review status of a creative (AdCP enums/creative-status; `suspended` since 3.1: an approval that does not count for now). */
export type CreativeStatus = 'processing' | 'pending_review' | 'approved' | 'rejected' | 'archived' | 'suspended'

/** An id that broadcasters know an ad by. */
export interface IndustryIdentifier {
  type: 'ad_id' | 'isci' | 'clearcast_clock'
  value: string
}

/** A set of values that a creative is previewed with. */
export interface PreviewInput {
  name: string
  macros?: { [macro: string]: string | undefined }
  context_description?: string
}

/** A creative as a buyer sends it (AdCP core/creative-asset.json). */
export interface SentCreative {
  creative_id: string
  name: string
  format_id: FormatKey
  assets: Assets
  inputs?: PreviewInput[]
  tags?: string[]
  status?: Exclude<CreativeStatus, 'suspended'>
  weight?: number
  placement_ids?: string[]
  industry_identifiers?: IndustryIdentifier[]
  provenance?: Provenance
}

/** The buyer's part of a creative: what a sync replaces as a whole. */
export interface CreativeContent {
  readonly name: string
  /** As the buyer wrote it, so that it reads back unchanged. */
  readonly formatId: FormatKey
  /** The buyer named its format by what kind it is (3.1 `format_kind`), and reads it back so. */
  readonly namedByKind?: true
  readonly assets: Assets
  readonly tags: readonly string[]
  readonly conceptId?: string
  readonly conceptName?: string
  readonly variables?: readonly CreativeVariable[]
  readonly industryIdentifiers?: IndustryIdentifier[]
  readonly provenance?: Provenance
  /** What serving it costs; the seller's, and no part of what a buyer sends. */
  readonly prices?: readonly VendorPrice[]
}

/** A slot for dynamic content (AdCP core/creative-variable.json). */
export interface CreativeVariable {
  readonly variable_id: string
  readonly name: string
  readonly variable_type: (typeof VARIABLE_TYPES)[number]
  readonly default_value?: string
  readonly required?: boolean
}

const VARIABLE_TYPES = ['text', 'image', 'video', 'audio', 'url', 'number', 'boolean', 'color', 'date'] as const

/** One creative of the library. Its id is the buyer's and unique within the account. */
export interface Creative {
  readonly creativeId: string
  /** Account that owns it; '' for one that every account of the agent has. */
  readonly accountId: string
  readonly content: CreativeContent
  readonly status: CreativeStatus
  /** Why it was rejected or waits for a person; public text. */
  readonly statusReason?: string
  /** When it was approved last; absent before its first approval and after it lost it. */
  readonly approvedAt?: string
  readonly createdAt: string
  readonly updatedAt: string
  /** Grows with each change; compare-and-set token of the store. */
  readonly revision: number
}

/** The content of a creative that a buyer sends. Fields that a library has no use for (`weight`, `inputs`) stay out. */
export function contentOf(wire: SentCreative): CreativeContent {
  const extra: Readonly<Record<string, unknown>> = { ...wire }
  const variables = Array.isArray(extra.variables) ? extra.variables.filter(isVariable) : []
  return {
    name: wire.name,
    formatId: wire.format_id,
    ...(typeof extra.format_kind === 'string' && { namedByKind: true }),
    assets: wire.assets,
    tags: [...new Set(wire.tags ?? [])],
    ...(typeof extra.concept_id === 'string' && { conceptId: extra.concept_id }),
    ...(typeof extra.concept_name === 'string' && { conceptName: extra.concept_name }),
    ...(variables.length > 0 && { variables }),
    ...(wire.industry_identifiers && { industryIdentifiers: wire.industry_identifiers }),
    ...(wire.provenance && { provenance: wire.provenance }),
  }
}

/** Names of the official fields in which two contents differ. */
export function changedFields(before: CreativeContent, after: CreativeContent): string[] {
  const fields = {
    name: (content: CreativeContent) => content.name,
    format_id: (content: CreativeContent) => content.formatId,
    assets: (content: CreativeContent) => content.assets,
    tags: (content: CreativeContent) => content.tags,
    concept: ({ conceptId, conceptName }: CreativeContent) => [conceptId, conceptName],
    variables: (content: CreativeContent) => content.variables,
    industry_identifiers: (content: CreativeContent) => content.industryIdentifiers,
    provenance: (content: CreativeContent) => content.provenance,
  }
  return Object.entries(fields)
    .filter(([, read]) => sortedJson(read(before)) !== sortedJson(read(after)))
    .map(([name]) => name)
}

/** Whether a change of these fields is a new ad that has to be reviewed; names, tags and concepts only sort the library. */
export function needsReview(fields: readonly string[]): boolean {
  return fields.some((field) => ['format_id', 'assets', 'variables', 'provenance'].includes(field))
}

/** JSON that does not depend on the order in which a sender wrote the members of its objects. */
function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}

function isVariable(value: unknown): value is CreativeVariable {
  if (typeof value !== 'object' || value === null) return false
  const { variable_id, name, variable_type, default_value, required } = value as Readonly<Record<string, unknown>>
  return (
    typeof variable_id === 'string' &&
    typeof name === 'string' &&
    VARIABLE_TYPES.some((type) => type === variable_type) &&
    (default_value === undefined || typeof default_value === 'string') &&
    (required === undefined || typeof required === 'boolean')
  )
}
