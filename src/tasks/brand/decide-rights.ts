import type { RightUse } from '@adcp/sdk/types'
import { conditionsText } from '../../domain/approval/policy.ts'
import type { RightsOffering } from '../../domain/brand/brands-file.ts'
import { refusalOfOthers } from '../../domain/rights/clearance.ts'
import { dayOf, type GrantAgreement, grantStatus, type RightsGrant } from '../../domain/rights/grant.ts'
import type { SubmittedCreative } from '../../domain/rights/review-creative.ts'
import type { BrandRegistry } from '../../features/brands/brand-registry.ts'
import type { GrantAttestations } from '../../features/brands/grant-attestations.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db, Store } from '../../store/database.ts'
import { decideSubmission } from '../../store/rights/rights-creatives.ts'
import { findGrant, saveGrant, standingAgreements } from '../../store/rights/rights-grants.ts'
import { enqueue } from '../../store/webhook/outbox.ts'
import { endEndpoints, endpointsOfTask } from '../../store/webhook/webhook-endpoints.ts'
import { endPendingChange } from './end-pending-change.ts'
import { presentChanged } from './present-grant.ts'
import { withAgreement } from './update-rights.ts'

/** What a person at the rights holder says of a creative, or of a change of a grant. */
export type CreativeDecision =
  | { readonly approve: true; readonly conditions: readonly string[] }
  | { readonly approve: false; readonly reason: string; readonly suggestions: readonly string[] }

/** Decides on a creative in review. Throws REFERENCE_NOT_FOUND, INVALID_STATE when it was decided before. */
export function decideRightsCreative(
  store: Store,
  tenantId: string,
  submissionId: string,
  decision: CreativeDecision,
  now: Date,
): Promise<SubmittedCreative> {
  const verdict = decision.approve
    ? { status: 'approved' as const, reason: undefined, suggestions: [], conditions: decision.conditions }
    : { status: 'rejected' as const, reason: decision.reason, suggestions: decision.suggestions, conditions: [] }
  return store.transaction((tx) => decideSubmission(tx, tenantId, submissionId, verdict, now))
}

/**
 * Decides on an extension that is pending; declined, the grant stays as it was. The buyer's task ends with it: its result is what `update_rights` answers
 * for a change at once, its error the reason. Throws REFERENCE_NOT_FOUND, INVALID_STATE when none waits, the grant is over, or others came in between.
 */
export async function decideRightsChange(
  services: { readonly store: Store; readonly brands: BrandRegistry; readonly attestations: GrantAttestations },
  tenantId: string,
  grantId: string,
  decision: CreativeDecision,
  now: Date,
): Promise<RightsGrant> {
  const { store, brands } = services
  const { rightsById } = await brands.load(tenantId)
  const { brand_id: brandId } = (await existing(store.read, tenantId, grantId)).agreement.offering
  const attestation = await services.attestations.of(tenantId, brandId)
  return store.transaction(async (tx) => {
    const grant = await existing(tx, tenantId, grantId)
    const { pending } = grant
    if (!pending) throw new AdcpError('INVALID_STATE', `no change of ${grantId} is pending`)
    if (!decision.approve) {
      const message = [decision.reason, ...decision.suggestions].join('; ')
      const error = { code: 'POLICY_VIOLATION', message, recovery: 'correctable' }
      await endPendingChange(tx, tenantId, grant, { status: 'rejected', message, error }, now)
      return saveGrant(tx, tenantId, { ...grant, pending: undefined, pendingTaskId: undefined }, now)
    }
    await requireGrantable(tx, tenantId, grant, pending, rightsById.get(pending.offering.rights_id), now)
    const changed = await saveGrant(tx, tenantId, withAgreement(grant, pending, true), now)
    const message = conditionsText(decision.conditions) || 'Approved by the rights holder'
    await endPendingChange(
      tx,
      tenantId,
      grant,
      { status: 'completed', message, result: await presentChanged(changed, services, attestation, { now, waits: false }) },
      now,
    )
    return changed
  })
}

/** Throws INVALID_STATE when the pending terms of a grant can no longer be had. */
async function requireGrantable(
  tx: Db,
  tenantId: string,
  grant: RightsGrant,
  pending: GrantAgreement,
  offering: RightsOffering | undefined,
  now: Date,
): Promise<void> {
  const status = grantStatus(grant, now)
  if (status === 'revoked' || status === 'expired') throw new AdcpError('INVALID_STATE', `the grant is ${status}`)
  if (!offering) throw new AdcpError('INVALID_STATE', 'the right is no longer offered')
  const owner = { tenantId, principalId: grant.principalId, sandbox: grant.sandbox }
  const others = await standingAgreements(tx, owner, { today: dayOf(now), rightsId: offering.rights_id, except: grant.grantId })
  const { uses, countries, startDate, endDate, price } = pending
  const wanted = { uses, countries, startDate, endDate, exclusive: price.exclusive === true }
  const refusal = refusalOfOthers(offering, wanted, others)
  if (refusal) throw new AdcpError('INVALID_STATE', refusal.reason)
}

export interface Revocation {
  readonly reason: string
  /** From then on; ends what is to come at once when it is past. */
  readonly effectiveAt: Date
  /** Only these uses; absent: the whole grant. */
  readonly uses?: readonly RightUse[]
}

/**
 * Revokes rights and notifies the buyer at its revocation webhook (AdCP brand/revocation-notification.json). Throws REFERENCE_NOT_FOUND,
 * INVALID_STATE when the grant is revoked already.
 */
export function revokeRights(
  store: Store,
  tenantId: string,
  grantId: string,
  { reason, effectiveAt, uses }: Revocation,
  now: Date,
): Promise<RightsGrant> {
  return store.transaction(async (tx) => {
    const grant = await existing(tx, tenantId, grantId)
    if (grant.revokedAt !== undefined) throw new AdcpError('INVALID_STATE', `${grantId} is revoked already`)
    const left = grant.agreement.uses.filter((use) => uses?.includes(use) === false)
    const isWhole = left.length === 0
    const revoked = isWhole
      ? { ...grant, revokedAt: effectiveAt.toISOString(), pending: undefined, pendingTaskId: undefined }
      : withAgreement(grant, { ...grant.agreement, uses: left }, true)
    const saved = await saveGrant(tx, tenantId, revoked, now)
    const error = { code: 'INVALID_STATE', message: `the grant was revoked: ${reason}`, recovery: 'terminal' }
    await endPendingChange(tx, tenantId, grant, { status: 'rejected', message: error.message, error }, now)
    const endpoints = await endpointsOfTask(tx, { tenantId, principalId: grant.principalId }, grantId)
    for (const endpoint of endpoints.filter(({ kind }) => kind === 'revocation')) {
      const told = isWhole ? {} : { uses: grant.agreement.uses.filter((use) => !left.includes(use)) }
      await enqueue(tx, endpoint, { grantId, brandId: grant.agreement.offering.brand_id, reason, effectiveAt, ...told }, now)
    }
    if (isWhole)
      await endEndpoints(
        tx,
        endpoints.map(({ endpointId }) => endpointId),
        now,
      )
    return saved
  })
}

async function existing(tx: Db, tenantId: string, grantId: string): Promise<RightsGrant> {
  const grant = await findGrant(tx, tenantId, grantId)
  if (grant) return grant
  throw new AdcpError('REFERENCE_NOT_FOUND', `there is no grant ${grantId}`, { field: 'rights_id' })
}
