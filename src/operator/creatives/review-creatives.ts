import type { CreativeStatus } from '../../domain/creative/creative.ts'
import { TRANSITIONS } from '../../domain/creative/lifecycle.ts'
import { checkPurge, defaultReason, PURGE_REASONS, type Purge } from '../../domain/creative/purge.ts'
import { findTenant, saveTenantSettings } from '../../store/identity/tenants.ts'
import { decideCreative as decide } from '../../tasks/creative/decide-creative.ts'
import { purgeNamedCreative } from '../../tasks/creative/purge-creative.ts'
import { auditedStore } from '../audited-store.ts'
import type { OperatorContext } from '../operator-context.ts'

export type { CreativeStatus }
export { defaultReason, PURGE_REASONS }

export const CREATIVE_STATUSES: readonly string[] = Object.keys(TRANSITIONS)

/**
 * Lets a creative run, or refuses it: then it stops serving. `reason` is for the buyer; `accountId` is needed when the agent has creatives of this id in several
 * accounts. Gives the new status. Throws CREATIVE_NOT_FOUND, INVALID_STATE, INVALID_REQUEST.
 */
export async function decideCreative(
  context: OperatorContext,
  input: {
    readonly tenantId: string
    readonly principalId: string
    readonly accountId?: string | undefined
    readonly creativeId: string
    readonly status: 'approved' | 'rejected'
    readonly reason?: string | undefined
  },
): Promise<string> {
  const { tenantId, principalId, accountId, creativeId, status, reason } = input
  const task = status === 'approved' ? 'creatives.approve' : 'creatives.reject'
  const store = auditedStore(context, { task, tenant: tenantId, subject: creativeId })
  return (await decide(store, { tenantId, principalId, accountId, creativeId }, status, reason, context.clock())).status
}

/**
 * Destroys a creative for good: it stops serving, leaves its buyer's library, and the subscribers of its account are notified. A soft purge leaves a record
 * without the content for 30 days, a hard one nothing. Throws CREATIVE_NOT_FOUND, INVALID_REQUEST.
 */
export async function purgeCreative(
  context: OperatorContext,
  input: {
    readonly tenantId: string
    readonly principalId: string
    readonly accountId?: string | undefined
    readonly creativeId: string
    readonly purge: Purge
  },
): Promise<void> {
  const { tenantId, principalId, accountId, creativeId, purge } = input
  checkPurge(purge, 'reason')
  const store = auditedStore(context, { task: 'creatives.purge', tenant: tenantId, subject: creativeId })
  await purgeNamedCreative(store, { tenantId, principalId, accountId, creativeId }, purge, context.clock())
}

/** Who reviews new creatives: the rules of this server (`automatic`), or a person for each of them. */
export async function setCreativeReview(context: OperatorContext, tenantId: string, mode: 'automatic' | 'manual'): Promise<void> {
  await auditedStore(context, { task: 'creatives.review', tenant: tenantId, subject: mode }).transaction(async (tx) => {
    const settings = (await findTenant(tx, tenantId))?.settings ?? {}
    await saveTenantSettings(tx, tenantId, { ...settings, creativeReview: mode })
  })
}
