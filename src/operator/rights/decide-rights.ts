import { AdcpError } from '../../protocol/errors.ts'
import { decideRightsChange, decideRightsCreative, revokeRights as revokeStoredRights } from '../../tasks/brand/decide-rights.ts'
import { auditedStore } from '../audited-store.ts'
import type { OperatorContext } from '../operator-context.ts'
import { presentGrant, presentSubmission, type ShownGrant, type ShownSubmission } from './list-rights.ts'

interface Named {
  readonly tenantId: string
  /** Id of a submitted creative (`rcs_…`) or of a grant whose change is open (`rgt_…`). */
  readonly id: string
}

/** Approves a creative, on conditions for the buyer, or the change of a grant. Throws REFERENCE_NOT_FOUND, INVALID_STATE. */
export function approveRights(
  context: OperatorContext,
  { tenantId, id, conditions }: Named & { readonly conditions: readonly string[] },
): Promise<ShownGrant | ShownSubmission> {
  return decide(context, { tenantId, id }, { approve: true, conditions })
}

/** Declines a creative or the change of a grant. `suggestions` say what would be approved. Throws REFERENCE_NOT_FOUND, INVALID_STATE. */
export function rejectRights(
  context: OperatorContext,
  { tenantId, id, reason, suggestions }: Named & { readonly reason: string; readonly suggestions: readonly string[] },
): Promise<ShownGrant | ShownSubmission> {
  return decide(context, { tenantId, id }, { approve: false, reason, suggestions })
}

async function decide(
  context: OperatorContext,
  { tenantId, id }: Named,
  decision: Parameters<typeof decideRightsCreative>[3],
): Promise<ShownGrant | ShownSubmission> {
  const now = context.clock()
  const store = auditedStore(context, {
    task: decision.approve ? 'rights.approve' : 'rights.reject',
    tenant: tenantId,
    subject: id,
  })
  if (!id.startsWith('rgt_')) return presentSubmission(await decideRightsCreative(store, tenantId, id, decision, now))
  const services = await context.services.approvals(store)
  return presentGrant(await decideRightsChange({ ...services, store }, tenantId, id, decision, now), now)
}

/** Takes a grant back from a time on (default: now); the buyer learns it at its webhook. Throws REFERENCE_NOT_FOUND, INVALID_STATE, INVALID_REQUEST. */
export async function revokeRights(
  context: OperatorContext,
  { tenantId, id, reason, from }: Named & { readonly reason: string; readonly from?: string | undefined },
): Promise<{ readonly grant: ShownGrant; readonly effectiveAt: Date }> {
  const now = context.clock()
  const effectiveAt = from === undefined ? now : new Date(from)
  if (Number.isNaN(effectiveAt.getTime())) throw new AdcpError('INVALID_REQUEST', '--from is no ISO 8601 time', { field: 'from' })
  const store = auditedStore(context, { task: 'rights.revoke', tenant: tenantId, subject: id })
  return { grant: presentGrant(await revokeStoredRights(store, tenantId, id, { reason, effectiveAt }, now), now), effectiveAt }
}
