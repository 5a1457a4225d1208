import { accountScopeOf } from '../../domain/account/account.ts'
import { transitioned } from '../../domain/compliance/outcome.ts'
import { oneOf, optionalText, requiredText } from '../../domain/compliance/params.ts'
import { checkPurge, defaultReason, PURGE_KINDS, PURGE_REASONS } from '../../domain/creative/purge.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { hasTombstone } from '../../store/creative/creative-tombstones.ts'
import { findCreative } from '../../store/creative/creatives.ts'
import { purgeCreative } from '../creative/purge-creative.ts'
import type { Scenario } from './scenario.ts'

const MAX_DETAIL = 500

/** `force_creative_purge` (AdCP 3.1): what the publisher's legal team, or the end of its retention, would do to a creative. */
export const forceCreativePurge: Scenario = async (params, context) => {
  const { tx, principal, services, now } = context
  const creativeId = requiredText(params, 'creative_id')
  const kind = oneOf(params.purge_kind ?? 'soft', PURGE_KINDS, 'purge_kind')
  const reason = oneOf(params.reason_code ?? defaultReason(kind), PURGE_REASONS, 'reason_code')
  const purge = { kind, reason, detail: optionalText(params, 'reason_detail', MAX_DETAIL) }
  checkPurge(purge, 'params.reason_code')
  const reach = accountScopeOf(principal, undefined)
  const creative = await findCreative(tx, reach, creativeId)
  if (!creative) {
    if (await hasTombstone(tx, reach, creativeId, now)) return transitioned('purged', 'purged', 'creative')
    throw new AdcpError('CREATIVE_NOT_FOUND', 'there is no such creative', { field: 'params.creative_id' })
  }
  await purgeCreative(context, creative, purge)
  services.webhooks.wake()
  return transitioned(creative.status, 'purged', 'creative')
}
