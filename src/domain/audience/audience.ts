/** Somebody in an audience, by the buyer's own id and by what the publisher may know them by. */
export interface DeclaredMember {
  readonly external_id: string
  readonly hashed_email?: string
  readonly hashed_phone?: string
  readonly uids?: readonly { readonly type: string; readonly value: string }[]
}

/** An audience as its buyer declares or changes it. */
export interface DeclaredAudience {
  readonly audience_id: string
  readonly name?: string
  readonly description?: string
  readonly audience_type?: 'crm' | 'suppression' | 'lookalike_seed'
  readonly tags?: string[]
  readonly add?: readonly DeclaredMember[]
  readonly remove?: readonly DeclaredMember[]
  readonly delete?: boolean
  readonly consent_basis?: 'consent' | 'legitimate_interest' | 'contract' | 'legal_obligation'
}

/** What its buyer says of an audience, and whether the publisher has taken it offline; who is in it lies apart. */
export type AudienceDocument = Pick<DeclaredAudience, 'name' | 'description' | 'audience_type' | 'tags' | 'consent_basis'> & {
  readonly suspended?: Suspension
}

/** Why an audience cannot be used for now (AdCP 3.1, enums/impairment-reason-code), and since when (ISO 8601). */
export interface Suspension {
  readonly reasonCode: SuspensionReason
  readonly since: string
}

export const SUSPENSION_REASONS = [
  'policy_violation',
  'consent_expired',
  'ttl_expired',
  'pii_audit_failed',
  'seller_removed',
  'identity_authorization_revoked',
  'identity_authorization_expired',
] as const
export type SuspensionReason = (typeof SUSPENSION_REASONS)[number]

/** A buyer's audience on one account. */
export interface Audience {
  /** The buyer's identifier. */
  readonly audienceId: string
  readonly accountId: string
  /** Ours, unique in the tenant. */
  readonly sellerId: string
  readonly document: AudienceDocument
  readonly lastSyncedAt: string
  readonly createdAt: string
  readonly revision: number
}

/** Members of one kind of identifier, and how many of them the publisher knows by it. */
export interface KindSize {
  readonly kind: string
  readonly submitted: number
  readonly matched: number
}

/** Who is in an audience now: removed members no longer count, and one who was sent twice counts once. */
export interface AudienceSize {
  readonly members: number
  readonly matched: number
  readonly byKind: readonly KindSize[]
}

export const EMPTY: AudienceSize = { members: 0, matched: 0, byKind: [] }

export type AudienceStatus = 'processing' | 'ready' | 'too_small' | 'suspended'

/**
 * Whether an audience can be used (AdCP enums/audience-status). Matching is done when it is synced, so nothing is processed for long. A suppression list works at any size: leaving few
 * people out does not reveal who they are.
 */
export function audienceStatus(
  { document }: Pick<Audience, 'document'>,
  size: AudienceSize,
  minimumSize: number,
): AudienceStatus {
  if (document.suspended) return 'suspended'
  if (document.audience_type === 'suppression') return 'ready'
  return size.matched >= minimumSize ? 'ready' : 'too_small'
}
