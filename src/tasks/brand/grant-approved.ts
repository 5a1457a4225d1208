import { withSimulation } from '../../domain/protocol/simulated-backends.ts'
import { refusalOfOthers } from '../../domain/rights/clearance.ts'
import { dayOf } from '../../domain/rights/grant.ts'
import { presentGovernance } from '../../features/governance/governance.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Approval } from '../../store/approval/approvals.ts'
import { insertGrant, standingAgreements } from '../../store/rights/rights-grants.ts'
import type { CarriedOut, CarryOutContext } from '../approvals/carry-out.ts'
import { type AcquisitionDocument, newGrant } from './acquire-rights.ts'
import { acquisitionCommitment } from './governed-grant.ts'
import { presentAcquired } from './present-grant.ts'

/**
 * Makes the grant of an approved acquisition. Throws INVALID_REQUEST when the campaign is over by now, REFERENCE_NOT_FOUND when the right is no
 * longer offered, INVALID_STATE when somebody else has an exclusive commitment meanwhile.
 */
export async function grantApproved(approval: Approval, context: CarryOutContext): Promise<CarriedOut> {
  const { grantId, agreement }: AcquisitionDocument = JSON.parse(approval.document)
  const { tenant, principal, services, now } = context
  const { rightsById } = await services.brands.load(tenant.tenantId)
  const offering = rightsById.get(agreement.offering.rights_id)
  if (!offering) throw new AdcpError('REFERENCE_NOT_FOUND', 'the right is no longer offered', { field: 'rights_id' })
  const today = dayOf(now)
  if (agreement.endDate !== undefined && agreement.endDate < today)
    throw new AdcpError('INVALID_REQUEST', 'the campaign is over', { field: 'campaign.end_date' })
  // The buyer's governance may have changed its mind since: what was agreed at the request lapses.
  const commitment = acquisitionCommitment({}, grantId, agreement)
  const governed = await services.governance.check(context, commitment)
  const attestation = await services.attestations.of(tenant.tenantId, offering.brand_id)
  return {
    async write(tx) {
      await services.governance.record(tx, context, commitment, governed)
      const others = await standingAgreements(tx, principal, { today, rightsId: offering.rights_id })
      const { uses, countries, startDate, endDate, price } = agreement
      const refusal = refusalOfOthers(
        offering,
        { uses, countries, startDate, endDate, exclusive: price.exclusive === true },
        others,
      )
      if (refusal) throw new AdcpError('INVALID_STATE', refusal.reason, { field: 'rights_id' })
      const grant = newGrant(grantId, agreement, { principal, accountId: approval.accountId, now })
      await insertGrant(tx, tenant.tenantId, grant)
      const answer = { ...(await presentAcquired(grant, services, attestation, now)), ...presentGovernance(governed) }
      return withSimulation(answer, services.brands, { inSandbox: grant.sandbox })
    },
  }
}
