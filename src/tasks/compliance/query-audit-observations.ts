import { accountScopeOf } from '../../domain/account/account.ts'
import { requiredText } from '../../domain/compliance/params.ts'
import { auditObservations } from '../../domain/creative/audit-observations.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { findCreative } from '../../store/creative/creatives.ts'
import type { Scenario } from './scenario.ts'

/** `query_provenance_audit_observations` (AdCP 3.1): what get_creative_features would observe of a creative of the library. */
export const queryAuditObservations: Scenario = async (params, { tx, principal, services }) => {
  const creativeId = requiredText(params, 'creative_id')
  const creative = await findCreative(tx, accountScopeOf(principal, undefined), creativeId)
  if (!creative) throw new AdcpError('CREATIVE_NOT_FOUND', 'there is no such creative', { field: 'params.creative_id' })
  const observations = auditObservations(creative.content, services.wiring.agentUrl)
  return { success: true, creative_id: creativeId, audit_observations: observations }
}
