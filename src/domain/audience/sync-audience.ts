import { AdcpError, toWireError, type WireError } from '../../protocol/errors.ts'
import {
  type Audience,
  type AudienceDocument,
  type AudienceSize,
  audienceStatus,
  type DeclaredAudience,
  type KindSize,
} from './audience.ts'

/** Kinds of identifiers that have a name (AdCP enums/match-id-type.json). */
const MATCH_ID_TYPES = ['hashed_email', 'hashed_phone', 'rampid', 'id5', 'uid2', 'euid', 'pairid', 'maid'] as const
type MatchIdType = (typeof MATCH_ID_TYPES)[number] | 'other'
type Breakdown = { id_type: MatchIdType; submitted: number; matched: number; match_rate: number }[]

/** A row of sync_audiences (media-buy/sync-audiences-response.json, `audiences[]`). */
interface Row {
  audience_id: string
  name?: string
  tags?: string[]
  seller_id?: string
  action: 'created' | 'updated' | 'unchanged' | 'deleted' | 'failed'
  status?: 'processing' | 'ready' | 'too_small'
  suspended?: true
  uploaded_count?: number
  total_uploaded_count?: number
  matched_count?: number
  effective_match_rate?: number
  match_breakdown?: Breakdown
  last_synced_at?: string
  minimum_size?: number
  errors?: WireError[]
}

/** The result of a sync of one audience, before anybody joins or leaves it. */
export type AudienceDecision =
  | { readonly action: 'created'; readonly audience: Audience }
  | { readonly action: 'kept'; readonly audience: Audience; readonly isChanged: boolean }
  | { readonly action: 'deleted'; readonly audience: Audience }
  | { readonly action: 'failed'; readonly audienceId: string; readonly error: AdcpError }

/** Decides on one audience of sync_audiences (upsert by the buyer's id). `field` is its path, e.g. `audiences[0]`. */
export function decideAudience(
  wire: DeclaredAudience,
  existing: Audience | undefined,
  field: string,
  { accountId, sellerId, now }: { readonly accountId: string; readonly sellerId: string; readonly now: Date },
): AudienceDecision {
  if (wire.delete === true) {
    if (existing) return { action: 'deleted', audience: existing }
    return unknown(wire, field)
  }
  // Members cannot be removed from an audience that does not exist (sync_audiences, error codes).
  if (!existing && wire.remove && wire.remove.length > 0) return unknown(wire, field)
  const at = now.toISOString()
  const document = { ...existing?.document, ...documentOf(wire) }
  if (!existing) {
    const audience = { audienceId: wire.audience_id, accountId, sellerId, document, lastSyncedAt: at, createdAt: at, revision: 1 }
    return { action: 'created', audience }
  }
  const isChanged = JSON.stringify(sorted(document)) !== JSON.stringify(sorted(existing.document))
  return { action: 'kept', audience: { ...existing, document, lastSyncedAt: at }, isChanged }
}

function unknown(wire: DeclaredAudience, field: string): AudienceDecision {
  const at = `${field}.audience_id`
  return failed(wire, new AdcpError('REFERENCE_NOT_FOUND', `${at} is no audience of the account`, { field: at }))
}

/** The refusal of an audience that an earlier entry of the request is about already. */
export function twice(wire: DeclaredAudience, field: string): AudienceDecision {
  const at = `${field}.audience_id`
  return failed(wire, new AdcpError('VALIDATION_ERROR', `${at} is that of an earlier audience`, { field: at }))
}

/**
 * The wire row of an audience as it is (media-buy/sync-audiences-response.json, `audiences[]`). Matches of an audience that is too small are left out: they
 * would say something of single people.
 */
export function presentAudience(
  audience: Audience,
  size: AudienceSize,
  { action, uploaded, minimumSize }: { readonly action: Row['action']; readonly uploaded: number; readonly minimumSize: number },
): Row {
  const status = audienceStatus(audience, size, minimumSize)
  const isTold = size.matched >= minimumSize
  return {
    audience_id: audience.audienceId,
    ...(audience.document.name !== undefined && { name: audience.document.name }),
    ...(audience.document.tags && { tags: audience.document.tags }),
    seller_id: audience.sellerId,
    action,
    // 3.0 has no word for it; the step to 3.1 makes it `suspended`.
    ...(status === 'suspended' ? { status: 'processing', suspended: true } : { status }),
    uploaded_count: uploaded,
    total_uploaded_count: size.members,
    ...(isTold && {
      matched_count: size.matched,
      effective_match_rate: rate(size.matched, size.members),
      ...(size.byKind.length > 0 && { match_breakdown: breakdownOf(size.byKind) }),
    }),
    last_synced_at: audience.lastSyncedAt,
    ...(status === 'too_small' && { minimum_size: minimumSize }),
  }
}

/** Kinds without a name in AdCP enums/match-id-type are reported together. */
function breakdownOf(byKind: readonly KindSize[]): Breakdown {
  const sums = new Map<MatchIdType, { submitted: number; matched: number }>()
  for (const { kind, submitted, matched } of byKind) {
    const type = MATCH_ID_TYPES.find((known) => known === kind) ?? 'other'
    const sum = sums.get(type) ?? { submitted: 0, matched: 0 }
    sums.set(type, { submitted: sum.submitted + submitted, matched: sum.matched + matched })
  }
  return [...sums].map(([id_type, sum]) => ({ id_type, ...sum, match_rate: rate(sum.matched, sum.submitted) }))
}

/** The wire row of a refusal. */
export function presentAudienceFailure(audienceId: string, error: AdcpError): Row {
  return { audience_id: audienceId, action: 'failed', errors: [toWireError(error)] }
}

function failed({ audience_id }: DeclaredAudience, error: AdcpError): AudienceDecision {
  return { action: 'failed', audienceId: audience_id, error }
}

/** Fields that the request leaves out stay as they are. */
function documentOf({ name, description, audience_type, tags, consent_basis }: DeclaredAudience): AudienceDocument {
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(audience_type !== undefined && { audience_type }),
    ...(tags !== undefined && { tags }),
    ...(consent_basis !== undefined && { consent_basis }),
  }
}

function sorted(document: AudienceDocument): readonly unknown[] {
  return Object.entries(document).sort(([a], [b]) => (a < b ? -1 : 1))
}

function rate(part: number, whole: number): number {
  return whole > 0 ? Math.round((part / whole) * 10_000) / 10_000 : 0
}
