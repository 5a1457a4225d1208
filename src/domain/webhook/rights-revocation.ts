import type { RightUse } from '../brand/right-use.ts'

/** Rights that were withdrawn. */
export interface RightsRevocation {
  readonly grantId: string
  readonly brandId: string
  readonly reason: string
  /** From then on nothing may be shown under the grant. */
  readonly effectiveAt: Date
  /** Absent: all uses of the grant. */
  readonly uses?: readonly RightUse[]
}

/** The body of a revocation (AdCP brand/revocation-notification.json) as text. */
export function rightsRevocationBody(
  { grantId, brandId, reason, effectiveAt, uses }: RightsRevocation,
  idempotencyKey: string,
): string {
  return JSON.stringify({
    idempotency_key: idempotencyKey,
    rights_id: grantId,
    brand_id: brandId,
    reason,
    effective_at: effectiveAt.toISOString(),
    ...(uses && { revoked_uses: uses }),
  })
}
