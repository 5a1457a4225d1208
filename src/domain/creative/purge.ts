import { AdcpError } from '../../protocol/errors.ts'

/** `soft` leaves a tombstone for {@link TOMBSTONE_MS}; `hard` leaves nothing (AdCP 3.1, creative/creative-purged-webhook.json). */
export const PURGE_KINDS = ['hard', 'soft'] as const
export type PurgeKind = (typeof PURGE_KINDS)[number]

/** How long a tombstone is shown: as long as deliveries of webhooks are (same schema). */
export const TOMBSTONE_MS = 30 * 86_400_000

/** Why a creative may be destroyed, each with the kinds of purge that it allows (enums/creative-event-reason-code.json). */
const KINDS_BY_REASON = {
  source_deleted: ['soft', 'hard'],
  takedown_request: ['soft', 'hard'],
  advertiser_request: ['soft', 'hard'],
  account_closed: ['soft', 'hard'],
  retention_expired: ['soft'],
  legal_erasure: ['hard'],
} as const satisfies Record<string, readonly PurgeKind[]>

export type PurgeReason = keyof typeof KINDS_BY_REASON

export const PURGE_REASONS = Object.keys(KINDS_BY_REASON) as PurgeReason[]

/** The destruction of a creative. */
export interface Purge {
  readonly kind: PurgeKind
  readonly reason: PurgeReason
  /** For the buyer to read; at most 500 characters reach it. */
  readonly detail?: string | undefined
}

/** What is assumed of a purge that names no reason. */
export function defaultReason(kind: PurgeKind): PurgeReason {
  return kind === 'hard' ? 'legal_erasure' : 'takedown_request'
}

/** Throws INVALID_REQUEST for a reason that does not allow the kind of purge. `field` is that of the reason. */
export function checkPurge({ kind, reason }: Purge, field: string): void {
  const allowed: readonly PurgeKind[] = KINDS_BY_REASON[reason]
  if (allowed.includes(kind)) return
  throw new AdcpError('INVALID_REQUEST', `${field} ${reason} is for a ${allowed.join(' or ')} purge, not for a ${kind} one`, {
    field,
  })
}

/** Who decided: a rule of the server, or a person at the publisher. */
export function initiatorOf(reason: PurgeReason): 'seller' | 'system' {
  return reason === 'retention_expired' || reason === 'account_closed' ? 'system' : 'seller'
}
